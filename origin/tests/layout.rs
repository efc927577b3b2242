//! The layout of the sources: no folder and no file takes part in an import cycle.

use fixtures::{import_cycles, nested_import_cycles};
use std::path::Path;

fn source_folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))
}

#[test]
fn no_folder_takes_part_in_an_import_cycle() {
    let cycles = import_cycles(source_folder());
    assert!(cycles.is_empty(), "import cycles: {cycles:#?}");
}

/// Also keeps the order of the stages in `media`: each imports the one before it, so an import in the other direction
/// closes a cycle.
#[test]
fn no_file_takes_part_in_an_import_cycle() {
    let cycles = nested_import_cycles(source_folder());
    assert!(cycles.is_empty(), "import cycles: {cycles:#?}");
}
