//! The folders of the Worker, and the files within each, import each other without cycles.

use std::path::Path;

#[test]
fn modules_import_each_other_without_cycles() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    assert_eq!(fixtures::nested_import_cycles(&src), Vec::<Vec<String>>::new());
}
