//! ARCHITECTURE.md stays a map: short, with the rooms in their order, and each question leads into the code in one
//! step.

use std::path::Path;

const MAX_LINES: usize = 250;
const MAX_BYTES: usize = 20_000;
/// The rows of the glossary, and of the invariants.
const MAX_ROWS: usize = 15;
const MIN_QUESTIONS: usize = 10;

#[test]
fn the_map_is_short() {
    let map = map();
    assert!(map.lines().count() <= MAX_LINES && map.len() <= MAX_BYTES, "{} bytes", map.len());
    for section in ["Glossary", "Invariants"] {
        let rows = rows(&map, section).len();
        assert!((1..=MAX_ROWS).contains(&rows), "{section} has {rows} rows");
    }
}

#[test]
fn each_question_leads_to_its_answer_in_one_step() {
    let map = map();
    let questions = rows(&map, "Questions a newcomer asks");
    assert!(questions.len() >= MIN_QUESTIONS, "{} questions", questions.len());
    for row in questions {
        let [question, place, identifier] = row[..] else { panic!("{row:?}") };
        let path = between(place, "](", ")");
        let code = std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        let identifier = between(identifier, "`", "`");
        assert!(code.contains(identifier), "{question} {path} has no `{identifier}`");
    }
}

#[test]
fn each_invariant_names_a_file_that_exists() {
    for row in rows(&map(), "Invariants") {
        let path = between(row[1], "`", "`");
        assert!(root().join(path).is_file(), "{path}");
    }
}

/// `layout.rs` checks that the rooms import each other in this order.
#[test]
fn each_folder_of_the_sources_is_on_the_map() {
    let map = map();
    for (section, folder) in [("`edge/src`", "edge/src"), ("`origin/src`", "origin/src")] {
        let listed = rows(&map, section);
        let names: Vec<_> = listed.iter().map(|row| between(row[0], "`", "/`")).collect();
        for entry in std::fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap()) {
            let name = entry.file_name().into_string().unwrap();
            let is_listed = names.contains(&name.as_str()) || name == "testing";
            assert!(is_listed || !entry.path().is_dir(), "{folder}/{name} is not on the map");
        }
    }
}

fn map() -> String {
    std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap()
}

/// Returns the cells of each row of the table below a heading, without the table's own heading.
fn rows<'a>(map: &'a str, heading: &str) -> Vec<Vec<&'a str>> {
    let below = map.lines().skip_while(|line| line.trim_start_matches('#').trim() != heading).skip(1);
    let section = below.take_while(|line| !line.starts_with('#'));
    let cells = |line: &'a str| line.trim_matches('|').split(" | ").map(str::trim).collect();
    section.filter(|line| line.starts_with('|')).skip(2).map(cells).collect()
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    let rest = text.split_once(before).unwrap_or_else(|| panic!("{text}")).1;
    rest.split_once(after).unwrap_or_else(|| panic!("{text}")).0
}
