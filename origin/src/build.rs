//! The version and commit of this build of `clipgate-origin`.

use std::sync::LazyLock;

pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The commit that the program was built from. `make origin` and the image set it; no other build knows it.
pub const COMMIT: &str = match option_env!("CLIPGATE_COMMIT") {
    Some(commit) => commit,
    None => "unknown",
};

static TEXT: LazyLock<String> = LazyLock::new(|| format!("{VERSION} (commit {COMMIT})"));

/// Returns what `--version` prints after the program's name.
pub fn text() -> &'static str {
    &TEXT
}
