//! The outcome of an owner's update: read in the transaction that makes it.

use super::owner_changes::OwnedContent;
use super::status::{StoredContent, select_columns};
use crate::ports::database::{Answers, Batch, Database, DatabaseError, Query, Statement};
use contract::{ContentState, ErrorCode, JOB_VERSION, JobMessage};
use serde::Deserialize;

/// The time in which a file has to be stored and committed. Both usually take less than a second.
pub(super) const STORING_SECONDS: u64 = 120;

/// The result of an update.
#[derive(Clone, Debug)]
pub(crate) enum UpdateOutcome {
    Done {
        content: Box<StoredContent>,
        /// The job that has to be sent. If that fails, the sweep sends it.
        job: Option<JobMessage>,
    },
    Refused {
        code: ErrorCode,
        state: ContentState,
    },
    /// The channel has no such content.
    UnknownContent,
}

/// Whether the job of a change waits for an origin, in the queue or because it is held. It makes the change that is
/// wanted when it is claimed.
macro_rules! is_unclaimed {
    () => {
        "(delivery_attempt = 0 AND (thumbnail_change IS 'pending' OR captions_change IS 'pending'))"
    };
}
pub(super) use is_unclaimed;

/// The job that still has to be sent to the queue.
const READ_JOB: &str = "SELECT contents.id AS content_id, contents.uuid AS content_uuid, outbox.generation, traceparent
     FROM contents JOIN outbox ON content_id = contents.id
     WHERE uuid = ?1 AND channel_id = ?2 AND 'pending' IN (thumbnail_change, captions_change)
         AND state IN ('scheduled', 'published')";
const READ_CONTENT: &str = concat!(select_columns!(), " FROM contents WHERE uuid = ?1 AND channel_id = ?2");

/// The state of the content, and the error code if the update was refused.
#[derive(Deserialize)]
struct RefusalRow {
    state: ContentState,
    code: Option<ErrorCode>,
}

#[derive(Deserialize)]
struct JobRow {
    content_id: u64,
    content_uuid: String,
    generation: u64,
    traceparent: Option<String>,
}

/// The queries after the statements of an update.
pub(super) struct OutcomeQueries {
    refusal: Query<RefusalRow>,
    job: Query<JobRow>,
    content: Query<StoredContent>,
}

impl OutcomeQueries {
    /// Adds the queries to the batch. `refusal` selects the columns `state` and `code`.
    pub(super) fn add(batch: &mut Batch, content: OwnedContent<'_>, refusal: Statement) -> Self {
        let read = |sql| Statement::new(sql).bind(content.content_uuid).bind(content.channel_id);
        Self {
            refusal: batch.query(refusal),
            job: batch.query(read(READ_JOB)),
            content: batch.query(read(READ_CONTENT)),
        }
    }

    pub(super) fn read(self, answers: &Answers) -> Result<UpdateOutcome, DatabaseError> {
        let job = answers.first(self.job)?.map(JobRow::into_message);
        Ok(match (answers.first(self.refusal)?, answers.first(self.content)?) {
            (Some(RefusalRow { state, code: Some(code) }), _) => UpdateOutcome::Refused { code, state },
            (Some(RefusalRow { code: None, .. }), Some(content)) => {
                UpdateOutcome::Done { content: Box::new(content), job }
            }
            _ => UpdateOutcome::UnknownContent,
        })
    }
}

impl JobRow {
    fn into_message(self) -> JobMessage {
        let Self { content_id, content_uuid, generation, traceparent } = self;
        JobMessage { version: JOB_VERSION, content_id, content_uuid, generation, traceparent }
    }
}

/// Whether a file has to be stored before an update refers to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reservation {
    /// It is on record, and may be stored now.
    Store,
    /// The content has the same file, or its job is under way.
    Unneeded,
    Refused {
        code: ErrorCode,
        state: ContentState,
    },
    /// The channel has no such content.
    UnknownContent,
}

/// Records a file as garbage, and reads the columns `state`, `code` and `is_new`.
pub(super) async fn reserve_file(
    database: &impl Database,
    record: Statement,
    read: Statement,
) -> Result<Reservation, DatabaseError> {
    #[derive(Deserialize)]
    struct Row {
        state: ContentState,
        code: Option<ErrorCode>,
        is_new: u8,
    }
    let mut batch = Batch::default();
    batch.execute(record);
    let row = batch.query::<Row>(read);
    Ok(match database.run(batch).await?.first(row)? {
        None => Reservation::UnknownContent,
        Some(Row { state, code: Some(code), .. }) => Reservation::Refused { code, state },
        Some(Row { is_new: 0, .. }) => Reservation::Unneeded,
        Some(_) => Reservation::Store,
    })
}
