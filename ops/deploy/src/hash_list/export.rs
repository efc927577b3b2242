//! Writes an export of the blocklist as CSV while it arrives as lines of JSON.

use anyhow::{Result, ensure};
use contract::api::BlockedHash;
use std::io::{self, Write};

/// Takes lines of JSON in pieces of any length, and writes a row for each.
#[expect(missing_debug_implementations, reason = "neither writer needs to be printable")]
pub struct CsvExport<To: Write> {
    rows: csv::Writer<To>,
    /// The beginning of a line whose end has not arrived.
    line: Vec<u8>,
}

impl<To: Write> CsvExport<To> {
    pub fn new(to: To) -> Self {
        Self { rows: csv::Writer::from_writer(to), line: Vec::new() }
    }

    /// Returns an error if the last line has no end.
    pub fn finish(mut self) -> Result<()> {
        ensure!(self.line.is_empty(), "the export ended in the middle of an entry");
        Ok(self.rows.flush()?)
    }

    fn write_row(&mut self) -> io::Result<()> {
        let entry: BlockedHash = serde_json::from_slice(&self.line)?;
        self.rows.serialize(entry)?;
        self.line.clear();
        Ok(())
    }
}

impl<To: Write> Write for CsvExport<To> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                self.write_row()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.rows.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{HashList, ListFormat};
    use super::*;

    const HASH: &str = "f8f8f0cee0f4a84f06370a22038f63f0b36e2ed596621e1d33e6b39c4e9c9b22";

    /// Returns the CSV of an export that arrives in pieces.
    fn csv_of(export: &str, piece_bytes: usize) -> Result<String> {
        let mut written = Vec::new();
        let mut csv = CsvExport::new(&mut written);
        export.as_bytes().chunks(piece_bytes).try_for_each(|piece| csv.write_all(piece))?;
        csv.finish()?;
        Ok(String::from_utf8(written)?)
    }

    #[test]
    fn an_export_as_csv_can_be_imported_however_it_arrives() {
        let entry = BlockedHash {
            hash: HASH.to_owned(),
            reason: "known, \"clip\"".to_owned(),
            by: "Ada".to_owned(),
            added_at_unix: 1,
            content_uuid: None,
            at_ms: Some(3),
            caught: None,
        };
        let export = format!("{}\n", serde_json::to_string(&entry).unwrap()).repeat(2);
        for piece_bytes in 1..=export.len() {
            let csv = csv_of(&export, piece_bytes).unwrap();
            assert_eq!(csv.matches("\"known, \"\"clip\"\"\",Ada,1,,3\n").count(), 2);
            assert_eq!(HashList::read(ListFormat::Csv, csv.as_bytes()).unwrap().hashes.len(), 1);
        }
    }

    #[test]
    fn an_export_that_ends_early_or_holds_something_else_is_an_error() {
        for export in ["{\"hash\":", "{}\n", "\n"] {
            assert!(csv_of(export, 3).is_err(), "{export}");
        }
        assert_eq!(csv_of("", 3).unwrap(), "");
    }
}
