//! The modules of this crate have no import cycles.

use std::path::Path;

#[test]
fn no_modules_import_each_other_in_a_circle() {
    let cycles = fixtures::nested_import_cycles(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(cycles.is_empty(), "{cycles:#?}");
}
