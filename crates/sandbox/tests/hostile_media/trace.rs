//! Reads strace's log of a run.

use std::collections::BTreeSet;

/// Returns the paths that were opened successfully.
pub(crate) fn opened(log: &str) -> BTreeSet<String> {
    calls(log, "open").filter(|line| !line.contains("= -1 ")).filter_map(path).collect()
}

/// Returns the number of connection attempts, successful or not.
pub(crate) fn connects(log: &str) -> usize {
    calls(log, "connect").count()
}

fn calls<'a>(log: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    // Each line begins with the process id.
    log.lines().filter(move |line| line.split_whitespace().nth(1).is_some_and(|call| call.starts_with(name)))
}

fn path(line: &str) -> Option<String> {
    line.split('"').nth(1).map(str::to_owned)
}
