//! The database's work for an operation does not grow with the service's past. `tests/e2e/growth/` shows the same for
//! every route, on workerd.

use crate::base::ids::{ChannelId, ContentUuid, UploadUuid};
use crate::contents::life::begin::{NewContent, add};
use crate::jobs::claim;
use crate::jobs::tests::scene::{Scene, TRACEPARENT, stored_media};
use crate::moderation::content_search::{SoughtContent, find};
use crate::moderation::flags;
use crate::moderation::queue::{self, QueueAddresses, QueuePosition};
use crate::moderation::review_address::ReviewAddresses;
use crate::people::auth::hash::Pepper;
use crate::platform::database::{Batch, Database, Statement};
use contract::job::{ClaimAnswer, JobId};
use contract::{ContentState, TraceContext};
use fixtures::{cases, past};
use futures_executor::block_on;
use serde_json::json;

type Operation = fn(&Scene);

/// The operations, in the order in which they are measured, because each may affect the next.
const OPERATIONS: [(&str, Operation); 6] = [
    ("an upload of a channel whose jobs are held", upload),
    ("a claim that releases a held job", claim_first),
    ("a sweep", sweep),
    ("a page of a channel's contents", search),
    ("a page of the moderation queue", list_queue),
    ("the flagged contents", list_flagged),
];

/// Returns a channel that owns a tenth of so many contents, and has 50 jobs held.
fn with_past(contents: u32) -> Scene {
    let scene = Scene::new();
    scene.set_state(ContentState::Failed).unwrap();
    scene.world.database.run_script(&past(contents, 1, &serde_json::to_string(&stored_media()).unwrap()));
    scene.world.now_unix.set(scene.count("SELECT unixepoch() AS number"));
    (0..52).for_each(|_| upload(&scene));
    assert_eq!(
        scene.count("SELECT count(*) AS number FROM jobs WHERE state = 'held' AND state IN ('held', 'due', 'claimed')"),
        50
    );
    scene.sweep();
    scene
}

/// Writes what an upload does. Its job is sent at once, unless it is held.
fn upload(scene: &Scene) {
    let upload = Statement::new(
        "INSERT INTO uploads (uuid, channel_id, day, state, lease_ends_at_unix)
         SELECT 'new-' || (max(id) + 1), 1, 1, 'committed', 0 FROM uploads",
    );
    block_on(scene.world.database.execute(upload)).unwrap();
    let name = format!("new-{}", scene.count("SELECT max(id) AS number FROM uploads"));
    let (upload_uuid, uuid) = (UploadUuid::new(name.as_str()), ContentUuid::new(name.as_str()));
    let columns = json!({
        "slug_url": name, "media_name": name, "source": "{\"container\":\"mp4\",\"size_bytes\":7}", "duration_ms": 5000,
        "file_sha256": "h",
    });
    let columns = columns.as_object().unwrap().clone();
    let trace = TraceContext::parse(TRACEPARENT).unwrap();
    let content = NewContent { upload_uuid: &upload_uuid, uuid: &uuid, columns, trace, has_captions: false };
    let mut batch = Batch::default();
    add(&mut batch, &content, scene.now());
    block_on(scene.world.database.run(batch)).unwrap();
}

fn sweep(scene: &Scene) {
    assert!(scene.sweep().success);
}

fn claim_first(scene: &Scene) {
    // The two before the first held one are in the queue.
    let first = scene.count("SELECT min(content_id) - 2 AS number FROM jobs INDEXED BY jobs_by_channel WHERE state = 'held' AND state IN ('held', 'due', 'claimed')");
    let content_uuid = format!("new-{first}");
    let id = JobId { content_uuid, generation: 1, origin: "a".to_owned() };
    let answer = block_on(claim(&scene.world.process(None), &id, scene.times()));
    assert!(matches!(answer, Ok(ClaimAnswer::Granted(_))), "{answer:?}");
    assert_eq!(
        scene.count("SELECT count(*) AS number FROM jobs WHERE state = 'held' AND state IN ('held', 'due', 'claimed')"),
        50
    );
}

fn with_review(scene: &Scene, list: impl Fn(ReviewAddresses<'_>) -> usize) {
    let pepper = Pepper::new("0123456789abcdef0123456789abcdef").unwrap();
    assert_eq!(list(ReviewAddresses { base: "https://b", pepper: &pepper, until: scene.now(), session: None }), 10);
}

fn search(scene: &Scene) {
    let sought = SoughtContent::Channel(ChannelId(1));
    with_review(scene, |review| block_on(find(&scene.world.database, &sought, None, 10, review)).unwrap().len());
}

fn list_queue(scene: &Scene) {
    with_review(scene, |review| {
        let addresses = QueueAddresses { site: "https://s", review };
        block_on(queue::list(&scene.world.database, None, QueuePosition::default(), 10, addresses, scene.now()))
            .unwrap()
            .len()
    });
}

fn list_flagged(scene: &Scene) {
    with_review(scene, |review| block_on(flags::list(&scene.world.database, 10, review, scene.now())).unwrap().len());
}

/// Returns the instructions that SQLite ran for each operation.
fn instructions(contents: u32) -> Vec<u64> {
    let scene = with_past(contents);
    let count = |(_, operation): &(&str, Operation)| {
        let before = scene.world.database.instructions();
        operation(&scene);
        scene.world.database.instructions() - before
    };
    OPERATIONS.iter().map(count).collect()
}

#[test]
fn no_operation_takes_longer_the_longer_the_past_of_the_service_is() {
    let (small, large) = (1_000, cases(10_000, 100_000));
    for (((name, _), before), after) in OPERATIONS.iter().zip(instructions(small)).zip(instructions(large)) {
        println!("{name}: {before} instructions with {small} contents, {after} with {large}");
        assert!(after <= 2 * before, "{name}: {before} instructions with {small} contents, {after} with {large}");
    }
}
