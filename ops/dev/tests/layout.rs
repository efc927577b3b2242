//! The layout of the sources: crates, the rooms of the edge, and the files within each folder import in one direction.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// From the top down: each room may import the rooms after it.
const ROOMS_OF_THE_EDGE: [&str; 12] = [
    "http",
    "upkeep",
    "viewing",
    "webhooks",
    "uploads",
    "jobs",
    "moderation",
    "contents",
    "people",
    "journal",
    "platform",
    "base",
];

/// The shelves of crates, each with the shelves that its crates may depend on. Programs know each other only through
/// libraries.
const SHELVES: [(&str, &[&str]); 5] = [
    ("tests", &["tests", "ops", "programs", "crates", "fixtures"]),
    ("ops", &["ops", "crates", "fixtures"]),
    ("programs", &["crates", "fixtures"]),
    ("crates", &["crates", "fixtures"]),
    ("fixtures", &["crates"]),
];

#[test]
fn no_modules_of_a_crate_import_each_other_in_a_cycle() {
    let crates = packages();
    assert!(crates.len() > 10, "only {} crates were found", crates.len());
    let folders = crates.iter().map(Package::folder).flat_map(source_folders);
    let cycles: Vec<_> = folders.flat_map(|folder| fixtures::nested_import_cycles(&folder)).collect();
    assert!(cycles.is_empty(), "{cycles:#?}");
}

#[test]
fn the_rooms_of_the_edge_import_only_rooms_below_them() {
    let edge = root().join("edge/src");
    assert_eq!(fixtures::imports_against_order(&edge, &ROOMS_OF_THE_EDGE), Vec::<String>::new());
}

#[test]
fn crates_depend_only_on_crates_of_the_allowed_shelves() {
    let packages = packages();
    for package in &packages {
        let (_, allowed) = SHELVES.iter().find(|(shelf, _)| *shelf == package.shelf()).unwrap();
        for dependency in package.dependencies() {
            let Some(target) = packages.iter().find(|other| other.name() == dependency) else { continue };
            assert!(allowed.contains(&target.shelf()), "{} depends on {dependency}", package.name());
        }
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap()
}

/// A crate of the workspace, in the format of `cargo metadata`.
struct Package(Value);

impl Package {
    fn name(&self) -> &str {
        self.0["name"].as_str().unwrap()
    }

    fn folder(&self) -> &Path {
        Path::new(self.0["manifest_path"].as_str().unwrap()).parent().unwrap()
    }

    fn shelf(&self) -> &str {
        let path = self.folder().strip_prefix(root()).unwrap();
        if path == Path::new("tests/fixtures") {
            return "fixtures";
        }
        match path.to_str().unwrap() {
            "client" | "edge" | "origin" => "programs",
            other => other.split('/').next().unwrap(),
        }
    }

    fn dependencies(&self) -> impl Iterator<Item = &str> {
        self.0["dependencies"].as_array().unwrap().iter().map(|dependency| dependency["name"].as_str().unwrap())
    }
}

fn packages() -> Vec<Package> {
    let arguments = ["metadata", "--format-version=1", "--locked", "--no-deps"];
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    let mut metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let Value::Array(packages) = metadata["packages"].take() else { panic!("no packages") };
    packages.into_iter().map(Package).collect()
}

/// Returns the sources of a crate, and its test programs of several files.
fn source_folders(package: &Path) -> Vec<PathBuf> {
    let tests = std::fs::read_dir(package.join("tests")).into_iter().flatten();
    let programs = tests.map(|entry| entry.unwrap().path()).filter(|folder| folder.join("main.rs").is_file());
    [package.join("src")].into_iter().filter(|folder| folder.is_dir()).chain(programs).collect()
}
