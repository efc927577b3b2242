//! Reads numbers from a byte slice at an offset.
//!
//! Every read returns `None` past the end instead of panicking, because the bytes are untrusted. This module must not
//! depend on any container.

/// A four-character code: the kind of a box, a chunk or a codec.
pub(crate) type FourCc = [u8; 4];

/// Returns the `N` bytes at `at`.
pub(crate) fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

/// Returns everything from `at` on; empty if `at` is past the end.
pub(crate) fn tail(bytes: &[u8], at: usize) -> &[u8] {
    bytes.get(at..).unwrap_or_default()
}

/// Returns the first `length` bytes, or all bytes if there are fewer.
pub(crate) fn head(bytes: &[u8], length: usize) -> &[u8] {
    bytes.get(..length).unwrap_or(bytes)
}

/// Returns the positions of a byte. Starting a `memchr` search costs as much as checking several bytes, so the next few
/// bytes are checked first. Otherwise, a file full of this byte would cost several times as much as any other.
pub(crate) fn positions(needle: u8, haystack: &[u8]) -> impl Iterator<Item = usize> {
    const NEAR: usize = 8;
    let mut from = 0;
    std::iter::from_fn(move || {
        let ahead = tail(haystack, from);
        let near = head(ahead, NEAR).iter().position(|byte| *byte == needle);
        let at = near.or_else(|| memchr::memchr(needle, tail(ahead, NEAR)).map(|far| far + NEAR))?;
        from += at + 1;
        Some(from - 1)
    })
}

/// Returns the position of the first match of a short pattern.
pub(crate) fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    let first = *needle.first()?;
    positions(first, haystack).find(|at| tail(haystack, *at).starts_with(needle))
}

/// Returns the positions of MPEG start codes (`00 00 01`). Searches for the byte 01, which is rarer than 00.
pub(crate) fn start_codes(bytes: &[u8]) -> impl Iterator<Item = usize> {
    positions(1, bytes).filter_map(|one| {
        let at = one.checked_sub(2)?;
        bytes.get(at..one)?.iter().all(|byte| *byte == 0).then_some(at)
    })
}

pub(crate) fn u8_at(bytes: &[u8], at: usize) -> Option<u8> {
    bytes.get(at).copied()
}

pub(crate) fn u16_be(bytes: &[u8], at: usize) -> Option<u16> {
    array(bytes, at).map(u16::from_be_bytes)
}

pub(crate) fn u24_be(bytes: &[u8], at: usize) -> Option<u32> {
    let [high, middle, low] = array(bytes, at)?;
    Some(u32::from_be_bytes([0, high, middle, low]))
}

pub(crate) fn u32_be(bytes: &[u8], at: usize) -> Option<u32> {
    array(bytes, at).map(u32::from_be_bytes)
}

pub(crate) fn i32_be(bytes: &[u8], at: usize) -> Option<i32> {
    array(bytes, at).map(i32::from_be_bytes)
}

pub(crate) fn u64_be(bytes: &[u8], at: usize) -> Option<u64> {
    array(bytes, at).map(u64::from_be_bytes)
}

pub(crate) fn u16_le(bytes: &[u8], at: usize) -> Option<u16> {
    array(bytes, at).map(u16::from_le_bytes)
}

pub(crate) fn u32_le(bytes: &[u8], at: usize) -> Option<u32> {
    array(bytes, at).map(u32::from_le_bytes)
}

pub(crate) fn i32_le(bytes: &[u8], at: usize) -> Option<i32> {
    array(bytes, at).map(i32::from_le_bytes)
}

pub(crate) fn u64_le(bytes: &[u8], at: usize) -> Option<u64> {
    array(bytes, at).map(u64::from_le_bytes)
}

/// Converts a length in memory to a length in a file.
pub(crate) fn wide(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// Converts a length in a file to a length in memory. A length that does not fit saturates, which means "no limit".
pub(crate) fn narrow(length: u64) -> usize {
    usize::try_from(length).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_found_wherever_it_is() {
        for gap in 1..40 {
            let mut bytes = vec![0; 200];
            bytes.iter_mut().step_by(gap).for_each(|byte| *byte = 7);
            let expected: Vec<_> = (0..bytes.len()).step_by(gap).collect();
            assert_eq!(positions(7, &bytes).collect::<Vec<_>>(), expected, "every {gap} bytes");
        }
        assert_eq!(positions(7, &[]).next(), None);
    }
}
