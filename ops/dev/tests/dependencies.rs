//! Every dependency comes from crates.io and has a licence that `deny.toml` allows. cargo-deny (`make hygiene`) checks
//! this and more, but takes minutes to build.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

#[test]
fn every_dependency_has_an_allowed_licence() {
    let deny: toml::Table = std::fs::read_to_string(root().join("deny.toml")).unwrap().parse().unwrap();
    let allowed: Vec<&str> =
        deny["licenses"]["allow"].as_array().unwrap().iter().map(|licence| licence.as_str().unwrap()).collect();
    for package in packages() {
        let expression = package["license"].as_str().unwrap_or_default();
        assert!(is_allowed(expression, &allowed), "{}: the licence is not allowed: {expression:?}", package["id"]);
    }
}

#[test]
fn every_dependency_comes_from_crates_io_or_this_repository() {
    for package in packages() {
        let (source, manifest) = (&package["source"], package["manifest_path"].as_str().unwrap());
        let is_ours = source.is_null() && Path::new(manifest).starts_with(root());
        assert!(is_ours || source == CRATES_IO, "{}: unknown source", package["id"]);
    }
}

#[test]
fn a_licence_expression_needs_an_allowed_choice_for_each_of_its_terms() {
    let allowed = ["MIT", "Apache-2.0", "ISC"];
    for expression in ["MIT", "GPL-3.0 OR MIT", "GPL-3.0/MIT", "MIT AND ISC", "(GPL-3.0 OR MIT) AND ISC"] {
        assert!(is_allowed(expression, &allowed), "{expression}");
    }
    for expression in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR ISC) AND GPL-3.0"] {
        assert!(!is_allowed(expression, &allowed), "{expression}");
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap()
}

/// Returns all packages of the workspace and its dependencies from `cargo metadata`, which also downloads packages for
/// other platforms.
fn packages() -> Vec<Value> {
    let arguments = ["metadata", "--format-version=1", "--locked", "--all-features"];
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    let mut metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let Value::Array(packages) = metadata["packages"].take() else { panic!("no packages") };
    assert!(packages.len() > 100, "{} packages are too few", packages.len());
    packages
}

/// Whether an SPDX expression can be satisfied. `OR` is only understood inside `AND`: crates.io has no expression that
/// nests deeper. Old manifests write `/` for `OR`.
fn is_allowed(expression: &str, allowed: &[&str]) -> bool {
    let expression = expression.replace('/', " OR ");
    expression
        .split(" AND ")
        .all(|term| term.trim_matches(['(', ')']).split(" OR ").any(|licence| allowed.contains(&licence.trim())))
}
