//! The life of a key on real SQLite: each rule on its own, then random sequences of operations compared with a model.

use super::*;
use crate::people::auth::hash::Pepper;
use crate::people::keys::channels::{ChannelSettings, ensure_channel};
use crate::testing::sqlite::Sqlite;
use contract::limits::MAX_DAILY_NEW_KEYS;
use futures_executor::block_on;
use proptest::prelude::*;

fn key(number: u8) -> StoredKey {
    let pepper = Pepper::new("a pepper that is long enough to use").unwrap();
    StoredKey { hash: pepper.hash(&[number]), hint: format!("cgk_{number:04}…zzzz") }
}

fn database_with_channel() -> (Sqlite, ChannelId) {
    let database = Sqlite::migrated();
    let channel = block_on(ensure_channel(&database, 1, ChannelSettings::limited(7), UnixSeconds(1))).unwrap();
    (database, ChannelId(channel))
}

#[test]
fn a_new_key_has_no_uses_and_no_rotation() {
    let (database, channel) = database_with_channel();
    let created = block_on(create(&database, channel, &key(1), UnixSeconds(100))).unwrap().unwrap();
    let expected = KeyMetadata {
        key_hint: key(1).hint,
        created_at_unix: 100,
        rotated_at_unix: None,
        last_used_at_unix: None,
        uses_count: 0,
        previous_key_ends_at_unix: None,
    };
    assert_eq!(created, expected);
}

#[test]
fn a_second_key_is_refused_and_the_first_stays_unchanged() {
    let (database, channel) = database_with_channel();
    block_on(create(&database, channel, &key(1), UnixSeconds(100))).unwrap();
    assert_eq!(block_on(create(&database, channel, &key(2), UnixSeconds(200))).unwrap(), None);
    let metadata = block_on(find(&database, channel)).unwrap().unwrap();
    assert_eq!((metadata.key_hint, metadata.created_at_unix), (key(1).hint, 100));
}

#[test]
fn a_creation_whose_answer_was_lost_can_be_retried() {
    let (database, channel) = database_with_channel();
    let first = block_on(create(&database, channel, &key(1), UnixSeconds(100))).unwrap();
    assert_eq!(block_on(create(&database, channel, &key(1), UnixSeconds(100))).unwrap(), first);
}

#[test]
fn rotation_keeps_the_creation_time_and_the_uses_and_invalidates_the_old_key() {
    let (database, channel) = database_with_channel();
    block_on(create(&database, channel, &key(1), UnixSeconds(100))).unwrap();
    block_on(record_use(&database, &key(1).hash, UnixSeconds(150))).unwrap();
    let rotated = block_on(rotate(&database, channel, &key(2), 0, UnixSeconds(200))).unwrap().unwrap();
    assert_eq!(rotated.created_at_unix, 100);
    assert_eq!(rotated.rotated_at_unix, Some(200));
    assert_eq!((rotated.last_used_at_unix, rotated.uses_count), (Some(150), 1));
    assert_eq!(block_on(record_use(&database, &key(1).hash, UnixSeconds(250))).unwrap(), None);
    assert!(block_on(record_use(&database, &key(2).hash, UnixSeconds(250))).unwrap().is_some());
}

#[test]
fn a_use_is_counted_and_names_channel_and_limit() {
    let (database, channel) = database_with_channel();
    block_on(create(&database, channel, &key(1), UnixSeconds(100))).unwrap();
    let channel_use = block_on(record_use(&database, &key(1).hash, UnixSeconds(86_400))).unwrap().unwrap();
    assert_eq!(channel_use.channel_id, channel);
    assert_eq!(channel_use.usage, Usage { day: 1, amount: 7, used: 0 });
    let metadata = block_on(find(&database, channel)).unwrap().unwrap();
    assert_eq!((metadata.uses_count, metadata.last_used_at_unix), (1, Some(86_400)));
}

/// Returns the number of rows that record the actions of owners.
fn kept_rows(database: &Sqlite) -> u64 {
    #[derive(Deserialize)]
    struct Row {
        number: u64,
    }
    let count = "SELECT (SELECT count(*) FROM trail) + (SELECT count(*) FROM trail_places)
         + (SELECT count(*) FROM removals) + (SELECT count(*) FROM events) AS number";
    let row: Option<Row> = block_on(database.first(Statement::new(count))).unwrap();
    row.unwrap().number
}

#[test]
fn a_burst_of_rotations_leaves_a_bounded_number_of_rows_and_the_last_key_stays_valid() {
    let (database, channel) = database_with_channel();
    block_on(create(&database, channel, &key(0), UnixSeconds(100))).unwrap();
    let rotate = |number, at| block_on(rotate(&database, channel, &key(number), 0, UnixSeconds(at))).unwrap().is_some();
    let rotated = (1..=206_u8).filter(|number| rotate(*number, 100 + u64::from(*number))).count();
    assert_eq!(u32::try_from(rotated).unwrap(), MAX_DAILY_NEW_KEYS - 1, "the creation counts too");
    // A line in the trail for each key, and a removal and an event for each rotation.
    assert_eq!(kept_rows(&database), 3 * u64::from(MAX_DAILY_NEW_KEYS) - 2);
    let last = u8::try_from(rotated).unwrap();
    assert!(block_on(find_channel(&database, &key(last).hash)).unwrap().is_some());
    assert!(block_on(find_channel(&database, &key(last - 1).hash)).unwrap().is_none());
    assert!(block_on(AccountChange::NewKey.is_exceeded(&database, channel, UnixSeconds(500))).unwrap());
    // The key can be deleted, but not replaced before the next day.
    assert!(block_on(delete(&database, channel)).unwrap());
    assert_eq!(block_on(create(&database, channel, &key(207), UnixSeconds(500))).unwrap(), None);
    assert!(block_on(create(&database, channel, &key(207), UnixSeconds(86_400))).unwrap().is_some());
}

#[test]
fn what_makes_no_key_counts_as_none() {
    let (database, channel) = database_with_channel();
    block_on(create(&database, channel, &key(1), UnixSeconds(100))).unwrap();
    for number in 0..=255 {
        assert_eq!(
            block_on(create(&database, channel, &key(number), UnixSeconds(100))).unwrap().is_some(),
            number == 1
        );
    }
    assert!(block_on(rotate(&database, channel, &key(2), 0, UnixSeconds(100))).unwrap().is_some());
}

#[derive(Clone, Debug)]
enum Operation {
    Create(u8),
    /// Rotates the key, and lets the old one live on for some seconds. The clock of these tests stands still in 1970,
    /// and the database's does not.
    Rotate(u8, u64),
    Delete,
    ReportLeak(u8),
    Use(u8),
}

const NO_TIME: u64 = 0;
const A_TIME_THAT_HAS_PASSED: u64 = 86_400;
const A_LONG_TIME: u64 = 10_000_000_000;

fn operation() -> impl Strategy<Value = Operation> {
    let seconds = prop::sample::select(vec![NO_TIME, A_TIME_THAT_HAS_PASSED, A_LONG_TIME]);
    prop_oneof![
        (0..6_u8).prop_map(Operation::Create),
        (0..6_u8, seconds).prop_map(|(number, seconds)| Operation::Rotate(number, seconds)),
        Just(Operation::Delete),
        (0..6_u8).prop_map(Operation::ReportLeak),
        (0..6_u8).prop_map(Operation::Use),
    ]
}

/// The key of a channel: the current secret, the previous one if it is valid, and how often both were used.
#[derive(Clone, Copy)]
struct Held {
    current: u8,
    previous: Option<u8>,
    uses: u64,
}

impl Held {
    fn has(self, number: u8) -> bool {
        self.current == number || self.previous == Some(number)
    }
}

#[derive(Default)]
struct Model(Option<Held>);

impl Model {
    /// Applies the operation and returns whether it should succeed.
    fn apply(&mut self, operation: &Operation) -> bool {
        let (succeeds, next) = match (self.0, operation) {
            (None, Operation::Create(number)) => (true, Some(Held { current: *number, previous: None, uses: 0 })),
            // The same hash again is a retry of the same creation.
            (Some(held), Operation::Create(number)) => (held.current == *number, Some(held)),
            (Some(held), Operation::Rotate(number, seconds)) => {
                let previous = (*seconds == A_LONG_TIME).then_some(held.current);
                (true, Some(Held { current: *number, previous, uses: held.uses }))
            }
            (Some(_), Operation::Delete) => (true, None),
            (Some(held), Operation::ReportLeak(number)) if held.current == *number => (true, None),
            (Some(held), Operation::ReportLeak(number)) if held.has(*number) => {
                (true, Some(Held { previous: None, ..held }))
            }
            (Some(held), Operation::Use(number)) if held.has(*number) => {
                (true, Some(Held { uses: held.uses + 1, ..held }))
            }
            (state, _) => (false, state),
        };
        self.0 = next;
        succeeds
    }
}

fn run(database: &Sqlite, channel: ChannelId, operation: &Operation) -> bool {
    block_on(async {
        match operation {
            Operation::Create(number) => {
                create(database, channel, &key(*number), UnixSeconds(1)).await.unwrap().is_some()
            }
            Operation::Rotate(number, seconds) => {
                rotate(database, channel, &key(*number), *seconds, UnixSeconds(1)).await.unwrap().is_some()
            }
            Operation::Delete => delete(database, channel).await.unwrap(),
            Operation::ReportLeak(number) => end_leaked(database, &key(*number).hash).await.unwrap(),
            Operation::Use(number) => {
                let is_used = record_use(database, &key(*number).hash, UnixSeconds(1)).await.unwrap().is_some();
                assert_eq!(find_channel(database, &key(*number).hash).await.unwrap().is_some(), is_used);
                is_used
            }
        }
    })
}

proptest! {
    #[test]
    fn any_sequence_of_operations_agrees_with_the_model(operations in prop::collection::vec(operation(), 0..40)) {
        let (database, channel) = database_with_channel();
        let mut model = Model::default();
        for operation in &operations {
            let expected = model.apply(operation);
            prop_assert_eq!(run(&database, channel, operation), expected, "{:?}", operation);
            let found = block_on(find(&database, channel)).unwrap();
            let found = found.map(|key| (key.uses_count, key.previous_key_ends_at_unix));
            let ends_at = |held: Held| held.previous.map(|_| A_LONG_TIME + 1);
            prop_assert_eq!(found, model.0.map(|held| (held.uses, ends_at(held))));
        }
    }
}
