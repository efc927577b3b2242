//! Reports, decisions, deletions, schedules and sweeps run side by side, repeated and out of order, one transaction at
//! a time.
//!
//! After each transaction: the transition is in the table and belongs to the action, nothing is published early,
//! without approval or before its owner released it, and exactly the published contents are served.

use super::action::{Action, HASH_CHANGE, outcome_of, perform};
use super::sent_pictures::{stored_pictures, wanted};
use crate::contents::media_path::MediaPath;
use crate::jobs::tests::scene::{NOON, Scene, all_stored, blocklist_of, find_and_accept, job};
use crate::jobs::tests::{processed, stored_media};
use crate::moderation::blocklist::block;
use crate::moderation::decisions::DecisionKind;
use crate::platform::database::{Database, Statement};
use crate::platform::entropy::Entropy;
use crate::platform::entropy::testing::Seeded;
use crate::viewing::access::Viewer;
use crate::viewing::{published_page, stored_file};
use contract::job::{JobOutcome, JobReport};
use contract::limits::REVERSIBLE_SECONDS;
use contract::moderation::Recommendation::Pass;
use contract::{ContentEvent, ContentState, TRANSITIONS};
use futures_executor::block_on;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

const QUICK_RUNS: usize = 600;
const DEEP_RUNS: usize = 10_000;
const THREADS: usize = 2;
const ACTIONS: u32 = 14;
const AT_ONCE: usize = 3;

/// The content between two transactions, with the facts that justify its state.
#[derive(Clone, Debug, Deserialize)]
struct Snapshot {
    state: ContentState,
    generation: u64,
    scheduled_publish_at_unix: Option<u64>,
    needs_release: u8,
    is_approved: u8,
    is_blocked: u8,
    waits_for: Option<String>,
    check_waits: u64,
}

impl Snapshot {
    /// Returns the types of the events that a change to this snapshot must log.
    fn events_since(&self, before: &Self) -> Vec<String> {
        let is_new_wait = self.waits_for.is_some() && self.waits_for != before.waits_for;
        let is_news = self.waits_for.as_deref() == Some("person") || self.check_waits == 1;
        let waiting = (is_new_wait && is_news).then(|| "content.waiting".to_owned());
        let is_new_state = self.state != before.state && self.state != ContentState::Processing;
        let was_removed = matches!(before.state, ContentState::Rejected | ContentState::TakenDown);
        let is_restored = was_removed && matches!(self.state, ContentState::Published | ContentState::Scheduled);
        let name = if is_restored { "restored" } else { self.state.as_str() };
        let state = is_new_state.then(|| format!("content.{name}"));
        waiting.into_iter().chain(state).collect()
    }
}

type RunningAction = (Action, Pin<Box<dyn Future<Output = ()>>>);

/// The number of times that each transition happened, and the number of reports that the blocklist rejected.
#[derive(Default)]
struct Counts {
    transitions: BTreeMap<String, u64>,
    rejected_by_blocklist: u64,
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.rejected_by_blocklist += other.rejected_by_blocklist;
        for (transition, count) in other.transitions {
            *self.transitions.entry(transition).or_default() += count;
        }
    }
}

/// One random order of actions on one content.
struct Run {
    scene: Scene,
    entropy: Seeded,
    before: Snapshot,
    actions: Vec<Action>,
    /// The types of the events that the log must contain, in this order.
    events: Vec<String>,
    counts: Counts,
}

impl Run {
    fn new(seed: u64) -> Self {
        let mut entropy = Seeded::new(seed);
        let schedule = [None, Some(NOON + 200), Some(NOON + 900)][below(&mut entropy, 3)];
        let needs_release = below(&mut entropy, 3) == 0;
        let scene = if needs_release { Scene::unreleased(schedule) } else { Scene::scheduled(schedule) };
        let before = snapshot(&scene);
        Self { scene, entropy, before, actions: Vec::new(), events: Vec::new(), counts: Counts::default() }
    }

    fn run(&mut self) {
        let mut running: Vec<RunningAction> = Vec::new();
        let mut left = ACTIONS;
        while left > 0 || !running.is_empty() {
            if left > 0 && (running.len() < AT_ONCE && below(&mut self.entropy, 2) == 0 || running.is_empty()) {
                left -= 1;
                let action = self.next_action();
                self.actions.push(action);
                running.push((action, self.start(action)));
                continue;
            }
            match below(&mut self.entropy, 12) {
                0 => self.scene.pass([1, 60, 300, 700][below(&mut self.entropy, 4)]),
                _ => self.step(&mut running),
            }
        }
    }

    /// Lets one running action perform its next transaction, and checks the result.
    fn step(&mut self, running: &mut Vec<RunningAction>) {
        let chosen = below(&mut self.entropy, running.len());
        let mut context = Context::from_waker(Waker::noop());
        let action = running[chosen].0;
        if let Poll::Ready(()) = running[chosen].1.as_mut().poll(&mut context) {
            drop(running.swap_remove(chosen));
        }
        let after = snapshot(&self.scene);
        self.check(action, &after);
        self.events.extend(after.events_since(&self.before));
        assert_eq!(logged_events(&self.scene), self.events, "{action:?}: {:?}", self.actions);
        self.before = after;
    }

    /// Returns a new action, or repeats an earlier one.
    fn next_action(&mut self) -> Action {
        let entropy = &mut self.entropy;
        if self.actions.is_empty() {
            // Without a claim, most other actions have no effect.
            return Action::Claim { origin: 0, generation: 1 };
        }
        if below(entropy, 4) == 0 {
            return self.actions[below(entropy, self.actions.len())];
        }
        let is_removed = matches!(self.before.state, ContentState::Rejected | ContentState::TakenDown);
        // Removals, and what ends them, would be rare otherwise.
        if self.before.state == ContentState::Scheduled && below(entropy, 3) == 0 {
            return Action::Decide(DecisionKind::TakeDown);
        }
        if is_removed && below(entropy, 2) == 0 {
            let is_deleted = below(entropy, 5) == 0;
            return if is_deleted { Action::Delete { channel_id: 1 } } else { Action::Decide(DecisionKind::Restore) };
        }
        let origin = u8::from(below(entropy, 3) == 0);
        let older = u64::from(below(entropy, 6) == 0);
        let generation = self.before.generation.saturating_sub(older).max(1);
        match below(entropy, 23) {
            0..=3 => Action::Claim { origin, generation },
            4..=8 => {
                let outcome = u8::try_from(below(entropy, 10)).unwrap();
                Action::Report { origin, generation, outcome }
            }
            9..=10 => Action::Decide(DecisionKind::Approve),
            11 | 20 => Action::Decide(DecisionKind::Reject),
            12 => Action::Decide(DecisionKind::TakeDown),
            13 | 19 => Action::Delete { channel_id: 1 + below(entropy, 2) as u64 },
            14 => Action::Reschedule { seconds_ahead: 300 + 100 * below(entropy, 8) as u64 },
            15 => Action::PublishNow,
            22 => Action::Release,
            16 => Action::Requeue,
            17 if below(entropy, 2) == 0 => Action::Block,
            17 => Action::Unblock,
            18 if below(entropy, 2) == 0 => Action::SendPicture { number: u8::try_from(below(entropy, 2)).unwrap() },
            18 => Action::ChangeThumbnail { seconds: u8::try_from(below(entropy, 3)).unwrap() },
            _ => Action::Sweep,
        }
    }

    fn start(&self, action: Action) -> Pin<Box<dyn Future<Output = ()>>> {
        let process = self.scene.world.process(None).yielding();
        // An origin stores files before it reports them. An origin whose job became obsolete long ago stores nothing.
        if let Action::Report { generation, outcome, .. } = action
            && matches!(outcome_of(outcome), JobOutcome::Processed { .. })
            && self.before.state == ContentState::Processing
            && self.before.generation == generation
        {
            process.store_media(generation);
        }
        let now = self.scene.now();
        Box::pin(async move { perform(&process, action, now).await })
    }

    fn check(&mut self, action: Action, after: &Snapshot) {
        let (from, to) = (self.before.state, after.state);
        let case = || format!("{action:?}: {:?} -> {after:?} after {:?}", self.before, self.actions);
        if from != to {
            let is_transition = |event: &ContentEvent| TRANSITIONS.contains(&(from, *event, to));
            assert!(action.events().iter().any(is_transition), "no such transition: {}", case());
            if to.is_public() {
                let is_due = self.before.scheduled_publish_at_unix.is_none_or(|time| time <= self.scene.now().0);
                assert!(is_due || action == Action::PublishNow, "too early: {}", case());
                let is_released = matches!(action, Action::PublishNow | Action::Release);
                assert!(self.before.needs_release == 0 || is_released, "not released: {}", case());
            }
            if matches!(to, ContentState::Scheduled | ContentState::Published) {
                assert!(after.is_approved != 0, "not approved: {}", case());
                let is_report = matches!(action, Action::Report { .. });
                assert!(!is_report || after.is_blocked == 0, "blocked: {}", case());
            }
            if to == ContentState::Rejected && after.is_blocked != 0 && matches!(action, Action::Report { .. }) {
                self.counts.rejected_by_blocklist += 1;
            }
            *self.counts.transitions.entry(transition(from, to)).or_default() += 1;
        }
        let needs_picture = !matches!(to, ContentState::Rejected | ContentState::TakenDown | ContentState::Deleted);
        let wanted = wanted(&self.scene).filter(|_| needs_picture);
        assert!(wanted.is_none_or(|key| self.scene.objects().contains(&key)), "a lost picture: {}", case());
        assert_eq!(is_video_served(&self.scene), to.is_public(), "a leak: {}", case());
        // Rendering a page takes longer than the rest of a step, and only the state decides whether there is one.
        if from != to {
            assert_eq!(has_page(&self.scene), to.is_public(), "a leak: {}", case());
        }
    }

    /// Checks the content and the stored objects hours later: the sweeps have published no content that its owner had
    /// to release, a published content is complete, and a removed one has left nothing.
    fn check_at_rest(&self) {
        for _ in 0..3 {
            self.scene.pass(2 * 3600);
            self.scene.sweep();
        }
        let row = self.scene.row();
        let needs_release = self.scene.count("SELECT needs_release AS number FROM contents") == 1;
        assert!(!(row.state.is_public() && needs_release), "not released: {:?}", self.actions);
        if matches!(row.state, ContentState::Rejected | ContentState::TakenDown) {
            // The files are kept for as long as a moderator can restore the content.
            self.scene.pass(REVERSIBLE_SECONDS);
            self.scene.sweep();
        }
        let objects = self.scene.objects();
        match row.state {
            ContentState::Published | ContentState::Scheduled => {
                let folder = format!("media/c/{}/", row.media_generation.unwrap());
                let files = stored_media().files.len();
                let current = objects.iter().filter(|key| key.starts_with(&folder)).count();
                let pictures = usize::from(wanted(&self.scene).is_some());
                assert_eq!((current, objects.len()), (files, files + pictures), "{objects:?} {:?}", self.actions);
            }
            ContentState::Rejected | ContentState::TakenDown => {
                let details = format!("media/c/{}/finished.json", row.media_generation.unwrap_or(row.generation));
                assert_eq!(objects, [details], "{row:?} {:?}", self.actions);
            }
            ContentState::Deleted => {
                assert_eq!(objects, Vec::<String>::new(), "{row:?} {:?}", self.actions);
            }
            ContentState::Processing | ContentState::Failed => {
                assert!(objects.contains(&"sources/u/video".to_owned()), "{:?}", self.actions);
                assert_eq!(stored_pictures(&self.scene), Vec::from_iter(wanted(&self.scene)), "{:?}", self.actions);
            }
        }
        assert_eq!(self.scene.count("SELECT count(*) AS number FROM garbage"), 0, "{:?}", self.actions);
    }
}

fn transition(from: ContentState, to: ContentState) -> String {
    format!("{} -> {}", from.as_str(), to.as_str())
}

fn snapshot(scene: &Scene) -> Snapshot {
    scene.read(
        "SELECT waits_for, (SELECT check_waits FROM jobs WHERE content_id = contents.id AND kind = 'video') AS check_waits,
             contents.state, contents.generation, scheduled_publish_at_unix, needs_release,
             EXISTS (SELECT 1 FROM reports WHERE generation = media_generation AND recommendation = 'pass')
                 OR EXISTS (SELECT 1 FROM decisions WHERE generation = media_generation AND action IN ('approve', 'restore'))
                 AS is_approved,
             EXISTS (SELECT 1 FROM blocked_hashes) AS is_blocked
         FROM contents WHERE id = 1",
    )
}

/// Returns the types of the logged events, and asserts that their numbers have no gap.
fn logged_events(scene: &Scene) -> Vec<String> {
    #[derive(Deserialize)]
    struct Row {
        types: String,
        has_gap: u8,
    }
    let row: Row = scene.read(
        "SELECT json_group_array(type ORDER BY id) AS types,
             coalesce(max(sequence <> place OR content_sequence <> place), 0) AS has_gap
         FROM (SELECT *, row_number() OVER (ORDER BY id) AS place FROM events)",
    );
    assert_eq!(row.has_gap, 0);
    serde_json::from_str(&row.types).unwrap()
}

/// Whether an anonymous viewer gets the video.
fn is_video_served(scene: &Scene) -> bool {
    let path = MediaPath::parse("/media/m.mp4").unwrap();
    let content = block_on(stored_file::find_content(&scene.world.database, &path)).unwrap();
    content.unwrap().file(path.file, Viewer::Anonymous).is_some()
}

fn has_page(scene: &Scene) -> bool {
    let content = block_on(published_page::find(&scene.world.database, "s")).unwrap();
    content.is_some_and(|content| content.published("https://www.example").unwrap().is_some())
}

fn below(entropy: &mut Seeded, bound: usize) -> usize {
    let mut bytes = [0; 8];
    entropy.fill(&mut bytes);
    usize::try_from(u64::from_le_bytes(bytes) % bound as u64).unwrap()
}

fn run_all(seeds: impl Iterator<Item = usize>) -> Counts {
    let mut counts = Counts::default();
    for seed in seeds {
        let mut run = Run::new(seed as u64);
        run.run();
        run.check_at_rest();
        counts.add(run.counts);
    }
    counts
}

#[test]
fn no_interleaving_leaks_a_video_or_makes_an_unknown_transition() {
    let runs = fixtures::cases(QUICK_RUNS, DEEP_RUNS);
    let mut counts = Counts::default();
    std::thread::scope(|scope| {
        let start = |thread| scope.spawn(move || run_all((thread..runs).step_by(THREADS)));
        let threads: Vec<_> = (0..THREADS).map(start).collect();
        for thread in threads {
            counts.add(thread.join().unwrap());
        }
    });
    let Counts { transitions, rejected_by_blocklist } = counts;
    println!("{runs} interleavings, 0 leaks, 0 unknown transitions, {rejected_by_blocklist} rejected by the blocklist");
    println!("{transitions:#?}");
    // Every transition between two states happened, so the checks above covered each.
    for (from, _, to) in TRANSITIONS.iter().filter(|(from, _, to)| from != to) {
        assert!(transitions.contains_key(&transition(*from, *to)), "{from:?} -> {to:?} never happened");
    }
    assert!(rejected_by_blocklist > 0);
}

#[test]
fn a_hash_that_is_added_during_the_comparison_rejects_the_report() {
    let scene = Scene::new();
    scene.claim("a", 1);
    let process = scene.world.process(None).yielding();
    let report = JobReport { id: job("a", 1), outcome: processed(&[Pass]) };
    let stored = all_stored(1);
    let blocklist = blocklist_of(&process);
    let mut reporting = Box::pin(find_and_accept(&blocklist, &report, &stored, scene.now()));
    let mut context = Context::from_waker(Waker::noop());
    // The comparison has read the list. The acceptance is next.
    for _ in 0..2 {
        assert!(reporting.as_mut().poll(&mut context).is_pending());
    }
    block_on(block(&scene.world.database, HASH_CHANGE, scene.now())).unwrap();
    let answer = loop {
        if let Poll::Ready(answer) = reporting.as_mut().poll(&mut context) {
            break answer.unwrap();
        }
    };
    assert_eq!((answer.outcome.accepted, answer.outcome.state), (true, Some(ContentState::Rejected)));
    let finding =
        "SELECT count(*) AS number FROM findings WHERE check_name = 'blocklist' AND recommendation = 'reject'";
    assert_eq!(scene.count(finding), 1);
    // A repeated report that is compared with a different list changes nothing and adds no finding.
    let remove = Statement::new("DELETE FROM blocked_hashes");
    block_on(scene.world.database.batch(vec![remove])).unwrap();
    assert!(scene.report("a", 1, processed(&[Pass])).accepted);
    assert_eq!(scene.count("SELECT count(*) AS number FROM findings"), 2);
}
