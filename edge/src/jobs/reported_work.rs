//! The work of a content's latest job, which decides what its report means.

use crate::ports::database::{Database, DatabaseError, Statement};
use contract::job::{JobReport, JobWork};
use serde::Deserialize;

/// The jobs of an approved content change its thumbnail or its captions. That of the thumbnail goes first.
const SELECT: &str = "
    SELECT CASE
        WHEN state NOT IN ('scheduled', 'published') OR coalesce(media_generation, ?2) >= ?2 THEN 'video'
        WHEN thumbnail_change IS NOT 'pending' AND thumbnail_generation IS NOT ?2
            AND (captions_change IS NOT NULL OR captions_generation IS ?2) THEN 'captions'
        WHEN thumbnail_change IS NOT NULL OR thumbnail_generation IS ?2 THEN 'thumbnail'
        ELSE 'video' END AS work
    FROM contents WHERE uuid = ?1 AND generation = ?2";

/// Returns what the latest job of the content makes, or has made.
pub(super) async fn reported_work(database: &impl Database, report: &JobReport) -> Result<JobWork, DatabaseError> {
    #[derive(Deserialize)]
    struct Job {
        work: JobWork,
    }
    let select = Statement::new(SELECT).bind(report.id.content_uuid.as_str()).bind(report.id.generation);
    Ok(database.first::<Job>(select).await?.map_or(JobWork::Video, |job| job.work))
}
