//! Two origins, replays, outdated generations, requeues, sweeps, direct changes of state and a jumping clock, in random
//! order: every change of state is in the table, and every claim and report follows the rules.

use super::scene::{Row, Scene, processed};
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::rules::failure::MAX_SILENCES;
use crate::jobs::RequeueOutcome;
use crate::platform::entropy::Entropy;
use crate::platform::entropy::testing::Seeded;
use contract::api::WaitsFor;
use contract::job::{ClaimAnswer, JobOutcome};
use contract::limits::REVERSIBLE_SECONDS;
use contract::moderation::Recommendation;
use contract::{ContentState, ErrorCode, Stage, TRANSITIONS};
use std::collections::BTreeMap;

const QUICK_RUNS: u64 = 300;
const DEEP_RUNS: u64 = 2_500;
const ACTIONS_PER_RUN: usize = 20;
const ORIGINS: [&str; 2] = ["a", "b"];

/// A signed request of an origin, which may be replayed later.
#[derive(Clone, Debug)]
struct Request {
    origin: &'static str,
    generation: u64,
    signed_at: UnixSeconds,
    body: RequestBody,
}

#[derive(Clone, Debug)]
enum RequestBody {
    Claim,
    Progress(Stage, u8),
    Release,
    Report(Box<JobOutcome>),
}

#[derive(Clone, Debug)]
enum Action {
    Send(Request),
    Requeue,
    Sweep,
    PassTime(u64),
    /// Sets a state directly, as the Worker never does.
    SetState(ContentState),
}

/// The answer to one action.
#[derive(Debug, PartialEq)]
enum Answer {
    Granted,
    Accepted,
    Requeued,
    Other,
}

struct Dice(Seeded);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        usize::try_from(u64::from_le_bytes(bytes) % bound as u64).unwrap()
    }

    fn one_of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }

    fn outcome(&mut self) -> JobOutcome {
        use Recommendation::{Pass, Reject, Review, Wait};
        let detail = "a detail".to_owned();
        match self.below(10) {
            0..6 => processed(&[self.one_of(&[Pass, Pass, Wait, Review, Reject])]),
            6 => JobOutcome::Refused { code: ErrorCode::ContentFileInvalidFormat, detail },
            7 => JobOutcome::Failed { detail },
            _ => JobOutcome::Undecided { detail },
        }
    }

    fn action(&mut self, scene: &Scene, row: &Row, sent: &[Request]) -> Action {
        match self.below(20) {
            0 => Action::Requeue,
            1 => Action::Sweep,
            2..6 => Action::PassTime(self.one_of(&[1, 10, 61, 301, 1_800, 3 * 3_600])),
            6 => Action::SetState(self.one_of(ContentState::ALL)),
            7..10 if !sent.is_empty() => Action::Send(self.one_of(sent)),
            10..12 => Action::Send(self.report_of_holder(scene, row)),
            _ => Action::Send(self.request(scene, row)),
        }
    }

    /// Returns a report from the origin that holds the claim.
    fn report_of_holder(&mut self, scene: &Scene, row: &Row) -> Request {
        let holder = row.claimed_by.as_deref();
        let holder = ORIGINS.into_iter().find(|origin| holder == Some(*origin));
        Request {
            origin: holder.unwrap_or("a"),
            generation: row.generation,
            signed_at: scene.now(),
            body: RequestBody::Report(Box::new(self.outcome())),
        }
    }

    fn request(&mut self, scene: &Scene, row: &Row) -> Request {
        let body = match self.below(10) {
            0..5 => RequestBody::Claim,
            5..8 => {
                let percent = u8::try_from(self.below(101)).unwrap();
                RequestBody::Progress(self.one_of(Stage::ALL), percent)
            }
            8 => RequestBody::Release,
            _ => RequestBody::Report(Box::new(self.outcome())),
        };
        Request {
            origin: self.one_of(&ORIGINS),
            generation: match self.below(8) {
                0 => row.generation.saturating_sub(1).max(1),
                1 => row.generation + 1,
                _ => row.generation,
            },
            signed_at: scene.now(),
            body,
        }
    }
}

fn act(scene: &Scene, row: &Row, action: &Action) -> Answer {
    match action {
        Action::PassTime(seconds) => scene.pass(*seconds),
        Action::Sweep => drop(scene.sweep()),
        Action::Requeue => {
            if matches!(scene.requeue(), RequeueOutcome::Requeued { .. }) {
                return Answer::Requeued;
            }
        }
        Action::SetState(state) => {
            let before = row.state;
            let is_allowed = is_transition(before, *state) || before == *state;
            assert_eq!(scene.set_state(*state).is_ok(), is_allowed, "{before:?} {state:?}");
        }
        Action::Send(request) => return send(scene, request),
    }
    Answer::Other
}

fn send(scene: &Scene, request: &Request) -> Answer {
    let times = scene.signed_at(request.signed_at);
    let (origin, generation) = (request.origin, request.generation);
    let is_accepted = match &request.body {
        RequestBody::Claim => {
            return match scene.claim_signed(origin, generation, times) {
                ClaimAnswer::Granted(_) => Answer::Granted,
                _ => Answer::Other,
            };
        }
        RequestBody::Progress(stage, percent) => {
            scene.progress_signed(origin, generation, (*stage, *percent), times);
            false
        }
        RequestBody::Release => {
            scene.release_signed(origin, generation, times);
            false
        }
        RequestBody::Report(outcome) => scene.report(origin, generation, *outcome.clone()).accepted,
    };
    if is_accepted { Answer::Accepted } else { Answer::Other }
}

fn is_transition(from: ContentState, to: ContentState) -> bool {
    TRANSITIONS.iter().any(|transition| (transition.0, transition.2) == (from, to))
}

/// The accepted report of each generation.
type Accepted = BTreeMap<u64, String>;

/// Checks what must hold after every action.
fn check(scene: &Scene, before: &Row, action: &Action, answer: &Answer, accepted: &mut Accepted) -> Row {
    let after = scene.row();
    check_transition(before, action, &after);
    check_generation(before, action, answer, &after);
    if let (Answer::Granted, Action::Send(request)) = (answer, action) {
        let is_alive = before.claim_ends_at_unix > Some(scene.now().0);
        let holder = before.claimed_by.as_deref().filter(|_| is_alive);
        assert!(holder.is_none_or(|holder| holder == request.origin), "two origins hold the claim");
        assert_eq!(after.claimed_by.as_deref(), Some(request.origin));
        assert_eq!(after.generation, request.generation);
    }
    if let (Answer::Accepted, Action::Send(request)) = (answer, action) {
        let report = format!("{} {:?}", request.origin, request.body);
        let first = accepted.entry(request.generation).or_insert_with(|| {
            assert_eq!(before.claimed_by.as_deref(), Some(request.origin));
            assert_eq!(before.state, ContentState::Processing);
            assert_eq!(before.generation, request.generation);
            report.clone()
        });
        assert_eq!(*first, report, "one report per generation");
    }
    if after.state.is_public() || after.state == ContentState::Scheduled {
        assert!(after.media.is_some() && after.media_generation.is_some());
    }
    after
}

fn check_transition(before: &Row, action: &Action, after: &Row) {
    let (from, to) = (before.state, after.state);
    assert!(is_transition(from, to) || from == to, "{from:?} {to:?}");
    let is_final = !matches!(before.state, ContentState::Processing | ContentState::Failed);
    let is_due = (from, to) == (ContentState::Scheduled, ContentState::Published);
    let is_published = matches!(action, Action::Sweep) && is_due;
    if is_final && !is_published && !matches!(action, Action::SetState(_)) {
        assert_eq!(before, after, "a finished content changes only by a decision or at its scheduled time");
    }
    if before.state == ContentState::Failed && after.state == ContentState::Processing {
        assert!(matches!(action, Action::Requeue | Action::SetState(_)));
    }
    if before.state == ContentState::Processing && after.state != before.state {
        let by_sweep = matches!(action, Action::Sweep) && after.state == ContentState::Failed;
        let by_report = matches!(action, Action::Send(Request { body: RequestBody::Report(_), .. }));
        assert!(by_sweep || by_report || matches!(action, Action::SetState(_)));
    }
}

fn check_generation(before: &Row, action: &Action, answer: &Answer, after: &Row) {
    let is_direct = matches!(action, Action::SetState(_));
    assert!(after.generation <= before.generation + 1);
    if after.generation > before.generation {
        assert_eq!(after.state, ContentState::Processing);
        assert_eq!((&after.claimed_by, after.attempt), (&None, 0));
        return;
    }
    assert_eq!(after.generation, before.generation);
    assert_ne!(*answer, Answer::Requeued);
    let pauses = after.undecided_failures > before.undecided_failures || after.silences > before.silences;
    assert!(after.percent >= before.percent || pauses);
    assert!(after.attempt >= before.attempt || is_direct);
    assert!(after.last_signed_at_unix >= before.last_signed_at_unix || after.claimed_by != before.claimed_by);
    assert!(after.stage >= before.stage || after.waits_for.is_some() || pauses);
}

/// Checks that every content is finished in the end, unless it waits for a moderator. A job that no origin finishes is
/// sent again and again; if all origins that claim it fall silent, it is given up.
fn check_that_it_finishes(scene: &Scene) {
    for _ in 0..2 * MAX_SILENCES {
        scene.world.queue.borrow_mut().clear();
        for seconds in [4 * 3_600, 60] {
            scene.pass(seconds);
            scene.sweep();
        }
        let row = scene.row();
        let pauses = scene.count("SELECT count(*) AS number FROM jobs WHERE state = 'waiting'") > 0;
        if row.state == ContentState::Processing && row.waits_for.is_none() && !pauses {
            let message = format!("\"generation\":{}", row.generation);
            assert!(scene.world.queue.borrow().iter().any(|text| text.contains(&message)), "{row:?}");
            scene.claim("a", row.generation);
        }
    }
    let row = scene.row();
    let waits_for_person = row.waits_for == Some(WaitsFor::Person);
    assert!(row.state != ContentState::Processing || waits_for_person, "{row:?}");
    if matches!(row.state, ContentState::Rejected | ContentState::TakenDown) {
        // The files are kept for as long as a moderator can restore the content.
        scene.pass(REVERSIBLE_SECONDS);
        scene.sweep();
    }
    let open = "SELECT count(*) AS number FROM jobs WHERE state IN ('held', 'due', 'claimed')";
    assert_eq!(scene.count(open), 0);
    assert_eq!(scene.count("SELECT count(*) AS number FROM cleanups"), 0);
}

#[test]
fn no_interleaving_breaks_a_rule() {
    let runs = fixtures::cases(QUICK_RUNS, DEEP_RUNS);
    let mut ends: BTreeMap<&str, u32> = BTreeMap::new();
    let (mut actions, mut reports) = (0, 0);
    let scene = Scene::new();
    for run in 0..runs {
        let mut dice = Dice(Seeded::new(run));
        let schedule = [None, Some(super::scene::NOON + 600)];
        scene.begin(dice.one_of(&schedule));
        let (mut sent, mut accepted) = (Vec::new(), Accepted::new());
        let mut row = scene.row();
        for _ in 0..ACTIONS_PER_RUN {
            let action = dice.action(&scene, &row, &sent);
            let answer = act(&scene, &row, &action);
            row = check(&scene, &row, &action, &answer, &mut accepted);
            if let Action::Send(request) = action {
                sent.push(request);
            }
            actions += 1;
        }
        let stored = scene.count("SELECT count(*) AS number FROM reports");
        let results = accepted.values().filter(|report| !report.contains("Undecided")).count();
        assert_eq!(stored, results as u64, "run {run}");
        reports += accepted.len() as u64;
        *ends.entry(row.state.as_str()).or_default() += 1;
        if run % 10 == 0 {
            check_that_it_finishes(&scene);
        }
    }
    println!("interleavings: {runs}, {actions} actions, {reports} accepted reports, ends {ends:?}");
    assert_eq!(ends.len(), ContentState::ALL.len());
    assert!(reports > runs / 2, "most runs accept a report");
}
