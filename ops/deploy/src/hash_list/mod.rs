//! Lists of PDQ hashes in the formats that services exchange: CSV and JSON Lines.
//!
//! CSV has a column `hash`, `pdq` or `pdq_hash`, or only hashes. A line of JSON is a hash, or an object with a member
//! of one of these names. `quality` and `hash_type` are optional. Pure: text in, hashes out.

use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use contract::PictureHash;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::BufRead;
use std::path::Path;

mod export;
mod read;

pub use export::CsvExport;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// A line of JSON for each hash.
    Jsonl,
    Csv,
}

impl ListFormat {
    /// Returns the format that the extension of a file names.
    pub fn of_file(file: &Path) -> Result<Self> {
        match file.extension().map(OsStr::to_ascii_lowercase) {
            Some(extension) if extension == "csv" => Ok(Self::Csv),
            Some(extension) if extension == "jsonl" || extension == "ndjson" => Ok(Self::Jsonl),
            _ => bail!("the name of {} does not end with .csv or .jsonl; add --format", file.display()),
        }
    }
}

/// The hashes of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HashList {
    pub hashes: BTreeSet<PictureHash>,
    /// The unusable entries: hashes of another type, and pictures with too little detail.
    pub skipped: usize,
}

impl HashList {
    /// Reads a whole list. An entry that cannot be read is an error that names its line.
    pub fn read(format: ListFormat, text: impl BufRead) -> Result<Self> {
        match format {
            ListFormat::Jsonl => read::json_lines(text),
            ListFormat::Csv => read::csv(text),
        }
    }

    fn add(&mut self, entry: Entry) -> Result<()> {
        let is_pdq = entry.kind.is_none_or(|kind| kind.eq_ignore_ascii_case("pdq"));
        let quality = entry.quality.as_deref().map(parse_quality).transpose()?;
        if is_pdq && quality.is_none_or(|quality| quality >= f64::from(PictureHash::MIN_QUALITY)) {
            self.hashes.insert(parse_hash(&entry.hash)?);
        } else {
            self.skipped += 1;
        }
        Ok(())
    }
}

/// An entry of a list, as text.
#[derive(Debug, Default)]
struct Entry {
    hash: String,
    quality: Option<String>,
    kind: Option<String>,
}

fn parse_hash(text: &str) -> Result<PictureHash> {
    let hash = text.to_lowercase().parse().ok();
    hash.with_context(|| format!("{text:?} is not a PDQ hash of 64 hexadecimal digits"))
}

fn parse_quality(text: &str) -> Result<f64> {
    let quality = text.parse().with_context(|| format!("the quality {text:?} is not a number"))?;
    ensure!((0.0..=100.0).contains(&quality), "the quality {text} is not between 0 and 100");
    Ok(quality)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "f8f8f0cee0f4a84f06370a22038f63f0b36e2ed596621e1d33e6b39c4e9c9b22";
    const TWO: &str = "30a10efd71c83f429013d48d0ffffc52e34e0e17ada952a9d29685211ea9e5af";

    fn csv(text: &str) -> Result<HashList> {
        HashList::read(ListFormat::Csv, text.as_bytes())
    }

    fn jsonl(text: &str) -> Result<HashList> {
        HashList::read(ListFormat::Jsonl, text.as_bytes())
    }

    fn list(hashes: &[&str], skipped: usize) -> HashList {
        HashList { hashes: hashes.iter().map(|hash| hash.parse().unwrap()).collect(), skipped }
    }

    #[test]
    fn csv_with_and_without_names_of_columns_is_read() {
        assert_eq!(csv(&format!("{ONE}\n{}\n{ONE}\n", TWO.to_uppercase())).unwrap(), list(&[ONE, TWO], 0));
        assert_eq!(csv(&format!("id,PDQ,quality\r\n1, {ONE} ,100\r\n2,{TWO},49\r\n")).unwrap(), list(&[ONE], 1));
        assert_eq!(csv(&format!("type,hash\npdq,{ONE}\nmd5,0\nPDQ,{TWO}\n")).unwrap(), list(&[ONE, TWO], 1));
        assert_eq!(csv("").unwrap(), HashList::default());
    }

    #[test]
    fn lines_of_json_are_read() {
        assert_eq!(
            jsonl(&format!("\"{ONE}\"\n\n{{\"pdq_hash\":\"{TWO}\",\"quality\":90}}")).unwrap(),
            list(&[ONE, TWO], 0)
        );
        assert_eq!(jsonl(&format!("{{\"hash\":\"{ONE}\",\"quality\":3.5}}\n")).unwrap(), list(&[], 1));
    }

    #[test]
    fn an_entry_that_cannot_be_read_is_named_by_its_line() {
        for (text, line) in
            [(format!("hash\n{ONE}\nx\n"), "line 3"), ("a,b\n".to_owned(), "line 1"), (format!("{ONE}\n,\n"), "line 2")]
        {
            assert_eq!(csv(&text).unwrap_err().to_string(), line, "{text}");
        }
        for text in [format!("\"{ONE}\"\n3\n"), format!("\"{ONE}\"\n{{\n"), format!("\"{ONE}\"\n\"x\"\n")] {
            assert_eq!(jsonl(&text).unwrap_err().to_string(), "line 2", "{text}");
        }
    }

    #[test]
    fn an_unreadable_quality_is_an_error() {
        for quality in ["high", "NaN", "-1", "101"] {
            assert!(csv(&format!("hash,quality\n{ONE},{quality}\n")).is_err(), "{quality}");
            assert!(jsonl(&format!("{{\"hash\":\"{ONE}\",\"quality\":\"{quality}\"}}")).is_err(), "{quality}");
        }
        for quality in ["[]", "{}", "true"] {
            assert!(jsonl(&format!("{{\"hash\":\"{ONE}\",\"quality\":{quality}}}")).is_err(), "{quality}");
        }
        assert_eq!(csv(&format!("hash,quality\n{ONE},\n")).unwrap(), list(&[ONE], 0));
        assert_eq!(jsonl(&format!("{{\"hash\":\"{ONE}\",\"quality\":null}}")).unwrap(), list(&[ONE], 0));
        assert_eq!(jsonl(&format!("{{\"hash\":\"{ONE}\",\"quality\":\"49.5\"}}")).unwrap(), list(&[], 1));
    }

    #[test]
    fn the_name_of_a_file_tells_its_format() {
        let format = |name: &str| ListFormat::of_file(name.as_ref()).ok();
        assert_eq!(format("list.CSV"), Some(ListFormat::Csv));
        assert_eq!(format("list.jsonl"), Some(ListFormat::Jsonl));
        assert_eq!((format("list"), format("list.json")), (None, None));
    }
}
