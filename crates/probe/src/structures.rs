//! Limits the number of structures in a file, and thereby the time that probing takes.
//!
//! Every structure costs a walk a bounded number of operations, however few bytes it has. This module must not depend
//! on any container.

use crate::FileRefusal;

/// A video of two minutes has only a few thousand frames per track. The limit bounds the work for crafted files.
const MOST: u32 = 1_000_000;

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct StructureCount(u32);

impl StructureCount {
    /// Counts one structure. The count does not depend on how the file is split.
    pub(crate) fn add(&mut self) -> Result<(), FileRefusal> {
        self.0 = self.0.saturating_add(1);
        if self.0 > MOST {
            return Err(FileRefusal::MetadataTooLarge { what: "more than a million structures" });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl StructureCount {
        pub(crate) fn of(count: u32) -> Self {
            Self(count)
        }
    }

    #[test]
    fn a_file_may_have_a_million_structures() {
        let mut count = StructureCount::of(MOST - 1);
        assert!(count.add().is_ok() && count.add().is_err() && count.add().is_err());
    }
}
