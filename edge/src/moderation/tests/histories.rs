//! Random histories of moderators, an owner, origins and viewers, compared with a model.
//!
//! Nothing is public without an approval, or before its owner has released it if that is needed. Nothing that was
//! removed comes back unless a moderator restores it, a revoked origin has no effect, every effect has exactly one line
//! in the trail, and an owner can appeal once against each removal by a moderator.

use crate::base::ids::{ChannelId, ContentUuid};
use crate::contents::media_path::MediaPath;
use crate::contents::owner_changes::{ChangeOutcome, OwnedContent, appeal, delete, publish_now, release};
use crate::jobs::origin_keys;
use crate::jobs::tests::processed;
use crate::jobs::tests::scene::{NOON, Row, Scene, uuid};
use crate::moderation::decisions::{BrokenPolicy, DecisionKind, DecisionRequest, decide};
use crate::moderation::flags::{ViewerReport, dismiss, record_report};
use crate::moderation::suspensions::{ChannelChange, lift_suspension, suspend};
use crate::people::staff::trail;
use crate::platform::batch_frame::BatchFrame;
use crate::platform::entropy::Entropy;
use crate::platform::entropy::testing::Seeded;
use crate::platform::signer::Signer;
use crate::testing::framed_batch;
use crate::viewing::access::Viewer;
use crate::viewing::stored_file;
use contract::moderation::Recommendation::{Pass, Reject, Review};
use contract::{ContentState, MediaFile};
use futures_executor::block_on;

const HISTORIES: u64 = 400;
const DEEP_HISTORIES: u64 = 20_000;
const STEPS: usize = 16;
const ORIGINS: [&str; 2] = ["a", "b"];
const EVIDENCE_SECONDS: u64 = 90 * 86_400;
const PENDING: &str = "SELECT count(*) AS number FROM appeals WHERE state = 'pending'";
const CHANNEL_CHANGE: ChannelChange<'_> = ChannelChange { channel_id: ChannelId(1), reason: "r", by: "m" };

fn owned(uuid: &ContentUuid) -> OwnedContent<'_> {
    OwnedContent { channel_id: ChannelId(1), content_uuid: uuid }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// An origin claims the job and reports it.
    Work {
        origin: usize,
        outcome: usize,
    },
    MakeKey(usize),
    EndKey(usize),
    Decide(DecisionKind),
    Delete,
    Appeal,
    PublishNow,
    Release,
    Report {
        viewer: usize,
    },
    Dismiss,
    Suspend,
    LiftSuspension,
    Requeue,
    Sweep,
    Pass,
}

/// The facts about one history that are not in the content's row.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct History {
    scene: Scene,
    entropy: Seeded,
    /// The origins' valid keys.
    keys: [Option<u64>; 2],
    is_suspended: bool,
    /// Whether the content was approved and not removed since.
    is_approved: bool,
    /// Whether its owner has to release it.
    needs_release: bool,
    /// Whether a moderator removed it, and its owner has not appealed.
    may_appeal: bool,
    /// The actions that the trail must contain, in this order.
    lines: Vec<&'static str>,
    steps: Vec<Step>,
}

impl History {
    fn new(seed: u64) -> Self {
        let mut entropy = Seeded::new(seed);
        let schedule = [None, Some(NOON + 200)][below(&mut entropy, 2)];
        let needs_release = below(&mut entropy, 2) == 0;
        let scene = if needs_release { Scene::unreleased(schedule) } else { Scene::scheduled(schedule) };
        let (keys, lines, steps) = ([None; 2], Vec::new(), Vec::new());
        let (is_suspended, is_approved, may_appeal) = (false, false, false);
        Self { scene, entropy, keys, is_suspended, is_approved, needs_release, may_appeal, lines, steps }
    }

    fn run(&mut self) {
        self.perform(Step::MakeKey(0));
        // In the end, every publication is due.
        for last in [None; STEPS].into_iter().chain([Some(Step::Pass), Some(Step::Sweep)]) {
            let step = last.unwrap_or_else(|| self.next_step());
            self.steps.push(step);
            let before = self.scene.row();
            self.perform(step);
            self.check(step, &before);
        }
    }

    fn next_step(&mut self) -> Step {
        let mut any = |bound| below(&mut self.entropy, bound);
        match any(23) {
            0..5 => Step::Work { origin: any(2), outcome: any(3) },
            5 => Step::MakeKey(any(2)),
            6 => Step::EndKey(any(2)),
            7..12 => {
                let kinds = [
                    DecisionKind::Approve,
                    DecisionKind::Reject,
                    DecisionKind::TakeDown,
                    DecisionKind::Restore,
                    DecisionKind::RejectAppeal,
                ];
                Step::Decide(kinds[any(5)])
            }
            12 => Step::Delete,
            13 => Step::PublishNow,
            20 => Step::Release,
            21 | 22 => Step::Appeal,
            14 => Step::Report { viewer: any(3) },
            15 => Step::Dismiss,
            16 => Step::Suspend,
            17 => Step::LiftSuspension,
            18 => [Step::Requeue, Step::Pass][any(2)],
            _ => Step::Sweep,
        }
    }

    /// Performs a step, and records the line that the trail must get.
    fn perform(&mut self, step: Step) {
        match step {
            Step::Work { origin, outcome } => self.work(origin, outcome),
            Step::MakeKey(origin) => self.make_key(origin),
            Step::EndKey(origin) => self.end_key(origin),
            Step::Decide(kind) => self.decide(kind),
            Step::Delete => self.delete(),
            Step::Appeal => self.appeal(),
            Step::PublishNow => self.publish_now(),
            Step::Release => self.release(),
            Step::Report { viewer } => self.report(viewer),
            Step::Dismiss => self.dismiss(),
            Step::Suspend => self.suspend(),
            Step::LiftSuspension => self.lift_suspension(),
            Step::Requeue => self.requeue(),
            Step::Sweep => drop(self.scene.sweep()),
            Step::Pass => self.scene.pass(400),
        }
    }

    fn make_key(&mut self, origin: usize) {
        if self.keys[origin].is_none() {
            let (database, now) = (&self.scene.world.database, self.scene.now());
            self.keys[origin] = Some(block_on(origin_keys::create(database, ORIGINS[origin], "m", now)).unwrap());
            self.lines.push("origin_key_created");
        }
    }

    fn end_key(&mut self, origin: usize) {
        if let Some(key) = self.keys[origin].take() {
            let (database, now) = (&self.scene.world.database, self.scene.now());
            assert!(block_on(origin_keys::end(database, key, "m", now)).unwrap());
            self.lines.push("origin_key_ended");
        }
    }

    fn decide(&mut self, kind: DecisionKind) {
        let (uuid, before) = (uuid(), self.scene.row().state);
        let undecided = "SELECT count(*) AS number FROM evidence WHERE state IN ('scheduled', 'published')";
        let is_undecided = self.scene.count(undecided) > 0;
        let was_pending = self.scene.count(PENDING) > 0;
        let removes = matches!(kind, DecisionKind::Reject | DecisionKind::TakeDown);
        let policy = removes.then_some(BrokenPolicy { code: "spam", text: "It is spam." });
        let request = DecisionRequest { kind, content_uuid: &uuid, reason: "r", by: "m", policy, kept_frames: &[] };
        block_on(decide(&self.scene.world.database, &request, self.scene.now())).unwrap();
        let rejects_appeal = was_pending && kind == DecisionKind::RejectAppeal;
        let has_new_state = self.scene.row().state != before;
        if has_new_state || (is_undecided && removes) || rejects_appeal {
            self.lines.push(kind.action().as_str());
        }
        if has_new_state {
            self.may_appeal = removes;
        }
        let is_decided = rejects_appeal || (has_new_state && kind == DecisionKind::Restore);
        assert_eq!(self.scene.count(PENDING) > 0, was_pending && !is_decided, "{:?}", self.steps);
        assert!(!removes || self.scene.count(undecided) == 0, "{:?}", self.steps);
    }

    fn delete(&mut self) {
        let (uuid, now, before) = (uuid(), self.scene.now(), self.scene.row());
        let is_removed = matches!(before.state, ContentState::Rejected | ContentState::TakenDown);
        if is_removed && before.error_code.as_deref() == Some("content_moderation_rejected") {
            self.lines.push("removed_content_deleted");
        }
        let flags = self.scene.count("SELECT count(*) AS number FROM flags");
        if flags > 0 && before.state != ContentState::Deleted {
            self.lines.push("flagged_content_deleted");
        }
        block_on(delete(&self.scene.world.database, owned(&uuid), now, now + EVIDENCE_SECONDS)).unwrap();
    }

    /// The owner can appeal once against each removal by a moderator, as long as the files are stored.
    fn appeal(&mut self) {
        let (before, now) = (self.scene.row(), self.scene.now());
        let appealed = block_on(appeal(&self.scene.world.database, owned(&uuid()), "no", now)).unwrap();
        let is_removed = matches!(before.state, ContentState::Rejected | ContentState::TakenDown);
        let is_possible = self.may_appeal && is_removed && before.media_generation.is_some();
        // A repeated appeal with the same text succeeds.
        let is_done = matches!(appealed, ChangeOutcome::Done(_));
        assert_eq!(is_done, is_possible || self.scene.count(PENDING) == 1, "{:?}", self.steps);
        assert!(!is_possible || self.scene.count(PENDING) == 1, "{:?}", self.steps);
        self.may_appeal &= !is_possible;
    }

    fn publish_now(&mut self) {
        self.note_release();
        block_on(publish_now(&self.scene.world.database, owned(&uuid()), self.scene.now())).unwrap();
    }

    fn release(&mut self) {
        self.note_release();
        block_on(release(&self.scene.world.database, owned(&uuid()), self.scene.now())).unwrap();
    }

    /// A content can be released until it is public or was removed.
    fn note_release(&mut self) {
        let is_to_come = matches!(self.scene.row().state, ContentState::Processing | ContentState::Scheduled);
        self.needs_release &= !is_to_come;
    }

    fn report(&self, viewer: usize) {
        let report = ViewerReport { slug_url: "s", reporter: ["x", "y", "z"][viewer], reason: "spam", text: "" };
        block_on(record_report(&self.scene.world.database, report, self.scene.now())).unwrap();
    }

    fn dismiss(&mut self) {
        if block_on(dismiss(&self.scene.world.database, &uuid(), "r", "m")).unwrap() {
            self.lines.push("flag_dismissed");
        }
    }

    fn suspend(&mut self) {
        block_on(suspend(&self.scene.world.database, CHANNEL_CHANGE, self.scene.now())).unwrap();
        self.lines.extend((!self.is_suspended).then_some("channel_suspended"));
        self.is_suspended = true;
    }

    fn lift_suspension(&mut self) {
        block_on(lift_suspension(&self.scene.world.database, CHANNEL_CHANGE)).unwrap();
        self.lines.extend(self.is_suspended.then_some("suspension_lifted"));
        self.is_suspended = false;
    }

    fn requeue(&mut self) {
        let before = self.scene.row().generation;
        let _ = self.scene.requeue();
        self.lines.extend((self.scene.row().generation > before).then_some("job_requeued"));
    }

    /// Lets an origin work. Without a valid key it is refused, as in the edge.
    fn work(&self, origin: usize, outcome: usize) {
        let key = self.keys[origin].unwrap_or(999);
        let name = ORIGINS[origin];
        let signer = Some(Signer { key_id: key, origin: name.to_owned() });
        let frame = BatchFrame { signer, ..BatchFrame::default() };
        if framed_batch(&self.scene.world.database, &frame, Vec::new()).is_err() {
            return;
        }
        // A later request has a later time, otherwise it is a replay.
        self.scene.pass(1);
        let generation = self.scene.row().generation;
        self.scene.claim(name, generation);
        self.scene.report(name, generation, processed(&[[Pass, Review, Reject][outcome]]));
    }

    fn check(&mut self, step: Step, before: &Row) {
        use ContentState::{Deleted, Processing, Published, Rejected, Scheduled, TakenDown};
        let after = self.scene.row();
        let is_shown = |state| matches!(state, Published | Scheduled);
        if is_shown(after.state) && !is_shown(before.state) {
            let has_key = |origin: usize| self.keys[origin].is_some();
            let is_approval = match step {
                Step::Work { origin, outcome } => outcome == 0 && has_key(origin) && before.state == Processing,
                Step::Decide(kind) => matches!(kind, DecisionKind::Approve | DecisionKind::Restore),
                _ => false,
            };
            assert!(is_approval, "shown without approval by {step:?}: {:?}", self.steps);
            self.is_approved = true;
        }
        let is_restored = matches!(step, Step::Decide(DecisionKind::Restore)) && is_shown(after.state);
        let may_follow = match before.state {
            Rejected | TakenDown => after.state == before.state || after.state == Deleted || is_restored,
            Deleted => after.state == Deleted,
            _ => true,
        };
        assert!(may_follow, "{:?} became {:?}: {:?}", before.state, after.state, self.steps);
        if let Step::Decide(kind) = step {
            self.check_decision(kind, before, &after);
        }
        self.is_approved &= !matches!(after.state, Rejected | TakenDown | Deleted);
        for (origin, key) in self.keys.iter().enumerate() {
            assert!(key.is_some() || after.claimed_by.as_deref() != Some(ORIGINS[origin]), "{:?}", self.steps);
        }
        if !matches!(after.state, Rejected | TakenDown) {
            assert_eq!(self.scene.count(PENDING), 0, "{:?}", self.steps);
        }
        let rejected = self.lines.iter().filter(|line| **line == "reject_appeal").count();
        let told = "SELECT count(*) AS number FROM events WHERE type = 'content.appeal_rejected'";
        assert_eq!(self.scene.count(told), rejected as u64, "{:?}", self.steps);
        let is_public = self.is_public();
        assert_eq!(is_public, after.state == Published && !self.is_suspended, "{:?}", self.steps);
        assert!(!is_public || (self.is_approved && !self.needs_release), "{:?}", self.steps);
        assert_eq!(self.trail(), self.lines, "{:?}", self.steps);
    }

    /// A decision has an effect exactly in the states that allow it.
    fn check_decision(&self, kind: DecisionKind, before: &Row, after: &Row) {
        let is_waiting = before.state == ContentState::Processing && before.waits_for.is_some();
        let is_allowed = match kind {
            DecisionKind::Approve | DecisionKind::Reject => is_waiting,
            DecisionKind::TakeDown => matches!(before.state, ContentState::Scheduled | ContentState::Published),
            // Depends on whether the files are still stored, too.
            DecisionKind::Restore => return,
            DecisionKind::RejectAppeal => false,
        };
        assert_eq!(after.state != before.state, is_allowed, "{kind:?}: {:?}", self.steps);
    }

    /// Whether an anonymous viewer gets the video.
    fn is_public(&self) -> bool {
        let path = MediaPath::parse("/media/m.mp4").unwrap();
        let content = block_on(stored_file::find_content(&self.scene.world.database, &path)).unwrap().unwrap();
        content.file(MediaFile::Video, Viewer::Anonymous).is_some()
    }

    fn trail(&self) -> Vec<String> {
        let entries = block_on(trail::list_after(&self.scene.world.database, 0, 100)).unwrap();
        entries.into_iter().map(|entry| entry.action).collect()
    }
}

fn below(entropy: &mut Seeded, bound: usize) -> usize {
    let mut bytes = [0; 8];
    entropy.fill(&mut bytes);
    usize::try_from(u64::from_le_bytes(bytes) % bound as u64).unwrap()
}

#[test]
fn no_history_publishes_without_approval_revives_what_was_removed_or_leaves_a_gap_in_the_trail() {
    let mut seen: Vec<&str> = Vec::new();
    for seed in 0..fixtures::cases(HISTORIES, DEEP_HISTORIES) {
        let mut history = History::new(seed);
        history.run();
        seen.extend(&history.lines);
    }
    seen.sort_unstable();
    seen.dedup();
    // Every kind of line was written, so the checks above covered each.
    let all = [
        "approve",
        "channel_suspended",
        "flag_dismissed",
        "flagged_content_deleted",
        "job_requeued",
        "origin_key_created",
        "origin_key_ended",
        "reject",
        "reject_appeal",
        "removed_content_deleted",
        "restore",
        "suspension_lifted",
        "take_down",
    ];
    assert_eq!(seen, all);
}
