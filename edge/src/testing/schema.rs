//! Rules that the schema of the migrated database keeps.

use crate::platform::database::{Database, Statement};
use crate::testing::document::check_document;
use crate::testing::sqlite::Sqlite;
use futures_executor::block_on;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Every index of every table, including the indexes of primary keys and `UNIQUE` columns.
///
/// `key` leaves out the columns that SQLite appends to every index to find the row in its table.
const INDEXES: &str = "
    SELECT indexes.name AS name, tables.name AS table_name, indexes.sql AS sql,
        (SELECT group_concat(coalesce(name, indexes.sql) || ' ' || coll || iif(desc, ' DESC', ''), ', ' ORDER BY seqno)
            FROM pragma_index_xinfo(listed.name) WHERE key) AS columns
    FROM sqlite_schema AS tables
    JOIN pragma_index_list(tables.name) AS listed
    JOIN sqlite_schema AS indexes ON indexes.name = listed.name
    WHERE tables.type = 'table'";

#[derive(Debug, Deserialize)]
struct Index {
    name: String,
    table_name: String,
    columns: String,
    /// Null for the index of a primary key or of a `UNIQUE` column.
    sql: Option<String>,
}

impl Index {
    /// Returns what the index contains: its table, its columns, and which rows.
    fn definition(&self) -> String {
        let words: Vec<_> = self.sql.iter().flat_map(|sql| sql.split_whitespace()).collect();
        let condition = words.iter().position(|word| *word == "WHERE").map_or(&[][..], |at| &words[at..]);
        format!("{} ({}) {}", self.table_name, self.columns, condition.join(" "))
    }
}

/// A second equal index would cost another write per row for no benefit.
#[test]
fn no_two_indexes_have_the_same_definition() {
    let mut names = BTreeMap::<String, Vec<String>>::new();
    for index in block_on(Sqlite::migrated().all::<Index>(Statement::new(INDEXES))).unwrap() {
        names.entry(index.definition()).or_default().push(index.name);
    }
    let by_schedule = "contents (scheduled_publish_at_unix BINARY) WHERE state = 'scheduled' AND needs_release = 0";
    assert!(names.contains_key(by_schedule), "{names:#?}");
    names.retain(|_, same| same.len() > 1);
    assert!(names.is_empty(), "{names:#?}");
}

/// A new table requires documentation of how long its rows are kept.
#[test]
fn the_document_about_personal_data_has_exactly_the_tables_of_the_database() {
    #[derive(Deserialize)]
    struct Table {
        name: String,
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/privacy.md");
    let text = std::fs::read_to_string(path).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
    let documented: BTreeSet<_> = rows.map(|(name, _)| name.to_owned()).collect();
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    let tables = block_on(Sqlite::migrated().all::<Table>(Statement::new(tables))).unwrap();
    assert_eq!(documented, tables.into_iter().map(|table| table.name).collect());
}

/// Tables whose rows only count or date other rows.
const COUNTERS: [&str; 7] =
    ["daily_usage", "content_counts", "row_counts", "flags", "blocklist_version", "blocklist_additions", "webhooks"];
/// Tables that record what happened to rows of other tables.
const JOURNALS: [&str; 3] = ["trail", "trail_places", "removals"];

#[derive(Deserialize)]
struct Trigger {
    name: String,
    table_name: String,
    sql: String,
}

impl Trigger {
    /// Returns the tables that the trigger writes.
    fn written(&self) -> BTreeSet<String> {
        let words: Vec<&str> = self.sql.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect();
        let body = words.iter().position(|word| *word == "BEGIN").map_or(&[][..], |at| &words[at..]);
        let pairs = body.windows(3).filter_map(|words| match words {
            ["INSERT", "INTO", table] | ["DELETE", "FROM", table] | ["UPDATE", table, "SET"] => Some(*table),
            _ => None,
        });
        pairs.filter(|table| *table != "SET").map(str::to_owned).collect()
    }

    /// Returns the trigger's kind: a guard refuses, a counter counts, and a journal records.
    fn kind(&self) -> &'static str {
        let written = self.written();
        if self.sql.contains("raise(") && written.is_empty() {
            "guard"
        } else if written.iter().all(|table| COUNTERS.contains(&table.as_str())) {
            "counter"
        } else if written.iter().all(|table| JOURNALS.contains(&table.as_str())) {
            "journal"
        } else {
            "workflow"
        }
    }
}

/// The schema must not hide consequences of changes: `life` and its callers decide those.
#[test]
fn triggers_only_refuse_count_and_record() {
    let triggers = "SELECT name, tbl_name AS table_name, sql FROM sqlite_schema
        WHERE type = 'trigger' ORDER BY tbl_name, name";
    let triggers = block_on(Sqlite::migrated().all::<Trigger>(Statement::new(triggers))).unwrap();
    let mut text = format!(
        "# Triggers of the database\n\n\
         Generated by `make docs` from `edge/migrations`: {} triggers. A guard refuses a change, a counter follows the \
         number, the time or the state of rows, and a journal records what happened. No trigger starts, sends, shows or releases \
         anything.\n\n\
         | Trigger | Table | Kind | Writes |\n|---|---|---|---|\n",
        triggers.len()
    );
    for trigger in &triggers {
        let written: Vec<String> = trigger.written().iter().map(|table| format!("`{table}`")).collect();
        let (name, table, written) = (&trigger.name, &trigger.table_name, written.join(", "));
        writeln!(text, "| `{name}` | `{table}` | {} | {written} |", trigger.kind()).unwrap();
    }
    assert!(triggers.iter().all(|trigger| trigger.kind() != "workflow"), "{text}");
    assert!(triggers.len() <= 45, "{text}");
    check_document("docs/triggers.md", &text);
}
