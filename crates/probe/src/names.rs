//! Searches bytes for names of four characters, several bytes at a time.
//!
//! This module must not depend on what the names mean.

use crate::bytes::{FourCc, array, u8_at};

/// The length of a name.
pub(crate) const NAME: usize = 4;

/// A search for some names.
#[derive(Debug)]
pub(crate) struct NameSearch {
    /// For each byte, its distance from the end of the names that contain it. Zero if it ends one.
    shifts: [u8; 256],
}

#[expect(clippy::indexing_slicing, reason = "constants are made while compiling, and a byte is below 256")]
impl NameSearch {
    pub(crate) const fn new(names: &[FourCc]) -> Self {
        let mut shifts = [4; 256];
        let mut index = 0;
        while index < names.len() {
            let [first, second, third, last] = names[index];
            lower(&mut shifts, first, 3);
            lower(&mut shifts, second, 2);
            lower(&mut shifts, third, 1);
            lower(&mut shifts, last, 0);
            index += 1;
        }
        Self { shifts }
    }

    /// Returns the position of the next name. `is_name` decides, because a comparison with each name would be slow.
    pub(crate) fn next(&self, bytes: &[u8], is_name: impl Fn(FourCc) -> bool) -> Option<usize> {
        let mut at = 0;
        while let Some(last) = u8_at(bytes, at + NAME - 1) {
            match self.shifts.get(usize::from(last)) {
                Some(0) if array(bytes, at).is_some_and(&is_name) => return Some(at),
                Some(0) | None => at += 1,
                Some(shift) => at += usize::from(*shift),
            }
        }
        None
    }
}

#[expect(clippy::indexing_slicing, reason = "a byte is below 256")]
const fn lower(shifts: &mut [u8; 256], byte: u8, shift: u8) {
    let known = &mut shifts[byte as usize];
    if *known > shift {
        *known = shift;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NAMES: [FourCc; 4] = [*b"abcd", *b"cdab", *b"aaaa", *b"dcba"];

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_first_name_is_found(bytes in prop::collection::vec(b'a'..=b'e', 0..60)) {
            let expected = bytes.windows(NAME).position(|window| NAMES.iter().any(|name| name == window));
            prop_assert_eq!(NameSearch::new(&NAMES).next(&bytes, |name| NAMES.contains(&name)), expected);
        }
    }
}
