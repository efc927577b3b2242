//! Records the source locations of the Worker's statements while tests run. Only their query plans are checked, not the
//! plans of the tests' own statements. `ops/dev/unit-tests` fails if a location in the source was not recorded.

use std::collections::{BTreeSet, HashMap};
use std::fs::OpenOptions;
use std::io::Write;
use std::panic::Location;
use std::path::Path;
use std::sync::{LazyLock, Mutex, PoisonError};

/// The variable in which `ops/dev/unit-tests` names the file for the locations.
const RECORD: &str = "STATEMENT_SITES";

#[derive(Default)]
struct Sites {
    statements: HashMap<String, bool>,
    places: BTreeSet<(&'static str, u32)>,
    /// The line of each file where its tests begin.
    tests: HashMap<&'static str, u32>,
}

static SITES: LazyLock<Mutex<Sites>> = LazyLock::new(Mutex::default);

/// Records a statement under the place where it is made.
#[track_caller]
pub(crate) fn note(sql: &str) {
    let (file, line) = (Location::caller().file(), Location::caller().line());
    let mut sites = SITES.lock().unwrap_or_else(PoisonError::into_inner);
    let is_own = file.starts_with("edge/src/")
        && !file.contains("tests")
        && !file.contains("/testing/")
        && line < sites.first_test_line(file);
    *sites.statements.entry(sql.to_owned()).or_default() |= is_own;
    if is_own && sites.places.insert((file, line)) {
        record(file, line);
    }
}

/// Whether the statement is the Worker's own.
pub(crate) fn is_own(sql: &str) -> bool {
    SITES.lock().unwrap_or_else(PoisonError::into_inner).statements.get(sql).copied().unwrap_or_default()
}

impl Sites {
    fn first_test_line(&mut self, file: &'static str) -> u32 {
        *self.tests.entry(file).or_insert_with(|| {
            let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
            let source = std::fs::read_to_string(source).unwrap();
            let before = source.lines().take_while(|line| *line != "#[cfg(test)]").count();
            u32::try_from(before).unwrap() + 1
        })
    }
}

fn record(file: &str, line: u32) {
    let Some(record) = std::env::var_os(RECORD) else { return };
    let mut record = OpenOptions::new().create(true).append(true).open(record).unwrap();
    record.write_all(format!("{file}:{line}\n").as_bytes()).unwrap();
}
