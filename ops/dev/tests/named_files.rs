//! Comments and documents name only files that exist, in full or from some folder on.

use std::collections::BTreeSet;
use std::path::Path;

/// Files that are made on a machine, or that somebody may still have from before a move.
const NOT_IN_THE_REPOSITORY: [&str; 3] = ["ops/deploy/environments.toml", "deploy/environments.toml", "site/page.js"];
/// Folders of what was built or installed.
const SKIPPED: [&str; 7] = [".git", ".dev", ".wrangler", "build", "dist", "node_modules", "target"];
const EXTENSIONS: [&str; 9] = ["rs", "sql", "mjs", "js", "md", "yml", "toml", "css", "py"];

#[test]
fn comments_and_documents_name_only_files_that_exist() {
    let mut files = Vec::new();
    collect(root(), "", &mut files);
    let endings: BTreeSet<&str> = files.iter().flat_map(|file| endings(file)).chain(NOT_IN_THE_REPOSITORY).collect();
    let mut named = 0;
    for file in files.iter().filter(|file| has_extension(file, &["rs", "md"])) {
        let text = std::fs::read_to_string(root().join(file)).unwrap();
        for (number, line) in text.lines().enumerate() {
            for name in named_files(file, line) {
                assert!(endings.contains(name), "{file}:{} names {name}, which does not exist", number + 1);
                named += 1;
            }
        }
    }
    println!("{named} names of files");
    assert!(named > 200, "the scan finds only {named} names");
}

/// Returns the names between backticks that have a folder and a known extension. In code, only comments count.
fn named_files<'a>(file: &str, line: &'a str) -> impl Iterator<Item = &'a str> {
    let text = if has_extension(file, &["md"]) { Some(line) } else { line.find("//").map(|start| &line[start..]) };
    let quoted = text.into_iter().flat_map(|text| text.split('`').skip(1).step_by(2));
    quoted.filter(|name| is_path(name))
}

fn is_path(name: &str) -> bool {
    let is_plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-./".contains(letter));
    let is_relative = name.split('/').all(|part| !part.is_empty() && part != ".." && part != ".");
    is_plain && is_relative && name.contains('/') && has_extension(name, &EXTENSIONS)
}

fn has_extension(name: &str, known: &[&str]) -> bool {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| known.contains(&extension))
}

/// Returns the path, and the path from each of its folders on.
fn endings(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |rest| rest.split_once('/').map(|(_, rest)| rest))
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
        let name = entry.file_name().into_string().unwrap();
        if SKIPPED.contains(&name.as_str()) {
            continue;
        }
        let path = format!("{prefix}{name}");
        if entry.file_type().unwrap().is_dir() {
            collect(&entry.path(), &(path + "/"), files);
        } else {
            files.push(path);
        }
    }
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}
