//! A content with its jobs, its captions, and the other facts that the rules need.

use super::content::{Captions, Content};
use super::job::{Job, JobState};
use crate::base::ids::UploadUuid;
use crate::base::unix_seconds::UnixSeconds;
use contract::ContentState;
use contract::api::{AppealState, DecisionAction};
use contract::job::JobWork;
use serde::Deserialize;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Life {
    pub content: Content,
    pub jobs: Vec<Job>,
    pub captions: Vec<Captions>,
    pub facts: Facts,
}

/// Values that rules read but never change.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Facts {
    pub upload_uuid: UploadUuid,
    pub size_bytes: u64,
    pub account_id: u64,
    /// The number of restorations of the database.
    pub epoch: u64,
    /// The time since which a person should look at the content again.
    pub flagged_at_unix: Option<UnixSeconds>,
    /// The state in which its owner deleted it, if it is kept as evidence.
    pub evidence: Option<ContentState>,
    /// The last decision of a moderator, apart from labels.
    pub last_action: Option<DecisionAction>,
    /// The owner's appeal against the latest rejection or removal by a moderator.
    pub appeal: Option<AppealState>,
    pub appeal_text: Option<String>,
    pub appealed_at_unix: Option<UnixSeconds>,
    /// Whether the policy that the content broke may be appealed.
    pub may_be_appealed: u8,
    /// The time at which its owner's account was erased, and the end of the retention of its evidence.
    pub erased_at_unix: Option<UnixSeconds>,
    pub evidence_until_unix: Option<UnixSeconds>,
    /// The channel's changes of contents today, and the upload limit from which their limit is derived.
    pub content_changes: u32,
    pub daily_upload_limit: u32,
    /// The latest turn of the jobs that complete other videos of the channel and still wait.
    pub latest_later_turn_unix: Option<UnixSeconds>,
    /// Whether the command's file is still recorded as stored. The sweep may have deleted a file that came too late.
    pub is_file_stored: u8,
}

impl Life {
    pub(crate) fn job(&self, kind: JobWork) -> Option<&Job> {
        self.jobs.iter().find(|job| job.kind == kind)
    }

    /// Returns the job of this kind, creating it if necessary.
    #[expect(clippy::indexing_slicing, reason = "the job was just found or added")]
    pub(super) fn job_mut(&mut self, kind: JobWork, now: UnixSeconds) -> &mut Job {
        let position = self.jobs.iter().position(|job| job.kind == kind).unwrap_or_else(|| {
            let mut job = Job::new(self.content.id, self.content.channel_id, kind, now);
            job.state = JobState::Done;
            job.traceparent = self.jobs.iter().find_map(|job| job.traceparent.clone());
            self.jobs.push(job);
            self.jobs.len() - 1
        });
        &mut self.jobs[position]
    }

    /// Returns the job with this generation, in any state.
    pub(crate) fn job_of(&self, generation: u64) -> Option<&Job> {
        self.jobs.iter().find(|job| job.generation == generation)
    }

    pub(crate) fn active_job(&self) -> Option<&Job> {
        self.jobs.iter().find(|job| job.is_active())
    }

    pub(crate) fn is_pending(&self, kind: JobWork) -> bool {
        self.job(kind).is_some_and(Job::is_pending)
    }

    /// Whether the owner deleted the content while it was flagged, before a moderator decided.
    pub(crate) fn is_undecided(&self) -> bool {
        let was_approved = matches!(self.facts.evidence, Some(ContentState::Scheduled | ContentState::Published));
        self.content.state == ContentState::Deleted && was_approved
    }

    /// Returns the captions that the owner wants.
    pub(crate) fn wanted_captions(&self) -> impl Iterator<Item = &Captions> {
        self.captions.iter().filter(|captions| captions.is_wanted != 0)
    }
}
