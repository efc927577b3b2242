//! Reads the entries of a list.

use super::{Entry, HashList, parse_hash};
use anyhow::{Context, Result, bail};
use csv::StringRecord;
use serde_json::Value;
use std::io::BufRead;

const HASH_NAMES: [&str; 3] = ["hash", "pdq", "pdq_hash"];
const TYPE_NAMES: [&str; 2] = ["hash_type", "type"];
const QUALITY_NAMES: [&str; 1] = ["quality"];

pub(super) fn json_lines(text: impl BufRead) -> Result<HashList> {
    let mut list = HashList::default();
    for (line, number) in text.lines().zip(1_u64..) {
        let line = line?;
        if !line.trim().is_empty() {
            json_entry(&line).and_then(|entry| list.add(entry)).with_context(|| format!("line {number}"))?;
        }
    }
    Ok(list)
}

fn json_entry(line: &str) -> Result<Entry> {
    let value: Value = serde_json::from_str(line)?;
    if let Value::String(hash) = value {
        return Ok(Entry { hash, ..Entry::default() });
    }
    Ok(Entry {
        hash: json_text(&value, &HASH_NAMES)?.context("the object has no `hash`, `pdq` or `pdq_hash`")?,
        quality: json_text(&value, &QUALITY_NAMES)?,
        kind: json_text(&value, &TYPE_NAMES)?,
    })
}

/// Returns the text of the first of these members that is present. A number becomes its digits.
fn json_text(value: &Value, names: &[&str]) -> Result<Option<String>> {
    match names.iter().map(|name| &value[name]).find(|member| !member.is_null()) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(Value::Number(number)) => Ok(Some(number.to_string())),
        Some(other) => bail!("{other} must be text or a number"),
    }
}

pub(super) fn csv(text: impl BufRead) -> Result<HashList> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).trim(csv::Trim::All).from_reader(text);
    let (mut list, mut columns) = (HashList::default(), None);
    for row in reader.records() {
        let row = row?;
        let line = || format!("line {}", row.position().map_or(0, csv::Position::line));
        let is_first = columns.is_none();
        let columns = match &mut columns {
            Some(columns) => columns,
            none => none.insert(Columns::of(&row).with_context(line)?),
        };
        if !(is_first && columns.are_named) {
            list.add(columns.entry(&row)).with_context(line)?;
        }
    }
    Ok(list)
}

/// The columns of a CSV file.
struct Columns {
    are_named: bool,
    hash: usize,
    quality: Option<usize>,
    kind: Option<usize>,
}

impl Columns {
    /// Returns the columns that the first row names, or the single column of a list without a header.
    fn of(first: &StringRecord) -> Result<Self> {
        if first.get(0).is_some_and(|cell| parse_hash(cell).is_ok()) {
            return Ok(Self { are_named: false, hash: 0, quality: None, kind: None });
        }
        let find = |names: &[&str]| first.iter().position(|cell| names.contains(&cell.to_lowercase().as_str()));
        let hash = find(&HASH_NAMES).context("no column is named `hash`, `pdq` or `pdq_hash`")?;
        Ok(Self { are_named: true, hash, quality: find(&QUALITY_NAMES), kind: find(&TYPE_NAMES) })
    }

    fn entry(&self, row: &StringRecord) -> Entry {
        let cell = |column: usize| row.get(column).filter(|cell| !cell.is_empty()).map(str::to_owned);
        Entry {
            hash: cell(self.hash).unwrap_or_default(),
            quality: self.quality.and_then(cell),
            kind: self.kind.and_then(cell),
        }
    }
}
