//! Requests in one isolate that change the same thing take turns. While one of them has its turn, the others wait.
//! Otherwise, they would read rows that are out of date by the time they write.
//!
//! Only an optimisation: other isolates have their own turns, and the database decides which change is written.
//! Requests ask again and again with timers of their own, because the platform does not let one request wake another.
//! It also cancels requests without notice, so a turn ends by time, and so does the place of a request that no longer
//! asks.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The length of a turn: many times what a change takes. A longer change goes on without it.
const TURN: Duration = Duration::from_secs(2);

/// The time after which a waiting request that no longer asks is gone. It must be longer than the longest pause, also
/// when timers are late.
const ABSENCE: Duration = Duration::from_secs(1);

/// The pause of a request before it asks again, for each request in front of it. The first in line should notice the
/// end of a turn soon. If the others asked as often, they would only use CPU time.
const PAUSE_PER_PLACE: Duration = Duration::from_millis(8);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

/// The requests that have or await a turn in the isolate at once. They take some 100 KB. More get no turn, and need
/// none.
const MOST_REQUESTS: usize = 1_000;

pub(crate) struct Turns(Mutex<Lines>);

struct Lines {
    /// The requests that change the same thing, by its name.
    by_subject: BTreeMap<String, Vec<Ticket>>,
    /// The last number that was assigned. Numbers are never reused.
    last_number: u64,
}

/// A request that has or awaits its turn.
#[derive(Clone, Copy)]
struct Ticket {
    number: u64,
    is_urgent: bool,
    has_turn: bool,
    ends_ms: u64,
}

/// The place of a request in its line. Dropping it ends the turn, or the wait.
pub(crate) struct Turn<'a> {
    turns: &'a Turns,
    subject: String,
    number: u64,
    is_urgent: bool,
}

impl Turns {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(Lines { by_subject: BTreeMap::new(), last_number: 0 }))
    }

    /// Joins the line of a subject: before those that are not urgent if it is urgent itself, otherwise at its end.
    /// Returns `None` if the isolate has too many requests in its lines.
    pub(crate) fn join(&self, subject: &str, is_urgent: bool, now_ms: u64) -> Option<Turn<'_>> {
        let mut lines = self.lock();
        lines.remove(|ticket| ticket.ends_ms <= now_ms);
        if lines.by_subject.values().map(Vec::len).sum::<usize>() >= MOST_REQUESTS {
            return None;
        }
        lines.last_number += 1;
        let turn = Turn { turns: self, subject: subject.to_owned(), number: lines.last_number, is_urgent };
        lines.by_subject.entry(turn.subject.clone()).or_default().push(turn.ticket(now_ms));
        Some(turn)
    }

    fn lock(&self) -> MutexGuard<'_, Lines> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lines {
    fn remove(&mut self, is_over: impl Fn(&Ticket) -> bool) {
        self.by_subject.retain(|_, line| {
            line.retain(|ticket| !is_over(ticket));
            !line.is_empty()
        });
    }
}

impl Turn<'_> {
    /// Begins the turn if nobody is in front. Otherwise returns the pause after which to ask again. The request must
    /// not ask once it has its turn.
    pub(crate) fn begin(&self, now_ms: u64, random: u8) -> Result<(), Duration> {
        let mut lines = self.turns.lock();
        let line = lines.by_subject.entry(self.subject.clone()).or_default();
        line.retain(|ticket| ticket.ends_ms > now_ms && ticket.number != self.number);
        let mut ticket = self.ticket(now_ms);
        let in_front = line.iter().filter(|other| other.order() < ticket.order()).count();
        ticket.has_turn = in_front == 0;
        if ticket.has_turn {
            ticket.ends_ms = now_ms.saturating_add(millis(TURN));
        }
        line.push(ticket);
        if ticket.has_turn { Ok(()) } else { Err(pause(in_front, random)) }
    }

    /// Returns the ticket of a request that asks now. If it was taken for gone, it gets its old place again.
    fn ticket(&self, now_ms: u64) -> Ticket {
        let ends_ms = now_ms.saturating_add(millis(ABSENCE));
        Ticket { number: self.number, is_urgent: self.is_urgent, has_turn: false, ends_ms }
    }
}

impl Ticket {
    fn order(&self) -> (bool, bool, u64) {
        (!self.has_turn, !self.is_urgent, self.number)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut lines = self.turns.lock();
        let Some(line) = lines.by_subject.get_mut(&self.subject) else { return };
        line.retain(|ticket| ticket.number != self.number);
        if line.is_empty() {
            lines.by_subject.remove(&self.subject);
        }
    }
}

/// Half of the pause is random, so that requests do not ask in step.
fn pause(in_front: usize, random: u8) -> Duration {
    let places = u32::try_from(in_front).unwrap_or(u32::MAX);
    let longest = PAUSE_PER_PLACE.saturating_mul(places).min(LONGEST_PAUSE);
    longest / 2 + longest / 2 * u32::from(random) / 255
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const START: u64 = 1_000_000;

    fn in_lines(turns: &Turns) -> usize {
        turns.lock().by_subject.values().map(Vec::len).sum()
    }

    fn join(turns: &Turns, is_urgent: bool) -> Turn<'_> {
        turns.join("a", is_urgent, START).unwrap()
    }

    #[test]
    fn the_only_change_has_its_turn_at_once_and_leaves_nothing_behind() {
        let turns = Turns::new();
        let (one, of_another) = (join(&turns, false), turns.join("b", false, START).unwrap());
        assert_eq!((one.begin(START, 0), of_another.begin(START, 0)), (Ok(()), Ok(())));
        drop((one, of_another));
        assert!(turns.lock().by_subject.is_empty());
    }

    #[test]
    fn turns_are_in_the_order_of_arrival_but_urgent_changes_go_first() {
        let turns = Turns::new();
        let requests = [false, false, true, false, true].map(|is_urgent| join(&turns, is_urgent));
        let mut waiting: Vec<(usize, Turn<'_>)> = requests.into_iter().enumerate().collect();
        let mut order = Vec::new();
        while !waiting.is_empty() {
            // Whoever asks first does not matter.
            waiting.reverse();
            let begun = waiting.iter().position(|(_, turn)| turn.begin(START, 0).is_ok()).unwrap();
            let (number, turn) = waiting.remove(begun);
            assert!(waiting.iter().all(|(_, other)| other.begin(START, 0).is_err()));
            order.push(number);
            drop(turn);
        }
        assert_eq!(order, [2, 4, 0, 1, 3]);
    }

    #[test]
    fn an_urgent_change_does_not_end_the_turn_of_another() {
        let turns = Turns::new();
        let (owner, staff) = (join(&turns, false), join(&turns, true));
        drop(join(&turns, true));
        assert!(owner.begin(START, 0).is_err());
        drop(staff);
        assert_eq!(owner.begin(START, 0), Ok(()));
        let late = join(&turns, true);
        assert!(late.begin(START, 0).is_err());
        drop(owner);
        assert_eq!(late.begin(START, 0), Ok(()));
    }

    #[test]
    fn a_request_that_was_cancelled_in_its_turn_or_in_front_keeps_the_others_for_a_bounded_time() {
        let turns = Turns::new();
        let holder = join(&turns, false);
        assert_eq!(holder.begin(START, 0), Ok(()));
        let (in_front, waiting) = (join(&turns, false), join(&turns, false));
        // The platform runs no destructors of a cancelled request.
        std::mem::forget((holder, in_front));
        let end = START + millis(TURN);
        for now_ms in (START..end).step_by(100) {
            assert!(waiting.begin(now_ms, 0).is_err(), "{now_ms}");
        }
        assert_eq!(waiting.begin(end, 0), Ok(()));
    }

    #[test]
    fn a_request_whose_timer_was_late_keeps_its_place() {
        let turns = Turns::new();
        let holder = join(&turns, false);
        assert_eq!(holder.begin(START, 0), Ok(()));
        let (late, next) = (join(&turns, false), join(&turns, false));
        assert!(next.begin(START + 1_999, 0).is_err());
        assert!(late.begin(START + 1_999, 0).is_err());
        drop(holder);
        assert!(next.begin(START + 1_999, 0).is_err());
        assert_eq!(late.begin(START + 1_999, 0), Ok(()));
    }

    #[test]
    fn pauses_grow_with_the_place_and_stay_far_below_the_time_of_an_absence() {
        let millis = |in_front, random| pause(in_front, random).as_millis();
        assert_eq!([millis(1, 0), millis(1, 255), millis(2, 255), millis(10, 0)], [4, 8, 16, 40]);
        for in_front in [25, 1_000, usize::MAX] {
            assert_eq!([millis(in_front, 0), millis(in_front, 255)], [100, 200]);
        }
    }

    #[test]
    fn the_lines_are_bounded_and_have_room_again_for_others_once_cancelled_requests_are_gone() {
        let turns = Turns::new();
        for number in 0..MOST_REQUESTS {
            std::mem::forget(turns.join(&number.to_string(), number % 2 == 0, START).unwrap());
        }
        let later = START + millis(ABSENCE);
        assert!(turns.join("a", true, later - 1).is_none());
        assert!(turns.join("a", true, later).is_some());
        assert_eq!(in_lines(&turns), 0, "nothing is left of those that are gone");
    }

    /// A step of a request.
    #[derive(Clone, Copy, Debug)]
    enum Event {
        Join { subject: usize, is_urgent: bool },
        Ask(usize),
        End(usize),
        Cancel(usize),
        Pass(u64),
    }

    fn event() -> impl Strategy<Value = Event> {
        prop_oneof![
            2 => (0..3_usize, any::<bool>()).prop_map(|(subject, is_urgent)| Event::Join { subject, is_urgent }),
            6 => (0..20_usize).prop_map(Event::Ask),
            2 => (0..20_usize).prop_map(Event::End),
            1 => (0..20_usize).prop_map(Event::Cancel),
            3 => (0..1_500_u64).prop_map(Event::Pass),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(fixtures::cases(200, 5_000)))]

        #[test]
        fn no_two_changes_of_a_subject_have_their_turn_at_once(events in prop::collection::vec(event(), 1..200)) {
            let (turns, mut now_ms) = (Turns::new(), START);
            let mut waiting: Vec<(usize, Turn<'_>)> = Vec::new();
            // The subject and the end of each turn, and whoever can end it early.
            let mut begun: Vec<(usize, u64, Option<Turn<'_>>)> = Vec::new();
            for event in events {
                begun.retain(|(_, end, _)| *end > now_ms);
                match event {
                    Event::Join { subject, is_urgent } => {
                        waiting.push((subject, turns.join(["a", "b", "c"][subject], is_urgent, now_ms).unwrap()));
                    }
                    Event::Ask(index) if index < waiting.len() => {
                        if waiting[index].1.begin(now_ms, 0).is_ok() {
                            let (subject, turn) = waiting.remove(index);
                            let has_turn = |(other, _, _): &(usize, u64, Option<Turn<'_>>)| *other == subject;
                            prop_assert!(!begun.iter().any(has_turn), "two turns at once");
                            begun.push((subject, now_ms + millis(TURN), Some(turn)));
                        }
                    }
                    Event::End(index) if index < begun.len() && begun[index].2.is_some() => drop(begun.remove(index)),
                    Event::Cancel(index) if index < begun.len() => begun[index].2.take().into_iter().for_each(std::mem::forget),
                    Event::Cancel(index) if index < waiting.len() => std::mem::forget(waiting.remove(index)),
                    Event::Pass(ms) => now_ms += ms,
                    Event::Ask(_) | Event::End(_) | Event::Cancel(_) => {}
                }
            }
            drop((waiting, begun));
            // Only cancelled requests are left, and not for long.
            turns.lock().remove(|ticket| ticket.ends_ms <= now_ms + millis(TURN));
            prop_assert_eq!(in_lines(&turns), 0);
        }

        #[test]
        fn nobody_starves(
            work in prop::collection::vec((0..50_u64, any::<bool>(), 0..10_u8), 1..40), random in any::<u8>(),
        ) {
            let turns = Turns::new();
            // The time at which each request asks next, its work, and whether it is cancelled in its turn.
            let mut waiting: Vec<(u64, u64, bool, Turn<'_>)> =
                work.iter().map(|(ms, is_urgent, fate)| (START, *ms, *fate == 0, join(&turns, *is_urgent))).collect();
            let cancelled = waiting.iter().filter(|(_, _, is_cancelled, _)| *is_cancelled).count() as u64;
            let total: u64 = work.iter().map(|(ms, _, _)| *ms).sum();
            // Each turn is noticed within the pause of a request that was second in line before.
            let bound = START + total + work.len() as u64 * 2 * millis(PAUSE_PER_PLACE) + cancelled * millis(TURN)
                + millis(LONGEST_PAUSE);
            let mut running: Option<(u64, Turn<'_>)> = None;
            while let Some(next) = waiting.iter().map(|one| one.0).min() {
                prop_assert!(next <= bound, "{} still wait", waiting.len());
                if running.as_ref().is_some_and(|(end, _)| *end <= next) {
                    running = None;
                }
                let index = waiting.iter().position(|one| one.0 == next).unwrap();
                if let Err(pause) = waiting[index].3.begin(next, random) {
                    waiting[index].0 = next + millis(pause).max(1);
                    continue;
                }
                let (_, ms, is_cancelled, turn) = waiting.remove(index);
                if is_cancelled { std::mem::forget(turn) } else { running = Some((next + ms, turn)) }
            }
        }
    }
}
