//! The end of a job, as its origin reports it; and what the edge makes of that.
//!
//! Of each generation one report is accepted: a row with its fingerprint is the proof, so a repetition is told from
//! another report and answered as it was. Acceptance, its effect and the evidence are one transaction, which happens
//! only if the blocklist is still the one that the report was compared with.

use crate::database::{Database, DatabaseError, Statement, first_row};
use crate::hash::sha256_hex;
use crate::moderation::screen::{Screening, screen};
use contract::job::{JobOutcome, JobReport, ReportAnswer, StoredMedia};
use contract::moderation::{Finding, Verdict, verdict};
use contract::{ContentState, ErrorCode, Event};
use serde::{Deserialize, Serialize};

/// People add a hash now and then, never so often that a report meets a new list each time.
const ATTEMPTS: u32 = 5;
/// More than that of an explanation, nobody reads.
const MAX_DETAIL_CHARACTERS: usize = 500;

/// What a report leads to.
#[derive(Debug, PartialEq)]
enum Fate<'a> {
    /// It is shown, at once or at its time.
    Approved(&'a StoredMedia),
    /// It stays as it is until a check can be made, or a person has looked.
    Waits {
        media: &'a StoredMedia,
        waits_for: &'static str,
    },
    Ended {
        event: Event,
        code: ErrorCode,
        detail: String,
    },
}

/// Takes a sound report of the origin that has the job.
pub async fn report(
    database: &impl Database,
    report: &JobReport,
    now_unix: u64,
) -> Result<ReportAnswer, DatabaseError> {
    for _ in 0..ATTEMPTS {
        let screening = match &report.outcome {
            JobOutcome::Processed { frames, .. } => screen(database, frames).await?,
            _ => Screening::default(),
        };
        if let Some(answer) = take(database, report, screening, now_unix).await? {
            return Ok(answer);
        }
    }
    let reason = "the blocklist changed each time a report was compared with it";
    Err(DatabaseError::Unavailable(reason.to_owned()))
}

/// Takes it with what the edge itself found; `None` when the blocklist is another by now.
async fn take(
    database: &impl Database,
    report: &JobReport,
    screening: Screening,
    now_unix: u64,
) -> Result<Option<ReportAnswer>, DatabaseError> {
    #[derive(Deserialize)]
    struct Answer {
        state: ContentState,
        accepted: u8,
        is_same_list: u8,
    }
    let outcome = with_finding(report.outcome.clone(), screening.finding);
    let fence = Fence {
        report,
        outcome: &outcome,
        blocklist_version: screening.version,
        fingerprint: sha256_hex(json(report)?.as_bytes()),
        now_unix,
    };
    let fate = fate(&outcome);
    let mut statements = vec![fence.accept(), fence.apply(&fate)?];
    if let JobOutcome::Processed {
        findings, frames, ..
    } = &outcome
    {
        statements.push(fence.keep(KEEP_FINDINGS, findings)?);
        // Nobody asks for the frames of what is decided already, and those of all contents would fill the database.
        if matches!(fate, Fate::Waits { .. }) {
            statements.push(fence.keep(KEEP_FRAMES, frames)?);
        }
    }
    statements.push(fence.read());
    let answer: Option<Answer> = first_row(database.batch(statements).await?.last())?;
    let is_settled = |answer: &Answer| answer.accepted != 0 || answer.is_same_list != 0;
    Ok(match answer {
        Some(answer) if !is_settled(&answer) => None,
        answer => Some(ReportAnswer {
            accepted: answer.as_ref().is_some_and(|answer| answer.accepted != 0),
            state: answer.map(|answer| answer.state),
        }),
    })
}

fn with_finding(mut outcome: JobOutcome, found: Option<Finding>) -> JobOutcome {
    if let JobOutcome::Processed { findings, .. } = &mut outcome {
        findings.extend(found);
    }
    outcome
}

fn fate(outcome: &JobOutcome) -> Fate<'_> {
    match outcome {
        JobOutcome::Processed {
            media, findings, ..
        } => match verdict(findings) {
            Verdict::Pass => Fate::Approved(media),
            Verdict::Wait => Fate::Waits {
                media,
                waits_for: "check",
            },
            Verdict::Review => Fate::Waits {
                media,
                waits_for: "person",
            },
            Verdict::Reject => Fate::Ended {
                event: Event::Refused,
                code: ErrorCode::ContentModerationRejected,
                detail: ErrorCode::ContentModerationRejected.text().to_owned(),
            },
        },
        JobOutcome::Refused { code, detail } => Fate::Ended {
            event: Event::Refused,
            code: *code,
            detail: bounded(detail, *code),
        },
        JobOutcome::Failed { detail } => Fate::Ended {
            event: Event::GivenUp,
            code: ErrorCode::ContentProcessingFailed,
            detail: bounded(detail, ErrorCode::ContentProcessingFailed),
        },
    }
}

/// What the origin says, or what the code says where it says nothing.
fn bounded(detail: &str, code: ErrorCode) -> String {
    match detail.trim() {
        "" => code.text().to_owned(),
        detail => detail.chars().take(MAX_DETAIL_CHARACTERS).collect(),
    }
}

/// Where an event leads a content that is being processed.
fn state_after(event: Event) -> Option<&'static str> {
    ContentState::Processing
        .after(event)
        .map(ContentState::as_str)
}

/// The condition under which an accepted report takes effect: its job is still open.
macro_rules! if_accepted {
    () => {
        " WHERE uuid = ?1 AND generation = ?2 AND state = 'processing' AND waits_for IS NULL
             AND EXISTS (SELECT 1 FROM reports
                 WHERE content_id = contents.id AND generation = ?2 AND fingerprint = ?3)"
    };
}

const APPROVE: &str = concat!(
    "UPDATE contents SET state = CASE WHEN scheduled_publish_at_unix > ?4 THEN ?5 ELSE ?6 END,
         published_at_unix = CASE WHEN scheduled_publish_at_unix > ?4 THEN NULL ELSE ?4 END,
         finished_at_unix = ?4, media = ?7, media_generation = generation,
         claimed_by = NULL, claim_ends_at_unix = NULL",
    if_accepted!()
);
const WAIT: &str = concat!(
    "UPDATE contents SET waits_for = ?5, waits_since_unix = ?4, waits = waits + (?5 = 'check'), stage = 'moderate',
         media = ?6, media_generation = generation, claimed_by = NULL, claim_ends_at_unix = NULL",
    if_accepted!()
);
const END: &str = concat!(
    "UPDATE contents SET state = ?5, error_code = ?6, error_detail = ?7, finished_at_unix = ?4,
         claimed_by = NULL, claim_ends_at_unix = NULL",
    if_accepted!()
);

const KEEP_FINDINGS: &str = "INSERT INTO findings
         (content_id, generation, number, check_name, verdict, from_ms, until_ms, score, note)
     SELECT content_id, reports.generation, key, json_extract(value, '$.check'), json_extract(value, '$.verdict'),
         json_extract(value, '$.from_ms'), json_extract(value, '$.until_ms'), json_extract(value, '$.score'),
         json_extract(value, '$.note')
     FROM reports JOIN contents ON contents.id = content_id JOIN json_each(?4)
     WHERE uuid = ?1 AND reports.generation = ?2 AND fingerprint = ?3 AND blocklist_version IS ?5
     ON CONFLICT DO NOTHING";
const KEEP_FRAMES: &str = "INSERT INTO frame_hashes (content_id, generation, number, at_ms, hash)
     SELECT content_id, reports.generation, key, json_extract(value, '$.at_ms'), json_extract(value, '$.hash')
     FROM reports JOIN contents ON contents.id = content_id JOIN json_each(?4)
     WHERE uuid = ?1 AND reports.generation = ?2 AND fingerprint = ?3 AND blocklist_version IS ?5
     ON CONFLICT DO NOTHING";

struct Fence<'a> {
    report: &'a JobReport,
    /// What it says, and what the edge itself found.
    outcome: &'a JobOutcome,
    blocklist_version: Option<u64>,
    /// Of the report as it was sent.
    fingerprint: String,
    now_unix: u64,
}

impl Fence<'_> {
    /// The one report of the generation, from the origin that has it.
    fn accept(&self) -> Statement {
        let (kind, verdict) = match self.outcome {
            JobOutcome::Processed { findings, .. } => ("processed", Some(verdict(findings))),
            JobOutcome::Refused { .. } => ("refused", None),
            JobOutcome::Failed { .. } => ("failed", None),
        };
        self.fenced(
            "INSERT INTO reports
                 (content_id, generation, origin, fingerprint, kind, verdict, received_at_unix, blocklist_version)
             SELECT id, generation, claimed_by, ?3, ?5, ?6, ?7, ?8 FROM contents
             WHERE uuid = ?1 AND generation = ?2 AND claimed_by = ?4 AND state = 'processing' AND waits_for IS NULL
                 AND (?8 IS NULL OR ?8 = (SELECT version FROM blocklist_version))
             ON CONFLICT DO NOTHING",
        )
        .bind(self.report.id.origin.as_str())
        .bind(kind)
        .bind(verdict.map(Verdict::as_str))
        .bind(self.now_unix)
        .bind(self.blocklist_version)
    }

    fn apply(&self, fate: &Fate<'_>) -> Result<Statement, DatabaseError> {
        let timed = |sql| self.fenced(sql).bind(self.now_unix);
        Ok(match fate {
            Fate::Approved(media) => timed(APPROVE)
                .bind(state_after(Event::ApprovedForLater))
                .bind(state_after(Event::Approved))
                .bind(json(media)?),
            Fate::Waits { media, waits_for } => timed(WAIT).bind(*waits_for).bind(json(media)?),
            Fate::Ended {
                event,
                code,
                detail,
            } => timed(END)
                .bind(state_after(*event))
                .bind(code.as_str())
                .bind(detail.as_str()),
        })
    }

    fn keep(
        &self,
        sql: &'static str,
        evidence: &impl Serialize,
    ) -> Result<Statement, DatabaseError> {
        let kept = self.fenced(sql).bind(json(evidence)?);
        Ok(kept.bind(self.blocklist_version))
    }

    fn read(&self) -> Statement {
        self.fenced(
            "SELECT state, EXISTS (SELECT 1 FROM reports
                     WHERE content_id = contents.id AND generation = ?2 AND fingerprint = ?3) AS accepted,
                 coalesce(?4 = (SELECT version FROM blocklist_version), 1) AS is_same_list
             FROM contents WHERE uuid = ?1",
        )
        .bind(self.blocklist_version)
    }

    fn fenced(&self, sql: &'static str) -> Statement {
        Statement::new(sql)
            .bind(self.report.id.content_uuid.as_str())
            .bind(self.report.id.generation)
            .bind(self.fingerprint.as_str())
    }
}

fn json(value: &impl Serialize) -> Result<String, DatabaseError> {
    serde_json::to_string(value).map_err(|error| DatabaseError::Shape(error.to_string()))
}
