//! Checks the query plans of statements and of the triggers that they run: none may scan or sort a table that grows.

use crate::platform::database::Value;
use rusqlite::Connection;

/// The tables whose size does not depend on the use of the service. Additions to the blocklist are packed into
/// segments, and a segment has 32,768 hashes.
const SMALL: [&str; 13] = [
    "content_transitions",
    "super_categories",
    "policies",
    "blocklist_version",
    "blocklist_additions",
    "blocklist_segments",
    "content_counts",
    "row_counts",
    "sweep_parts",
    "request_place",
    "removal_log",
    "recheck",
    "sqlite_sequence",
];

/// Steps that are allowed in a statement: the beginning of the step, and a part of the statement.
const ALLOWED: [(&str, &str); 10] = [
    // A page of the first rows, bounded by its limit.
    ("SCAN events", "FROM events ORDER BY id LIMIT ?2)"),
    // A page of the last rows, bounded by its limit.
    ("SCAN reports", "FROM reports ORDER BY content_id DESC LIMIT 40)"),
    // Only the webhooks that have deliveries due now.
    ("USE TEMP B-TREE FOR ORDER BY", "FROM webhooks WHERE due_at_unix <= ?1"),
    // The frames and the findings of one content.
    ("USE TEMP B-TREE FOR GROUP BY", "GROUP BY hash ON CONFLICT"),
    ("USE TEMP B-TREE FOR json_group_array(ORDER BY)", "FROM findings"),
    // The videos with one file, and those that one hash has caught, bounded by their limits.
    ("USE TEMP B-TREE FOR ORDER BY", "FROM blocked_files WHERE sha256 = ?1 LIMIT 1000"),
    ("USE TEMP B-TREE FOR ORDER BY", "FROM blocklist_catches WHERE hash = ?1"),
    // The keys that one account has deleted and replaced.
    ("USE TEMP B-TREE FOR ORDER BY", "removals ON kind IN ('key', 'channel')"),
    // The removals that a restored database has to repeat.
    ("USE TEMP B-TREE", "FROM pending_removals JOIN"),
    // The channels that have jobs to release.
    ("USE TEMP B-TREE FOR ORDER BY", "WITH RECURSIVE busy AS"),
];

/// A step of a plan. Its parent is another step of the same program: the statement, or one of the triggers.
#[derive(Debug)]
struct Step {
    program: usize,
    parent: i64,
    detail: String,
}

pub(crate) struct QueryPlan {
    steps: Vec<Step>,
    /// The names of views and subqueries. Their rows are found by other steps.
    computed: Vec<String>,
}

impl QueryPlan {
    /// Plans a statement for its values. The connection lists the plans of triggers too.
    pub(crate) fn of(connection: &Connection, sql: &str, values: &[Value]) -> rusqlite::Result<Self> {
        let mut prepared = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
        let mut rows = prepared.query(rusqlite::params_from_iter(values))?;
        let (mut steps, mut program) = (Vec::new(), 0);
        while let Some(row) = rows.next()? {
            let detail: String = row.get(3)?;
            program += usize::from(detail.starts_with("-- TRIGGER"));
            steps.push(Step { program, parent: row.get(1)?, detail });
        }
        let mut views = connection.prepare_cached("SELECT name FROM sqlite_schema WHERE type = 'view'")?;
        let mut computed: Vec<String> = views.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let name = |step: &Step| {
            let rest = step.detail.strip_prefix("MATERIALIZE ").or_else(|| step.detail.strip_prefix("CO-ROUTINE "));
            rest.map(str::to_owned)
        };
        computed.extend(steps.iter().filter_map(name));
        Ok(Self { steps, computed })
    }

    /// Returns the steps, one per line.
    pub(crate) fn lines(&self) -> String {
        self.steps.iter().map(|step| step.detail.clone() + "\n").collect()
    }

    /// Returns the steps whose cost grows with a table, unless they are allowed: steps that scan a whole table, and
    /// steps that sort rows that were not found by a unique key.
    pub(crate) fn growing_steps(&self, connection: &Connection, sql: &str) -> Vec<String> {
        let sql = sql.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_allowed =
            |step: &Step| ALLOWED.iter().any(|(allowed, part)| step.detail.starts_with(allowed) && sql.contains(part));
        let growing = self.steps.iter().filter(|step| self.is_scan(step, connection) || self.is_sort(step, connection));
        growing.filter(|step| !is_allowed(step)).map(|step| self.describe(step)).collect()
    }

    /// Whether the step reads every row of a table that grows. A partial index has only the rows in question.
    fn is_scan(&self, step: &Step, connection: &Connection) -> bool {
        let Some(rest) = step.detail.strip_prefix("SCAN ") else { return false };
        let name = rest.split(' ').next().unwrap_or_default();
        let is_constant = rest == "CONSTANT ROW" || rest.contains("VIRTUAL TABLE") || name.starts_with('(');
        let is_partial = index_of(rest).is_some_and(|index| has_index(connection, index, "partial"));
        !is_constant && !is_partial && !SMALL.contains(&name) && !self.is_computed(name)
    }

    /// Whether the step sorts or indexes the rows of a table that grows.
    fn is_sort(&self, step: &Step, connection: &Connection) -> bool {
        let many = |source: &Step| {
            let Some(rest) = source.detail.strip_prefix("SEARCH ") else { return false };
            !self.is_computed(rest.split(' ').next().unwrap_or_default()) && !is_unique(rest, connection)
        };
        let is_automatic = step.detail.contains("AUTOMATIC") && many(step);
        is_automatic || (step.detail.starts_with("USE TEMP B-TREE") && self.loops_of(step).any(many))
    }

    fn is_computed(&self, name: &str) -> bool {
        self.computed.iter().any(|computed| computed == name)
    }

    /// Returns the loops whose rows a step sorts.
    fn loops_of<'a>(&'a self, sort: &'a Step) -> impl Iterator<Item = &'a Step> {
        self.steps.iter().filter(|step| (step.program, step.parent) == (sort.program, sort.parent))
    }

    fn describe(&self, step: &Step) -> String {
        let trigger =
            self.steps.iter().rev().find(|other| {
                other.program == step.program && step.program > 0 && other.detail.starts_with("-- TRIGGER")
            });
        let place = trigger.map(|trigger| format!("{}: ", trigger.detail)).unwrap_or_default();
        let loops: Vec<&str> = self.loops_of(step).map(|source| source.detail.as_str()).collect();
        if step.detail.starts_with("USE TEMP") {
            format!("{place}{} of {loops:?}", step.detail)
        } else {
            format!("{place}{}", step.detail)
        }
    }
}

/// Whether a search finds at most one row for each row of the loops around it.
fn is_unique(search: &str, connection: &Connection) -> bool {
    let Some((access, conditions)) = search.split_once(" (") else { return false };
    let equal = conditions.matches("=?").count();
    let table = search.split(' ').next().unwrap_or_default();
    if conditions.contains(['<', '>']) {
        return false;
    }
    if let Some(index) = index_of(search) {
        let columns = "SELECT count(*) FROM pragma_index_info(?1)";
        return has_index(connection, index, "unique") && number(connection, columns, index) == equal;
    }
    let key_columns = "SELECT count(*) FROM pragma_table_info(?1) WHERE pk > 0";
    access.ends_with("INTEGER PRIMARY KEY")
        || (access.ends_with("PRIMARY KEY") && number(connection, key_columns, table) == equal)
}

/// Returns the index that a step uses.
fn index_of(step: &str) -> Option<&str> {
    step.split_once(" INDEX ")?.1.split(' ').next()
}

/// Whether there is an index of this name and this kind: `partial` or `unique`.
fn has_index(connection: &Connection, index: &str, kind: &str) -> bool {
    let found = format!(
        "SELECT count(*) FROM sqlite_schema AS tables, pragma_index_list(tables.name) AS indexes
         WHERE tables.type = 'table' AND indexes.name = ?1 AND indexes.\"{kind}\" = 1"
    );
    number(connection, &found, index) > 0
}

fn number(connection: &Connection, sql: &str, parameter: &str) -> usize {
    let number = connection.query_row(sql, [parameter], |row| row.get::<_, u32>(0));
    number.unwrap().try_into().unwrap()
}

#[cfg(test)]
mod tests {
    use crate::platform::database::{Database, Statement};
    use crate::testing::sqlite::Sqlite;
    use futures_executor::block_on;
    use serde::Deserialize;

    #[derive(Deserialize)]
    struct Name {
        name: String,
    }

    fn names(database: &Sqlite, sql: &'static str) -> Vec<String> {
        let names: Vec<Name> = block_on(database.all(Statement::new(sql))).unwrap();
        names.into_iter().map(|row| row.name).collect()
    }

    /// Returns statements that run every trigger and every check of a foreign key of a table. Channels are never
    /// deleted, and keep their ids.
    fn changes_of(database: &Sqlite, table: &str) -> Vec<String> {
        let columns = |sql| -> Vec<Name> { block_on(database.all(Statement::new(sql).bind(table))).unwrap() };
        let key = columns("SELECT name FROM pragma_table_info(?1) WHERE pk = 1").remove(0).name;
        let settable = columns("SELECT name FROM pragma_table_info(?1) WHERE pk = 0 OR ?1 <> 'channels'");
        let set: Vec<String> = settable.into_iter().map(|Name { name }| format!("{name} = {name}")).collect();
        let mut changes = vec![
            format!("INSERT INTO {table} DEFAULT VALUES"),
            format!("UPDATE {table} SET {} WHERE {key} = 1", set.join(", ")),
        ];
        if table != "channels" {
            changes.push(format!("DELETE FROM {table} WHERE {key} = 1"));
        }
        changes
    }

    #[test]
    fn no_trigger_reads_more_the_longer_the_past_of_the_service_is() {
        let database = Sqlite::migrated();
        let (mut plans, mut growing) = (String::new(), Vec::new());
        for table in
            names(&database, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        {
            for change in changes_of(&database, &table) {
                let (plan, steps) = database.plan_of(&change);
                growing.extend(steps.into_iter().map(|step| format!("{change}: {step}")));
                plans += &plan;
            }
        }
        assert!(growing.is_empty(), "{growing:#?}");
        for trigger in names(&database, "SELECT name FROM sqlite_schema WHERE type = 'trigger'") {
            assert!(plans.contains(&format!("-- TRIGGER {trigger}\n")), "{trigger} was not planned");
        }
    }

    #[test]
    fn reading_a_whole_table_and_sorting_the_rows_of_a_channel_are_found() {
        let database = Sqlite::migrated();
        for (sql, found) in [
            ("SELECT id FROM contents WHERE caption = 'x'", "SCAN contents"),
            ("SELECT id FROM contents AS earlier WHERE caption = 'x'", "SCAN earlier"),
            ("SELECT id FROM contents WHERE channel_id = 1 ORDER BY id DESC LIMIT 1", "USE TEMP B-TREE FOR ORDER BY"),
        ] {
            let (_, growing) = database.plan_of(sql);
            assert!(growing.len() == 1 && growing[0].starts_with(found), "{growing:?}: {sql}");
        }
        for sql in [
            "SELECT id FROM contents WHERE uuid = 'x' ORDER BY id",
            "SELECT id FROM contents WHERE channel_id = 1 ORDER BY created_at_unix DESC, id DESC LIMIT 1",
        ] {
            assert!(database.plan_of(sql).1.is_empty(), "{sql}");
        }
    }
}
