//! Histories of a key while the pepper is replaced, on real SQLite. Each request may run on a Worker with different
//! peppers, and the outcome is compared with a model.

use super::*;
use crate::people::auth::hash::Pepper;
use crate::people::keys::channels::{ChannelSettings, ensure_channel};
use crate::people::keys::pepper_counts::{UnmovedKeys, count_unmoved};
use crate::platform::database::Rows;
use crate::platform::database::tries::Timer;
use crate::testing::sqlite::Sqlite;
use crate::testing::virtual_timer::VirtualTimer;
use futures_executor::block_on;
use proptest::prelude::*;
use std::cell::Cell;

const NOW: UnixSeconds = UnixSeconds(1);

/// The peppers of a Worker: the current one, and perhaps a second one.
type Peppers = (u8, Option<u8>);

const PEPPERS: [Peppers; 4] = [(0, None), (0, Some(1)), (1, Some(0)), (1, None)];

#[derive(Clone, Copy, Debug)]
enum Operation {
    Create(u8),
    Use(u8),
    Rotate(u8),
    Delete,
    ReportLeak(u8),
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        2 => (0..3_u8).prop_map(Operation::Create),
        4 => (0..3_u8).prop_map(Operation::Use),
        2 => (0..3_u8).prop_map(Operation::Rotate),
        1 => Just(Operation::Delete),
        1 => (0..3_u8).prop_map(Operation::ReportLeak),
    ]
}

/// The valid key, the pepper of its hash, and its uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Held {
    number: u8,
    pepper: u8,
    uses: u64,
}

/// The effects of an operation.
#[derive(Debug, Default, PartialEq, Eq)]
struct Effects {
    succeeds: bool,
    /// Whether the owner gets an event and the uploads in progress end.
    is_told: bool,
}

/// Returns the operation with another key if it would replace the valid key with itself.
fn with_new_key(operation: Operation, held: Option<Held>) -> Operation {
    match operation {
        Operation::Rotate(number) if held.is_some_and(|held| held.number == number) => Operation::Rotate(number + 1),
        _ => operation,
    }
}

/// Applies the operation to the model.
fn expect(held: &mut Option<Held>, (current, second): Peppers, operation: Operation) -> Effects {
    let is_found = |number: u8| {
        held.is_some_and(|held| held.number == number && [Some(current), second].contains(&Some(held.pepper)))
    };
    let (next, effects) = match (operation, *held) {
        (Operation::Create(number), None) => {
            (Some(Held { number, pepper: current, uses: 0 }), Effects { succeeds: true, is_told: false })
        }
        // The same hash again is a retry of the same creation.
        (Operation::Create(number), Some(key)) => {
            (*held, Effects { succeeds: (key.number, key.pepper) == (number, current), is_told: false })
        }
        (Operation::Use(number), Some(key)) if is_found(number) => {
            (Some(Held { pepper: current, uses: key.uses + 1, ..key }), Effects { succeeds: true, is_told: false })
        }
        (Operation::Rotate(number), Some(key)) => {
            (Some(Held { number, pepper: current, ..key }), Effects { succeeds: true, is_told: true })
        }
        (Operation::Delete, Some(_)) => (None, Effects { succeeds: true, is_told: true }),
        (Operation::ReportLeak(number), _) if is_found(number) => (None, Effects { succeeds: true, is_told: true }),
        _ => (*held, Effects::default()),
    };
    *held = next;
    effects
}

fn pepper_of((current, second): Peppers) -> Pepper {
    let secret = |pepper: u8| format!("{pepper} is a pepper that is long enough");
    let pepper = Pepper::new(&secret(current)).unwrap();
    match second {
        Some(second) => pepper.with_second(&secret(second)).unwrap(),
        None => pepper,
    }
}

/// A database with one channel.
struct Scene {
    database: Sqlite,
    channel: ChannelId,
}

impl Scene {
    fn new() -> Self {
        let database = Sqlite::migrated();
        let channel = block_on(ensure_channel(&database, 1, ChannelSettings::limited(7), NOW)).unwrap();
        Self { database, channel: ChannelId(channel) }
    }

    fn run(&self, peppers: Peppers, operation: Operation, number_of_step: usize) -> bool {
        let hash = |number: u8| pepper_of(peppers).hash(&[number]);
        // No two keys have the same hint.
        let key = |number| StoredKey { hash: hash(number), hint: format!("cgk_{number_of_step:04}…zzzz") };
        let (database, channel) = (&self.database, self.channel);
        block_on(async {
            match operation {
                Operation::Create(number) => create(database, channel, &key(number), NOW).await.unwrap().is_some(),
                Operation::Rotate(number) => rotate(database, channel, &key(number), 0, NOW).await.unwrap().is_some(),
                Operation::Delete => delete(database, channel).await.unwrap(),
                Operation::ReportLeak(number) => end_leaked(database, &hash(number)).await.unwrap(),
                Operation::Use(number) => {
                    let is_valid = find_channel(database, &hash(number)).await.unwrap().is_some();
                    let is_used = record_use(database, &hash(number), NOW).await.unwrap().is_some();
                    assert_eq!(is_valid, is_used);
                    is_used
                }
            }
        })
    }

    fn number(&self, sql: &'static str) -> u64 {
        #[derive(Deserialize)]
        struct Row {
            number: u64,
        }
        let row: Option<Row> = block_on(self.database.first(Statement::new(sql))).unwrap();
        row.unwrap().number
    }

    fn open_upload(&self) {
        let insert = "INSERT INTO uploads (uuid, channel_id, day, state, lease_ends_at_unix)
            VALUES (hex(randomblob(16)), 1, 1, 'reserved', 9000000000)";
        block_on(self.database.execute(Statement::new(insert))).unwrap();
    }

    /// Whether the effects that the operation must have, and no others, can be seen in the other tables.
    fn check_effects(&self, is_told: bool, told_before: [u64; 2]) -> Result<(), TestCaseError> {
        let [events, removals] = told_before;
        prop_assert_eq!(self.told()[0] - events, u64::from(is_told), "events");
        prop_assert_eq!(self.told()[1] - removals, u64::from(is_told), "removals");
        let has_uploads = self.number("SELECT count(*) AS number FROM uploads") > 0;
        prop_assert_eq!(has_uploads, !is_told, "open uploads");
        Ok(())
    }

    fn told(&self) -> [u64; 2] {
        [
            self.number("SELECT count(*) AS number FROM events"),
            self.number("SELECT count(*) AS number FROM removals WHERE kind = 'key'"),
        ]
    }

    fn check_counts(&self, held: Option<Held>) -> Result<(), TestCaseError> {
        for pepper in [0, 1] {
            let id = pepper_of((1 - pepper, Some(pepper))).second_id();
            let counted = block_on(count_unmoved(&self.database, id.as_deref())).unwrap();
            let second = u64::from(held.is_some_and(|held| held.pepper == pepper));
            prop_assert_eq!(counted, UnmovedKeys { second, unknown: 0 });
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(fixtures::cases(200, 5_000)))]
    #[test]
    fn a_key_is_valid_wherever_its_pepper_is_known_and_a_use_moves_it(
        steps in prop::collection::vec((prop::sample::select(PEPPERS.to_vec()), operation()), 0..40),
    ) {
        let scene = Scene::new();
        let mut held = None;
        for (number_of_step, (peppers, operation)) in steps.into_iter().enumerate() {
            let operation = with_new_key(operation, held);
            scene.open_upload();
            let told_before = scene.told();
            let expected = expect(&mut held, peppers, operation);
            let succeeds = scene.run(peppers, operation, number_of_step);
            prop_assert_eq!(succeeds, expected.succeeds, "{:?} with {:?}", operation, peppers);
            scene.check_effects(expected.is_told, told_before)?;
            let uses = block_on(find(&scene.database, scene.channel)).unwrap().map(|key| key.uses_count);
            prop_assert_eq!(uses, held.map(|held| held.uses));
            scene.check_counts(held)?;
        }
    }
}

#[test]
fn a_key_from_before_the_ids_is_counted_as_unknown_until_it_moves() {
    let scene = Scene::new();
    scene.run((0, None), Operation::Create(1), 0);
    let forget = "UPDATE api_keys SET pepper_id = NULL";
    block_on(scene.database.execute(Statement::new(forget))).unwrap();
    let counted = || {
        let id = pepper_of((1, Some(0))).second_id();
        block_on(count_unmoved(&scene.database, id.as_deref())).unwrap()
    };
    assert_eq!(counted(), UnmovedKeys { second: 0, unknown: 1 });
    assert!(scene.run((1, Some(0)), Operation::Use(1), 1));
    assert_eq!(counted(), UnmovedKeys::default());
    assert!(scene.run((1, None), Operation::Use(1), 2) && !scene.run((0, None), Operation::Use(1), 3));
}

/// Counts the statements that it is given.
#[derive(Default)]
struct CountingDatabase(Cell<usize>, VirtualTimer);

impl Database for CountingDatabase {
    async fn batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError> {
        self.0.set(self.0.get() + statements.len());
        Ok(statements.iter().map(|_| Rows(Vec::new())).collect())
    }

    fn timer(&self) -> &impl Timer {
        &self.1
    }
}

#[test]
fn only_a_second_pepper_makes_a_use_cost_another_statement() {
    let statements = |peppers| {
        let database = CountingDatabase::default();
        block_on(record_use(&database, &pepper_of(peppers).hash(b"key"), NOW)).unwrap();
        database.0.get()
    };
    assert_eq!([(0, None), (1, Some(0))].map(statements), [2, 3]);
}
