//! Lines of the trail, for the transaction of what they tell.

use crate::ports::database::Statement;

/// Returns the statement that adds lines, in a JSON array.
pub(crate) fn insert(lines: &str) -> Statement {
    let insert = Statement::new(
        "INSERT INTO trail (actor, action, subject, detail)
         SELECT value ->> '$.actor', value ->> '$.action', value ->> '$.subject', value ->> '$.detail'
         FROM json_each(?1)",
    );
    insert.bind(lines)
}
