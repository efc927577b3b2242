//! Reports, approvals, rejections, take-downs, deletions, schedules and sweeps beside each other, repeated and out of
//! order, transaction by transaction. After each one: the step is in the table and belongs to who made it, nothing is
//! shown early or without approval, and what the delivery shows is what is published.

use super::doing::{Doing, HASH, outcome_of, perform};
use crate::contents::addresses::MediaPath;
use crate::database::{Database, Statement};
use crate::delivery::access::Asker;
use crate::delivery::{file, shown};
use crate::entropy::Entropy;
use crate::entropy::testing::Seeded;
use crate::jobs::report::report;
use crate::jobs::tests::scene::{NOON, Scene, job};
use crate::jobs::tests::{processed, stored_media};
use crate::moderation::blocklist::block;
use crate::moderation::decide::Verdict;
use contract::api::ChangeHash;
use contract::job::{JobOutcome, JobReport};
use contract::moderation::Verdict::Pass;
use contract::{ContentState, Event, STEPS};
use futures_executor::block_on;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

const ROUNDS: usize = 10_000;
const THREADS: usize = 2;
const OPERATIONS: u32 = 14;
const AT_ONCE: usize = 3;

/// What of a content is watched, read with everything that may have made it so.
#[derive(Clone, Debug, Deserialize)]
struct Watched {
    state: ContentState,
    generation: u64,
    scheduled_publish_at_unix: Option<u64>,
    is_approved: u8,
    is_blocked: u8,
}

type Running = Pin<Box<dyn Future<Output = ()>>>;

struct Round {
    scene: Scene,
    entropy: Seeded,
    before: Watched,
    done: Vec<Doing>,
    /// How often each step was taken, over all rounds.
    steps: BTreeMap<String, u64>,
    refused_by_blocklist: u64,
}

impl Round {
    fn new(seed: u64) -> Self {
        let mut entropy = Seeded::new(seed);
        let at = [None, Some(NOON + 200), Some(NOON + 900)][below(&mut entropy, 3)];
        let scene = Scene::scheduled(at);
        let before = watched(&scene);
        Self {
            scene,
            entropy,
            before,
            done: Vec::new(),
            steps: BTreeMap::new(),
            refused_by_blocklist: 0,
        }
    }

    fn run(&mut self) {
        let mut running: Vec<(Doing, Running)> = Vec::new();
        let mut left = OPERATIONS;
        while left > 0 || !running.is_empty() {
            if left > 0
                && (running.len() < AT_ONCE && below(&mut self.entropy, 2) == 0
                    || running.is_empty())
            {
                left -= 1;
                let doing = self.next();
                self.done.push(doing);
                running.push((doing, self.start(doing)));
                continue;
            }
            match below(&mut self.entropy, 12) {
                0 => self
                    .scene
                    .pass([1, 60, 300, 700][below(&mut self.entropy, 4)]),
                _ => self.step(&mut running),
            }
        }
    }

    /// Lets one of those that are under way do its next transaction, and looks what it did.
    fn step(&mut self, running: &mut Vec<(Doing, Running)>) {
        let chosen = below(&mut self.entropy, running.len());
        let mut context = Context::from_waker(Waker::noop());
        let doing = running[chosen].0;
        if let Poll::Ready(()) = running[chosen].1.as_mut().poll(&mut context) {
            drop(running.swap_remove(chosen));
        }
        let after = watched(&self.scene);
        self.check(doing, &after);
        self.before = after;
    }

    /// Something new, or once more what was there before.
    fn next(&mut self) -> Doing {
        let entropy = &mut self.entropy;
        if self.done.is_empty() {
            // Without it, most of the rest has nothing to act on.
            return Doing::Claim {
                origin: 0,
                generation: 1,
                delivery: 1,
            };
        }
        if below(entropy, 4) == 0 {
            return self.done[below(entropy, self.done.len())];
        }
        let origin = u8::from(below(entropy, 3) == 0);
        let older = u64::from(below(entropy, 6) == 0);
        let generation = self.before.generation.saturating_sub(older).max(1);
        match below(entropy, 20) {
            0..=3 => {
                let delivery = 1 + u32::try_from(below(entropy, 4)).unwrap();
                Doing::Claim {
                    origin,
                    generation,
                    delivery,
                }
            }
            4..=8 => {
                let outcome = u8::try_from(below(entropy, 8)).unwrap();
                Doing::Report {
                    origin,
                    generation,
                    outcome,
                }
            }
            9..=10 => Doing::Decide(Verdict::Approve),
            11 => Doing::Decide(Verdict::Reject),
            12 => Doing::Decide(Verdict::TakeDown),
            13 => {
                let channel_id = 1 + below(entropy, 2) as u64;
                Doing::Delete { channel_id }
            }
            14 => Doing::Reschedule(300 + 100 * below(entropy, 8) as u64),
            15 => Doing::PublishNow,
            16 => Doing::Requeue,
            17 => Doing::Block(below(entropy, 2) == 0),
            _ => Doing::Sweep,
        }
    }

    fn start(&self, doing: Doing) -> Running {
        let process = self.scene.world.process(None).yielding();
        let now_unix = self.scene.now();
        // What an origin reports, it has stored before; who was overtaken long ago stores nothing any more.
        if let Doing::Report {
            generation,
            outcome,
            ..
        } = doing
            && matches!(outcome_of(outcome), JobOutcome::Processed { .. })
            && self.before.state == ContentState::Processing
            && self.before.generation == generation
        {
            process.store_media(generation);
        }
        Box::pin(async move { perform(&process, doing, now_unix).await })
    }

    fn check(&mut self, doing: Doing, after: &Watched) {
        let (from, to) = (self.before.state, after.state);
        let case = || {
            format!(
                "{doing:?}: {:?} -> {after:?} after {:?}",
                self.before, self.done
            )
        };
        if from != to {
            let is_step = |event: &Event| STEPS.contains(&(from, *event, to));
            assert!(
                doing.events().iter().any(is_step),
                "no such step: {}",
                case()
            );
            if to.is_public() {
                let due = self
                    .before
                    .scheduled_publish_at_unix
                    .is_none_or(|time| time <= self.scene.now());
                assert!(due || doing == Doing::PublishNow, "too early: {}", case());
            }
            if matches!(to, ContentState::Scheduled | ContentState::Published) {
                assert!(after.is_approved != 0, "not approved: {}", case());
                let is_report = matches!(doing, Doing::Report { .. });
                assert!(!is_report || after.is_blocked == 0, "blocked: {}", case());
            }
            if to == ContentState::Rejected
                && after.is_blocked != 0
                && matches!(doing, Doing::Report { .. })
            {
                self.refused_by_blocklist += 1;
            }
            *self
                .steps
                .entry(format!("{} -> {}", from.as_str(), to.as_str()))
                .or_default() += 1;
        }
        assert_eq!(is_played(&self.scene), to.is_public(), "a leak: {}", case());
        // Making a page takes longer than all the rest, and only the state decides whether there is one.
        if from != to {
            assert_eq!(has_page(&self.scene), to.is_public(), "a leak: {}", case());
        }
    }

    /// Long after, when everything has come to rest: what is shown is whole, and what is over has left nothing.
    fn check_rest(&self) {
        for _ in 0..3 {
            self.scene.pass(2 * 3600);
            self.scene.sweep();
        }
        let row = self.scene.row();
        let objects = self.scene.objects();
        match row.state {
            ContentState::Published | ContentState::Scheduled => {
                let folder = format!("media/c/{}/", row.media_generation.unwrap());
                let files = stored_media().files.len();
                let kept = objects
                    .iter()
                    .filter(|key| key.starts_with(&folder))
                    .count();
                assert_eq!(
                    (kept, objects.len()),
                    (files, files),
                    "{objects:?} {:?}",
                    self.done
                );
            }
            ContentState::Rejected | ContentState::TakenDown | ContentState::Deleted => {
                assert_eq!(objects, Vec::<String>::new(), "{row:?} {:?}", self.done);
            }
            ContentState::Processing | ContentState::Failed => {
                assert!(
                    objects.contains(&"sources/u/video".to_owned()),
                    "{:?}",
                    self.done
                );
            }
        }
    }
}

fn watched(scene: &Scene) -> Watched {
    scene.read(
        "SELECT state, generation, scheduled_publish_at_unix,
             EXISTS (SELECT 1 FROM reports WHERE generation = media_generation AND verdict = 'pass')
                 OR EXISTS (SELECT 1 FROM decisions WHERE generation = media_generation AND action = 'approve')
                 AS is_approved,
             EXISTS (SELECT 1 FROM blocked_hashes) AS is_blocked
         FROM contents WHERE id = 1",
    )
}

/// Whether anybody gets the video.
fn is_played(scene: &Scene) -> bool {
    let path = MediaPath::parse("/media/m.mp4").unwrap();
    let found = block_on(file::find(&scene.world.database, &path)).unwrap();
    let found = found.unwrap().file(path.file, Asker::Anybody);
    found.is_some()
}

fn has_page(scene: &Scene) -> bool {
    let page = shown::page(&scene.world.database, "s", "https://www.example");
    block_on(page).unwrap().is_some()
}

fn below(entropy: &mut Seeded, bound: usize) -> usize {
    let mut bytes = [0; 8];
    entropy.fill(&mut bytes);
    usize::try_from(u64::from_le_bytes(bytes) % bound as u64).unwrap()
}

/// Runs the rounds of those seeds; answers the steps that were taken, and how many the blocklist refused.
fn run_all(seeds: impl Iterator<Item = usize>) -> (BTreeMap<String, u64>, u64) {
    let mut steps = BTreeMap::<String, u64>::new();
    let mut refused_by_blocklist = 0;
    for seed in seeds {
        let mut round = Round::new(seed as u64);
        round.run();
        round.check_rest();
        refused_by_blocklist += round.refused_by_blocklist;
        for (step, count) in round.steps {
            *steps.entry(step).or_default() += count;
        }
    }
    (steps, refused_by_blocklist)
}

#[test]
fn no_interleaving_shows_what_must_not_be_seen_or_takes_a_step_that_is_none() {
    let parts = std::thread::scope(|scope| {
        let parts = (0..THREADS)
            .map(|thread| scope.spawn(move || run_all((thread..ROUNDS).step_by(THREADS))));
        let parts: Vec<_> = parts.collect();
        let parts = parts.into_iter().map(|part| part.join().unwrap());
        parts.collect::<Vec<_>>()
    });
    let mut steps = BTreeMap::<String, u64>::new();
    let mut refused_by_blocklist = 0;
    for (taken, refused) in parts {
        refused_by_blocklist += refused;
        for (step, count) in taken {
            *steps.entry(step).or_default() += count;
        }
    }
    println!(
        "{ROUNDS} interleavings, 0 leaks, 0 illegal states, {refused_by_blocklist} refused by the blocklist"
    );
    println!("{steps:#?}");
    // Every step between two states was taken, so the rules above were tried on each.
    let between = STEPS.iter().filter(|(from, _, to)| from != to);
    for (from, _, to) in between {
        let step = format!("{} -> {}", from.as_str(), to.as_str());
        assert!(steps.contains_key(&step), "{step} was never taken");
    }
    assert!(refused_by_blocklist > 0);
}

#[test]
fn a_hash_that_is_added_while_a_report_is_compared_is_seen_by_it() {
    let scene = Scene::new();
    scene.claim("a", 1, 1);
    let process = scene.world.process(None).yielding();
    let id = job("a", 1);
    let made = JobReport {
        id,
        outcome: processed(&[Pass]),
    };
    let mut reporting = Box::pin(report(&process, &made, NOON));
    let mut context = Context::from_waker(Waker::noop());
    // The comparison's page and its end; the acceptance is next.
    for _ in 0..2 {
        assert!(reporting.as_mut().poll(&mut context).is_pending());
    }
    let [hash, reason, by] = [HASH, "r", "m"].map(str::to_owned);
    block_on(block(
        &scene.world.database,
        &ChangeHash { hash, reason, by },
        NOON,
    ))
    .unwrap();
    let answer = loop {
        if let Poll::Ready(answer) = reporting.as_mut().poll(&mut context) {
            break answer.unwrap();
        }
    };
    assert_eq!(
        (answer.accepted, answer.state),
        (true, Some(ContentState::Rejected))
    );
    let found = "SELECT count(*) AS number FROM findings WHERE check_name = 'blocklist' AND verdict = 'reject'";
    assert_eq!(scene.count(found), 1);
    // Once more, with another list: nothing changes, and no evidence is added.
    let remove = Statement::new("DELETE FROM blocked_hashes");
    block_on(scene.world.database.batch(vec![remove])).unwrap();
    assert!(scene.report("a", 1, processed(&[Pass])).accepted);
    assert_eq!(scene.count("SELECT count(*) AS number FROM findings"), 2);
}
