//! The version and commit of this build of the Worker.

pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The commit that the Worker was built from. Only `ops/dev/build-worker` sets it.
pub(crate) const COMMIT: &str = match option_env!("CLIPGATE_COMMIT") {
    Some(commit) => commit,
    None => "unknown",
};
