//! What a traced run opened and whom it called, read from strace's log.

use std::collections::BTreeSet;

/// The paths that were opened with success.
pub(crate) fn opened(log: &str) -> BTreeSet<String> {
    calls(log, "open")
        .filter(|line| !line.contains("= -1 "))
        .filter_map(path)
        .collect()
}

/// How many times somebody was called, with success or not.
pub(crate) fn connects(log: &str) -> usize {
    calls(log, "connect").count()
}

fn calls<'a>(log: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    // Each line begins with the process's number.
    log.lines().filter(move |line| {
        line.split_whitespace()
            .nth(1)
            .is_some_and(|call| call.starts_with(name))
    })
}

fn path(line: &str) -> Option<String> {
    line.split('"').nth(1).map(str::to_owned)
}
