//! Neither the crate nor its escape suite has modules that import each other in a cycle.

use std::path::Path;

#[test]
fn modules_import_each_other_without_cycles() {
    for folder in ["src", "tests/escapes", "tests/hostile_media"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        assert_eq!(fixtures::nested_import_cycles(&folder), Vec::<Vec<String>>::new());
    }
}
