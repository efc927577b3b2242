//! The tests of a binary. Each registers itself at start-up through its attribute, so there is no list to keep.

use crate::browser::BrowserStack;
use crate::test_stack::TestStack;
use anyhow::{Result, ensure};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

/// A running test.
pub(crate) type RunningTest = Pin<Box<dyn Future<Output = Result<()>>>>;

/// The stack that a test runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackKind {
    /// The suite's stack, together with other tests. They are kept apart by their accounts.
    Shared,
    /// A stack without any other test at the same time. A test that succeeds hands it on to the next one, so a test may
    /// assume an empty queue but not an empty database.
    Own,
    /// A new stack.
    New,
    /// A stack with these limits, together with the other tests that need the same ones.
    Limited(StackLimits),
    /// A stack with a cache in front of the Worker, together with other tests. Without Varnish, its tests are skipped.
    Cached,
    /// A stack without a cache, together with other tests: for what the Worker itself answers.
    Uncached,
    /// A new stack with a cache that refuses every purge.
    CachedForGood,
}

/// The cache in front of a stack's Worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestCache {
    None,
    Cache,
    /// A cache that refuses every purge.
    CacheForGood,
}

impl StackKind {
    pub(crate) fn needs_cache(self) -> bool {
        matches!(self, Self::Cached | Self::CachedForGood)
    }
}

/// The limits of a stack, and what it demands. Most tests run alongside others, so they need higher limits than
/// production has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackLimits {
    /// Requests of one key in ten seconds.
    pub key_rate: u32,
    /// Requests with unknown keys from one address in ten seconds.
    pub address_rate: u32,
    /// Uploads that one channel may have open at once.
    pub open_uploads: u32,
    /// Whether the edge demands a classifier's judgement of every video.
    pub requires_classifier: bool,
}

impl StackLimits {
    /// Limits that no test reaches.
    pub const NONE: Self =
        Self { key_rate: 1_000_000, address_rate: 1_000_000, open_uploads: 1_000_000, requires_classifier: false };
    /// Few requests with unknown keys and tokens from one address. Each test has addresses of its own.
    pub const FEW_PER_ADDRESS: Self = Self { address_rate: 20, ..Self::NONE };
    /// Few requests of one key. And a classifier is demanded, so that both need only one stack.
    pub const FEW_PER_KEY: Self = Self { key_rate: 8, requires_classifier: true, ..Self::NONE };

    /// Returns each rate limit with the name of its binding.
    pub(crate) fn rates(self) -> Vec<(&'static str, u32)> {
        vec![("KEY_RATE", self.key_rate), ("ADDRESS_RATE", self.address_rate)]
    }
}

/// A test that needs a stack.
#[derive(Debug)]
pub struct StackTest {
    pub name: &'static str,
    pub module: &'static str,
    pub stack: StackKind,
    pub run: fn(Arc<TestStack>) -> RunningTest,
}

/// A test that needs a browser.
#[derive(Debug)]
pub struct BrowserTest {
    pub name: &'static str,
    pub module: &'static str,
    pub run: fn(Arc<BrowserStack>) -> RunningTest,
}

inventory::collect!(StackTest);
inventory::collect!(BrowserTest);

/// Returns the name that is printed: `folder::file::function`.
pub(crate) fn full_name(module: &str, name: &str) -> String {
    let path = module.split_once("::").map_or("", |(_binary, path)| path);
    format!("{path}::{name}")
}

/// Fails if two tests have the same function name, because each name is a promise of its own.
pub(crate) fn ensure_unique<'a>(full_names: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut files: BTreeMap<&str, &str> = BTreeMap::new();
    for full_name in full_names {
        let (file, name) = full_name.rsplit_once("::").unwrap_or(("", full_name));
        let other = files.insert(name, file);
        ensure!(other.is_none(), "{name} is in {} and in {file}", other.unwrap_or_default());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{ensure_unique, full_name};

    #[test]
    fn a_test_is_named_by_its_file_and_function() {
        assert_eq!(full_name("e2e::keys::races", "one_wins"), "keys::races::one_wins");
    }

    #[test]
    fn two_tests_with_one_name_are_found() {
        assert!(ensure_unique(["a::one", "a::two"].into_iter()).is_ok());
        let error = ensure_unique(["a::one", "b::one"].into_iter()).unwrap_err();
        assert_eq!(error.to_string(), "one is in a and in b");
    }
}
