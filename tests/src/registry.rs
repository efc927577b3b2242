//! The tests of a binary. Each registers itself at start-up through its attribute, so there is no list to keep.

use crate::browser::BrowserStack;
use crate::stack_kind::StackKind;
use crate::test_stack::TestStack;
use anyhow::{Result, ensure};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

/// A running test.
pub(crate) type RunningTest = Pin<Box<dyn Future<Output = Result<()>>>>;

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

/// Fails if two tests have the same function name, because each name is a separate promise.
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
