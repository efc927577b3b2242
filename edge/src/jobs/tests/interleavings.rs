//! Two origins, repetitions, stale generations, requeues, sweeps, other people's decisions and a jumping clock, in
//! random order: whatever comes, the content goes by the table.

use super::scene::{Row, Scene, processed};
use crate::entropy::Entropy;
use crate::entropy::testing::Seeded;
use crate::jobs::Heard;
use crate::jobs::renew::Requeued;
use contract::job::{ClaimAnswer, JobOutcome};
use contract::moderation::Verdict;
use contract::{ContentState, ErrorCode, STEPS, Stage};
use std::collections::BTreeMap;

const ROUNDS: u64 = 2_500;
const ACTIONS_A_ROUND: usize = 20;
const ORIGINS: [&str; 2] = ["a", "b"];

/// A request of an origin, as it was signed: it may come again, and late.
#[derive(Clone, Debug)]
struct Request {
    origin: &'static str,
    generation: u64,
    signed_at_unix: u64,
    says: Says,
}

#[derive(Clone, Debug)]
enum Says {
    Claim(u32),
    Progress(Stage, u8),
    Release,
    Report(JobOutcome),
}

#[derive(Clone, Debug)]
enum Action {
    Ask(Request),
    Requeue,
    Sweep,
    Pass(u64),
    /// Somebody else's code, which may try anything.
    Decide(ContentState),
}

/// What one action was answered.
#[derive(Debug, PartialEq)]
enum Told {
    Work,
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
        use Verdict::{Pass, Reject, Review, Wait};
        let detail = "a detail".to_owned();
        match self.below(10) {
            0..6 => processed(&[self.one_of(&[Pass, Pass, Wait, Review, Reject])]),
            6 => JobOutcome::Refused {
                code: ErrorCode::ContentFileInvalidFormat,
                detail,
            },
            _ => JobOutcome::Failed { detail },
        }
    }

    fn action(&mut self, scene: &Scene, row: &Row, sent: &[Request]) -> Action {
        match self.below(20) {
            0 => Action::Requeue,
            1 => Action::Sweep,
            2..6 => Action::Pass(self.one_of(&[1, 10, 61, 301, 1_800, 3 * 3_600])),
            6 => Action::Decide(self.one_of(ContentState::ALL)),
            7..10 if !sent.is_empty() => Action::Ask(self.one_of(sent)),
            10..12 => Action::Ask(self.report_of_holder(scene, row)),
            _ => Action::Ask(self.request(scene, row)),
        }
    }

    /// What is reported in the ordinary case: by the origin that has the job.
    fn report_of_holder(&mut self, scene: &Scene, row: &Row) -> Request {
        let holder = row.claimed_by.as_deref();
        let holder = ORIGINS.into_iter().find(|origin| holder == Some(*origin));
        Request {
            origin: holder.unwrap_or("a"),
            generation: row.generation,
            signed_at_unix: scene.now(),
            says: Says::Report(self.outcome()),
        }
    }

    fn request(&mut self, scene: &Scene, row: &Row) -> Request {
        let says = match self.below(10) {
            0..5 => Says::Claim(1 + u32::try_from(self.below(4)).unwrap()),
            5..8 => {
                let percent = u8::try_from(self.below(101)).unwrap();
                Says::Progress(self.one_of(Stage::ALL), percent)
            }
            8 => Says::Release,
            _ => Says::Report(self.outcome()),
        };
        Request {
            origin: self.one_of(&ORIGINS),
            generation: match self.below(8) {
                0 => row.generation.saturating_sub(1).max(1),
                1 => row.generation + 1,
                _ => row.generation,
            },
            signed_at_unix: scene.now(),
            says,
        }
    }
}

fn act(scene: &Scene, row: &Row, action: &Action) -> Told {
    match action {
        Action::Pass(seconds) => scene.pass(*seconds),
        Action::Sweep => drop(scene.sweep()),
        Action::Requeue => {
            if matches!(scene.requeue(), Requeued::Job { .. }) {
                return Told::Requeued;
            }
        }
        Action::Decide(state) => {
            let before = row.state;
            let is_step = STEPS
                .iter()
                .any(|step| (step.0, step.2) == (before, *state));
            assert_eq!(
                scene.set_state(*state).is_ok(),
                is_step || before == *state,
                "{before:?} {state:?}"
            );
        }
        Action::Ask(request) => return ask(scene, request),
    }
    Told::Other
}

fn ask(scene: &Scene, request: &Request) -> Told {
    let heard = Heard {
        now_unix: scene.now(),
        signed_at_unix: request.signed_at_unix,
    };
    let (origin, generation) = (request.origin, request.generation);
    let is_done = match &request.says {
        Says::Claim(delivery) => {
            let answer = scene.claim_signed(origin, generation, *delivery, heard);
            return match answer {
                ClaimAnswer::Work(_) => Told::Work,
                _ => Told::Other,
            };
        }
        Says::Progress(stage, percent) => {
            scene.progress_signed(origin, generation, (*stage, *percent), heard);
            false
        }
        Says::Release => {
            scene.release_signed(origin, generation, heard);
            false
        }
        Says::Report(outcome) => scene.report(origin, generation, outcome.clone()).accepted,
    };
    if is_done { Told::Accepted } else { Told::Other }
}

/// The report that was accepted of each generation.
type Accepted = BTreeMap<u64, String>;

/// What must be true between any two moments.
fn check(
    scene: &Scene,
    before: &Row,
    action: &Action,
    told: &Told,
    accepted: &mut Accepted,
) -> Row {
    let after = scene.row();
    check_step(before, action, &after);
    check_generation(before, action, told, &after);
    if let (Told::Work, Action::Ask(request)) = (told, action) {
        let is_alive = before.claim_ends_at_unix > Some(scene.now());
        let holder = before.claimed_by.as_deref().filter(|_| is_alive);
        assert!(
            holder.is_none_or(|holder| holder == request.origin),
            "two live claims"
        );
        assert_eq!(after.claimed_by.as_deref(), Some(request.origin));
        assert_eq!(after.generation, request.generation);
    }
    if let (Told::Accepted, Action::Ask(request)) = (told, action) {
        let said = format!("{} {:?}", request.origin, request.says);
        let first = accepted.entry(request.generation).or_insert_with(|| {
            assert_eq!(before.claimed_by.as_deref(), Some(request.origin));
            assert_eq!(before.state, ContentState::Processing);
            assert_eq!(before.generation, request.generation);
            said.clone()
        });
        assert_eq!(*first, said, "one report a generation");
    }
    if after.state.is_public() || after.state == ContentState::Scheduled {
        assert!(after.media.is_some() && after.media_generation.is_some());
    }
    after
}

fn check_step(before: &Row, action: &Action, after: &Row) {
    let step = (before.state, after.state);
    let is_step = STEPS.iter().any(|(from, _, to)| (*from, *to) == step);
    assert!(is_step || step.0 == step.1, "{step:?}");
    let is_final = !matches!(
        before.state,
        ContentState::Processing | ContentState::Failed
    );
    let is_due = step == (ContentState::Scheduled, ContentState::Published);
    let is_published = matches!(action, Action::Sweep) && is_due;
    if is_final && !is_published && !matches!(action, Action::Decide(_)) {
        assert_eq!(
            before, after,
            "nothing but a decision or its time changes what is over"
        );
    }
    if before.state == ContentState::Failed && after.state == ContentState::Processing {
        assert!(matches!(action, Action::Requeue | Action::Decide(_)));
    }
    if before.state == ContentState::Processing && after.state != before.state {
        let by_sweep = matches!(action, Action::Sweep) && after.state == ContentState::Failed;
        let by_report = matches!(
            action,
            Action::Ask(Request {
                says: Says::Report(_),
                ..
            })
        );
        assert!(by_sweep || by_report || matches!(action, Action::Decide(_)));
    }
}

fn check_generation(before: &Row, action: &Action, told: &Told, after: &Row) {
    let is_decision = matches!(action, Action::Decide(_));
    assert!(after.generation <= before.generation + 1);
    if after.generation > before.generation {
        assert_eq!(after.state, ContentState::Processing);
        assert_eq!((&after.claimed_by, after.delivery), (&None, 0));
        return;
    }
    assert_eq!(after.generation, before.generation);
    assert_ne!(*told, Told::Requeued);
    assert!(after.progress_percent >= before.progress_percent);
    assert!(after.delivery >= before.delivery || is_decision);
    assert!(after.heard_at_unix >= before.heard_at_unix);
    assert!(after.stage >= before.stage || after.waits_for.is_some());
}

/// Without any origin, time and the sweep bring everything to an end, but what waits for a person, and what nobody took:
/// that is offered again and again. Taken by origins that fall silent, it comes to its end too.
fn come_to_rest(scene: &Scene) {
    for _ in 0..8 {
        scene.pass(4 * 3_600);
        scene.world.queue.borrow_mut().clear();
        scene.sweep();
    }
    let row = scene.row();
    if row.state == ContentState::Processing && row.waits_for.is_none() {
        assert_eq!((row.delivery, scene.world.queue.borrow().len()), (0, 1));
        assert!(
            scene.world.queue.borrow()[0].contains(&format!("\"generation\":{}", row.generation))
        );
        for _ in 0..4 {
            scene.claim("a", scene.row().generation, 1);
            scene.pass(4 * 3_600);
            scene.sweep();
        }
    }
    let row = scene.row();
    let waits = row.waits_for.as_deref() == Some("person");
    assert!(row.state != ContentState::Processing || waits, "{row:?}");
    assert_eq!(scene.count("SELECT count(*) AS number FROM outbox"), 0);
    assert_eq!(scene.count("SELECT count(*) AS number FROM cleanups"), 0);
}

#[test]
fn no_interleaving_leaves_the_table() {
    let mut ends: BTreeMap<&str, u32> = BTreeMap::new();
    let (mut actions, mut reports) = (0, 0);
    let scene = Scene::new();
    for round in 0..ROUNDS {
        let mut dice = Dice(Seeded::new(round));
        let schedule = [None, Some(super::scene::NOON + 600)];
        scene.begin(dice.one_of(&schedule));
        let (mut sent, mut accepted) = (Vec::new(), Accepted::new());
        let mut row = scene.row();
        for _ in 0..ACTIONS_A_ROUND {
            let action = dice.action(&scene, &row, &sent);
            let told = act(&scene, &row, &action);
            row = check(&scene, &row, &action, &told, &mut accepted);
            if let Action::Ask(request) = action {
                sent.push(request);
            }
            actions += 1;
        }
        let stored = scene.count("SELECT count(*) AS number FROM reports");
        assert_eq!(stored, accepted.len() as u64, "round {round}");
        reports += stored;
        *ends.entry(row.state.as_str()).or_default() += 1;
        if round % 10 == 0 {
            come_to_rest(&scene);
        }
    }
    println!(
        "interleavings: {ROUNDS}, {actions} actions, {reports} accepted reports, ends {ends:?}"
    );
    assert_eq!(ends.len(), ContentState::ALL.len());
    assert!(reports > ROUNDS / 2, "most rounds come to a report");
}
