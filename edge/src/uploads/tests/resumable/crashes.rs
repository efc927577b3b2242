//! Every operation of a resumable upload fails in every way, and the client goes on where the upload stands.

use super::super::scene::{LONG_AFTER, Scene, large_video};
use super::client::Client;
use crate::testing::fake_platform::Fault;
use crate::uploads::resumable::Outcome;

/// The requests of the upload: how much each sends, and whether its connection breaks.
const REQUESTS: [(usize, bool); 4] = [(100_000, false), (300_000, true), (0, false), (usize::MAX, false)];

/// Runs the upload with a process for each request, the `chosen` one with a fault. Returns the operations of each.
fn run(client: &Client<'_>, chosen: usize, fault: Option<(usize, Fault)>) -> Vec<usize> {
    let mut operations = Vec::new();
    for (number, (bytes, breaks)) in REQUESTS.into_iter().enumerate() {
        let process = client.scene.world.process(fault.filter(|_| number == chosen));
        let known = client.offset();
        let acknowledged = client.append_by(&process, known, bytes, breaks);
        operations.push(process.operations());
        if let Some(Ok(appended)) = acknowledged {
            assert!(client.offset() >= appended.progress.received, "acknowledged bytes are lost");
        }
        assert!(client.offset() >= known, "stored bytes are lost");
    }
    operations
}

fn slow_client(scene: &Scene, seconds_per_chunk: u64) -> Client<'_> {
    Client { seconds_per_chunk, ..Client::new(scene, &large_video()) }
}

fn scene() -> Scene {
    Scene::new(10)
}

#[test]
fn an_upload_is_accepted_once_whichever_operation_fails() {
    let mut cases = 0;
    for slow in [0, 1] {
        let whole = scene();
        let client = slow_client(&whole, slow);
        client.create().unwrap();
        for (request, operations) in run(&client, usize::MAX, None).into_iter().enumerate() {
            for fault in (0..operations).flat_map(|operation| Fault::ALL.map(|fault| (operation, fault))) {
                let scene = scene();
                let client = slow_client(&scene, slow);
                client.create().unwrap();
                run(&client, request, Some(fault));
                // A request that died holds the slot until its lease ends, but does not keep the next one out.
                if !matches!(client.look().unwrap().outcome, Outcome::Accepted(_)) {
                    client.finish().unwrap();
                }
                let case = format!("request {request}, {fault:?}, slow {slow}");
                assert!(matches!(client.look().unwrap().outcome, Outcome::Accepted(_)), "{case}");
                assert!(scene.world.objects.borrow().values().any(|bytes| *bytes == client.file), "{case}");
                scene.world.pass(LONG_AFTER);
                scene.sweep();
                assert_eq!((scene.violations_after_sweep(), scene.contents()), (Vec::<String>::new(), 1), "{case}");
                cases += 1;
            }
        }
    }
    println!("crash matrix of resumable uploads: {cases} cases, 0 violations");
    assert!(cases > 250, "{cases}");
}

#[test]
fn a_creation_that_fails_leaves_nothing() {
    let whole = scene();
    let process = whole.world.process(None);
    futures_executor::block_on(Client::new(&whole, &large_video()).creating(&process)).unwrap();
    for fault in (0..process.operations()).flat_map(|operation| Fault::ALL.map(|fault| (operation, fault))) {
        let scene = scene();
        let client = Client::new(&scene, &large_video());
        let process = scene.world.process(Some(fault));
        let _ = futures_util::FutureExt::now_or_never(client.creating(&process));
        scene.world.pass(86_400 + LONG_AFTER);
        scene.sweep();
        assert_eq!(scene.violations_after_sweep(), Vec::<String>::new(), "{fault:?}");
        assert_eq!(scene.count("SELECT count(*) AS number FROM resumable_uploads"), 0, "{fault:?}");
    }
}
