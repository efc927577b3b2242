//! Lines of the trail, for the transaction of the change that they record.

use crate::platform::database::Statement;

/// Returns the statement that adds lines, given as a JSON array.
pub(crate) fn insert(lines: &str) -> Statement {
    let insert = Statement::new(
        "INSERT INTO trail (actor, action, subject, detail)
         SELECT value ->> '$.actor', value ->> '$.action', value ->> '$.subject', value ->> '$.detail'
         FROM json_each(?1)",
    );
    insert.bind(lines)
}
