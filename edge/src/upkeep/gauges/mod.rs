//! The state of the service as numbers for its operators, in the text format of Prometheus.
//!
//! `catalogue` lists the gauges, and the query of each, which never reads a whole table. `exposition` writes the
//! format. This folder only reads; it must not depend on HTTP or on the caller.

mod catalogue;
mod exposition;

#[cfg(test)]
mod tests;

pub(crate) use exposition::{Exposition, Kind, Sample};

use crate::base::unix_seconds::UnixSeconds;
use crate::platform::database::{Batch, Database, DatabaseError, Statement};
use catalogue::GAUGES;

/// Adds every number that comes from the database, all of the same moment.
pub(crate) async fn add_gauges(
    page: &mut Exposition,
    database: &impl Database,
    now: UnixSeconds,
) -> Result<(), DatabaseError> {
    let mut batch = Batch::default();
    let queries: Vec<_> = GAUGES.iter().map(|gauge| batch.query::<Sample>(gauge.statement(now))).collect();
    let answers = database.run(batch).await?;
    for (gauge, query) in GAUGES.iter().zip(queries) {
        page.add(gauge.name, gauge.kind, gauge.help, &answers.all(query)?);
    }
    Ok(())
}

impl catalogue::Gauge {
    fn statement(&self, now: UnixSeconds) -> Statement {
        let statement = Statement::new(self.sql);
        // The database rejects a value that the statement does not use.
        if self.sql.contains("?1") { statement.bind(now) } else { statement }
    }
}
