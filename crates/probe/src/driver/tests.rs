//! Tests the driver with walks whose answers each test chooses.

use super::*;
use crate::Container;
use std::sync::{Arc, Mutex};

/// Returns a step as text, such as `Skip(8)`, or the name of the refusal. Steps themselves cannot be compared.
pub(crate) fn step_text(step: Result<WalkStep, FileRefusal>) -> Result<String, &'static str> {
    step.map(|step| format!("{step:?}")).map_err(|refusal| refusal.kind().name())
}

impl fmt::Debug for WalkStep {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Need(count) => write!(out, "Need({count})"),
            Self::Skip(count) => write!(out, "Skip({count})"),
            Self::Become(_) => write!(out, "Become"),
            Self::Done => write!(out, "Done"),
        }
    }
}

const MALFORMED: FileRefusal = FileRefusal::Malformed { container: Container::Mp4, what: "a test" };

/// The windows that a walk saw, each with its position.
type Seen = Arc<Mutex<Vec<(u64, Vec<u8>)>>>;

/// Asks for `need` bytes, then skips `skip`, again and again. Becomes known at its third structure.
struct Steps {
    need: usize,
    skip: u64,
    seen: Seen,
}

impl Walk for Steps {
    fn step(&mut self, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let Some(structure) = window.get(..self.need) else {
            return Ok(WalkStep::Need(self.need));
        };
        self.seen.lock().unwrap().push((at, structure.to_vec()));
        Ok(WalkStep::Skip(self.skip))
    }

    fn is_known(&self) -> bool {
        self.seen.lock().unwrap().len() >= 3
    }

    fn finish(&mut self, end: FileEnd<'_>) -> Result<Media, FileRefusal> {
        self.seen.lock().unwrap().push((end.length, vec![u8::try_from(end.missing).unwrap(); end.tail.len() + 1]));
        Err(MALFORMED)
    }
}

fn steps(need: usize, skip: u64) -> (Driver, Seen) {
    let seen = Seen::default();
    (Driver::new(Box::new(Steps { need, skip, seen: Arc::clone(&seen) })), seen)
}

fn file(length: usize) -> Vec<u8> {
    (0..length).map(|at| u8::try_from(at % 251).unwrap()).collect()
}

#[test]
fn a_walk_sees_the_same_structures_for_every_size_of_chunks() {
    for (need, skip) in [(8, 5), (8, 8), (3, 20), (1, 1)] {
        let whole = file(100);
        let expected: Vec<_> = (0..=100 - u64::try_from(need).unwrap())
            .step_by(usize::try_from(skip).unwrap())
            .map(|at| (at, whole[usize::try_from(at).unwrap()..][..need].to_vec()))
            .collect();
        for size in [1, 2, 7, 8, 9, 100] {
            let (mut driver, seen) = steps(need, skip);
            for chunk in whole.chunks(size) {
                driver.feed(chunk).unwrap();
            }
            assert_eq!(*seen.lock().unwrap(), expected, "need {need}, skip {skip}, chunks of {size}");
            assert_eq!(driver.known_at(), Some(2 * skip));
        }
    }
}

#[test]
fn the_capture_buffer_does_not_grow_with_the_file() {
    let (mut driver, _) = steps(8, 5);
    for byte in file(100_000) {
        driver.feed(&[byte]).unwrap();
        assert!(driver.captured.len() <= 16, "{} bytes", driver.captured.len());
    }
}

#[test]
fn skipped_bytes_may_be_passed_instead_of_fed() {
    let (mut driver, seen) = steps(2, 50);
    driver.feed(&[1, 2]).unwrap();
    assert_eq!(driver.skippable(), 48);
    driver.pass(40);
    assert_eq!(driver.skippable(), 8);
    driver.feed(&[0; 8]).unwrap();
    driver.feed(&[3, 4]).unwrap();
    assert_eq!(*seen.lock().unwrap(), [(0, vec![1, 2]), (50, vec![3, 4])]);
}

#[test]
fn the_end_tells_the_walk_what_is_missing_and_what_is_left() {
    let (mut driver, seen) = steps(2, 50);
    driver.feed(&[1, 2, 3]).unwrap();
    assert_eq!(driver.finish().map(drop), Err(MALFORMED));
    assert_eq!(seen.lock().unwrap().last(), Some(&(3, vec![47])));
    let (mut driver, seen) = steps(8, 8);
    driver.feed(&file(11)).unwrap();
    assert_eq!(driver.finish().map(drop), Err(MALFORMED));
    assert_eq!(seen.lock().unwrap().last(), Some(&(11, vec![0; 3 + 1])));
}

#[test]
fn a_walk_that_skips_nothing_moves_on_after_a_while() {
    let (mut driver, seen) = steps(1, 0);
    driver.feed(&file(3)).unwrap();
    let positions: Vec<u64> = seen.lock().unwrap().iter().map(|(at, _)| *at).collect();
    let limit = usize::try_from(IDLE_LIMIT).unwrap();
    assert_eq!(positions.iter().filter(|at| **at == 0).count(), limit + 1);
    assert_eq!(positions.last(), Some(&2));
}

#[test]
fn a_structure_may_have_at_most_256_kib() {
    let (mut driver, _) = steps(262_144, 1);
    assert_eq!(driver.feed(&[0]), Ok(()));
    let (mut driver, _) = steps(262_145, 1);
    assert!(matches!(driver.feed(&[0]), Err(FileRefusal::MetadataTooLarge { .. })));
}

/// Returns this step for the first two bytes, and must not be called again.
struct Once(Option<WalkStep>);

impl Walk for Once {
    fn step(&mut self, _at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let is_enough = window.len() >= 2;
        Ok(if is_enough { self.0.take().expect("one step") } else { WalkStep::Need(2) })
    }

    fn finish(&mut self, end: FileEnd<'_>) -> Result<Media, FileRefusal> {
        let is_whole = (end.length, end.missing, end.tail) == (100, 0, &[]);
        Err(if is_whole { FileRefusal::DurationUnknown { container: Container::Mp4 } } else { MALFORMED })
    }
}

#[test]
fn after_done_all_bytes_are_skippable_and_none_is_missing() {
    for size in [1, 2, 100] {
        let mut driver = Driver::new(Box::new(Once(Some(WalkStep::Done))));
        for chunk in file(100).chunks(size) {
            driver.feed(chunk).unwrap();
        }
        assert_eq!(driver.skippable(), u64::MAX);
        let container = Container::Mp4;
        assert_eq!(driver.finish().map(drop), Err(FileRefusal::DurationUnknown { container }), "chunks of {size}");
    }
}

#[test]
fn another_walk_continues_at_the_same_position() {
    let seen = Seen::default();
    let next = Steps { need: 3, skip: 97, seen: Arc::clone(&seen) };
    let mut driver = Driver::new(Box::new(Once(Some(WalkStep::Become(Box::new(next))))));
    for byte in file(100) {
        driver.feed(&[byte]).unwrap();
    }
    assert_eq!(*seen.lock().unwrap(), [(0, vec![0, 1, 2]), (97, vec![97, 98, 99])]);
}

#[test]
fn the_position_and_the_steps_are_counted_and_the_position_is_printed() {
    let (mut driver, _) = steps(1, 3);
    driver.feed(&file(10)).unwrap();
    assert_eq!((driver.at(), driver.steps()), (10, 4));
    assert_eq!(format!("{driver:?}"), "Driver { at: 10, .. }");
}
