//! Root files think and `bindings/` talks to the platform: nothing that thinks names the platform, a clock or a
//! random source.

use std::path::Path;

const FORBIDDEN: [&str; 7] = [
    "worker::",
    "js_sys",
    "wasm_bindgen",
    "SystemTime::now",
    "Instant::now",
    "getrandom",
    "Date::now",
];

#[test]
fn the_thinking_files_name_no_platform() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut looked_at = 0;
    for entry in std::fs::read_dir(source).unwrap() {
        let path = entry.unwrap().path();
        // `lib.rs` holds the entry points that the platform calls.
        if path.is_dir() || path.ends_with("lib.rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for word in FORBIDDEN {
            assert!(!text.contains(word), "{} names {word}", path.display());
        }
        looked_at += 1;
    }
    assert!(looked_at > 10);
}
