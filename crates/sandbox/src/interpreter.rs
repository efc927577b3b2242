//! Finds the loader that an executable names (PT_INTERP). It is the only file that may be executed besides the program.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Linkers write the program headers and the loader's name within this many bytes from the start.
const BEGINNING: u64 = 16 << 10;
const PROGRAM_HEADER_BYTES: usize = 56;
const INTERPRETER: u32 = 3;

/// Returns the loader of a program, or `None` if it is linked statically.
pub(crate) fn interpreter(program: &Path) -> io::Result<Option<PathBuf>> {
    let mut beginning = Vec::new();
    File::open(program)?.take(BEGINNING).read_to_end(&mut beginning)?;
    Ok(parse(&beginning))
}

fn parse(elf: &[u8]) -> Option<PathBuf> {
    let is_64_bit_little_endian = elf.starts_with(b"\x7fELF\x02\x01");
    let first = usize::try_from(number(elf, 32, 8)?).ok()?;
    let count = usize::try_from(number(elf, 56, 2)?).ok()?;
    let headers = elf.get(first..)?.chunks_exact(PROGRAM_HEADER_BYTES).take(count);
    let header =
        headers.filter(|_| is_64_bit_little_endian).find(|header| number(header, 0, 4) == Some(INTERPRETER.into()))?;
    let offset = usize::try_from(number(header, 8, 8)?).ok()?;
    let length = usize::try_from(number(header, 32, 8)?).ok()?;
    let name = elf.get(offset..)?.get(..length)?.strip_suffix(b"\0")?;
    Some(PathBuf::from(OsStr::from_bytes(name)))
}

fn number(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let digits = bytes.get(at..)?.get(..length)?;
    Some(digits.iter().rev().fold(0, |sum, &digit| sum << 8 | u64::from(digit)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_loader_of_this_test_program_is_found() {
        let program = std::env::current_exe().unwrap();
        let loader = interpreter(&program).unwrap().expect("tests are linked dynamically");
        assert!(loader.exists(), "{}", loader.display());
    }

    #[test]
    fn a_script_has_no_loader() {
        assert_eq!(parse(b"#!/bin/sh\n"), None);
    }

    proptest! {
        #[test]
        fn the_parser_never_panics(tail in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut elf = b"\x7fELF\x02\x01".to_vec();
            elf.extend(tail);
            parse(&elf);
        }
    }
}
