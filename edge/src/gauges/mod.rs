//! The state of the service as numbers for its operators, in the text format of Prometheus.
//!
//! `catalogue` says which numbers there are and how the database answers each without reading a whole table.
//! `exposition` writes the format. This folder only reads; it knows neither HTTP nor who asks.

mod catalogue;
mod exposition;

#[cfg(test)]
mod tests;

pub(crate) use exposition::{Exposition, Kind, Sample};

use crate::ports::database::{Batch, Database, DatabaseError, Statement};
use crate::unix_seconds::UnixSeconds;
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
        // The database refuses a value that the statement does not use.
        if self.sql.contains("?1") { statement.bind(now) } else { statement }
    }
}
