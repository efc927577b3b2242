//! The modules of the parser form layers: no module imports a module that imports it in turn.

use std::path::Path;

#[test]
fn modules_import_each_other_without_cycles() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    assert_eq!(fixtures::nested_import_cycles(&src), Vec::<Vec<String>>::new());
}
