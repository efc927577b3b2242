//! One content through its compaction and back, with a failure at each operation.

use crate::base::ids::ChannelId;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::compaction::expand;
use crate::contents::life::Command;
use crate::contents::life::door::{self, Find};
use crate::contents::life::testing::set_as_a_rule;
use crate::contents::media_path::MediaPath;
use crate::contents::owner_changes::{OwnedContent, delete};
use crate::jobs::tests::processed;
use crate::jobs::tests::scene::{Scene, uuid};
use crate::moderation::case;
use crate::moderation::content_search::{self, SoughtContent};
use crate::moderation::decisions::{DecisionKind, DecisionRequest, decide};
use crate::moderation::flags::{ViewerReport, list, record_report};
use crate::moderation::kept_frames::{read_kept_frames, store_frames};
use crate::moderation::review_address::ReviewAddresses;
use crate::moderation::tests::review_pepper;
use crate::people::auth::hash::Pepper;
use crate::platform::database::Statement;
use crate::testing::fake_platform::{FakePlatform, Fault, World};
use crate::testing::sweep;
use crate::upkeep::accounts::export::{ExportedRow, Position, add_details, rows_after};
use crate::viewing::access::Viewer;
use crate::viewing::{published_page, sitemap, stored_file};
use contract::job::{JobReport, JobWork};
use contract::moderation::Recommendation::Pass;
use contract::{ContentState, MediaFile};
use futures_executor::block_on;
use futures_util::FutureExt;
use serde_json::Value;
use std::rc::Rc;

const MONTH: u64 = 30 * 86_400;
const SLUG: &str = "a-clip-aB3dE5gH7j";
const DETAILS: &str = "media/c/1/finished.json";

/// Returns a content that was published a month ago, and swept since.
fn published() -> Scene {
    let scene = Scene::new();
    scene.attempt("UPDATE contents SET caption = 'A Clip', slug_url = 'a-clip-aB3dE5gH7j'").unwrap();
    scene.claim("a", 1);
    let report = JobReport { id: crate::jobs::tests::scene::job("a", 1), outcome: processed(&[Pass]) };
    let fingerprint = crate::jobs::fingerprint(&report).unwrap();
    let process = scene.world.process(None);
    block_on(store_frames(&process, &process, &report, &fingerprint)).unwrap();
    scene.world.process(None).store_media(1);
    assert!(scene.report("a", 1, report.outcome).accepted);
    scene.sweep();
    scene.pass(3_600);
    scene.sweep();
    scene.attempt("DELETE FROM cache_purges").unwrap();
    scene.pass(MONTH - 3_601);
    scene
}

/// Returns every view of the content, and every row about it.
fn seen(scene: &Scene) -> Vec<Value> {
    let process = scene.world.process(None);
    let path = MediaPath { media_name: "m.mp4".to_owned(), file: MediaFile::Video };
    let file = block_on(stored_file::find_content(&process, &path)).unwrap().unwrap();
    let page = block_on(published_page::find(&process, SLUG)).unwrap().unwrap();
    let page = page.published("https://site.example").unwrap().map(|page| format!("{:?}", page.media));
    let status = block_on(crate::contents::status::find_by_slug(&process, ChannelId(1), SLUG)).unwrap().unwrap();
    let exported = exported(&process);
    let frames = block_on(read_kept_frames(&process, &process, &uuid())).unwrap();
    let file = format!("{:?}", file.file(MediaFile::Video, Viewer::Anonymous));
    let status = status.status("https://site.example", scene.now());
    let sitemap = block_on(sitemap::part(&process, 1, "https://site.example")).unwrap();
    assert!(sitemap.contains(SLUG), "{sitemap}");
    let parts = [serde_json::json!(status), serde_json::json!(exported), serde_json::json!(frames), found(&process)];
    [file.into(), page.into(), sitemap.into()].into_iter().chain(parts).collect()
}

/// Returns what a moderator finds by the slug, and the findings of the checks.
fn found(process: &FakePlatform) -> Value {
    let pepper = Pepper::new("0123456789abcdef0123456789abcdef").unwrap();
    let review = ReviewAddresses { base: "https://b", pepper: &pepper, until: UnixSeconds(1), session: None };
    let found =
        block_on(content_search::find(process, &SoughtContent::Slug(SLUG.to_owned()), None, 2, review)).unwrap();
    assert_eq!(found.len(), 1);
    let case = block_on(case::find(process, process, &uuid(), review, UnixSeconds(1))).unwrap().unwrap();
    assert_eq!(case.findings.len(), 1);
    serde_json::json!([found, case.findings])
}

/// Returns the export of the channel, which has one content.
fn exported(process: &FakePlatform) -> Vec<ExportedRow> {
    let (mut rows, mut position) = (Vec::new(), Position::default());
    loop {
        let mut next = block_on(rows_after(process, ChannelId(1), position, 5)).unwrap();
        let Some(last) = next.last() else { return rows };
        position = last.position;
        block_on(add_details(process, &mut next)).unwrap();
        rows.extend(next);
    }
}

/// Fails with the first part that differs.
fn assert_same(scene: &Scene, before: &[Value], when: &str) {
    for (now, before) in seen(scene).iter().zip(before) {
        assert_eq!(now, before, "{when}");
    }
}

fn rows(scene: &Scene) -> Vec<Vec<Value>> {
    let tables = [
        "SELECT * FROM contents",
        "SELECT * FROM reports",
        "SELECT * FROM findings",
        "SELECT id, uuid FROM uploads",
        "SELECT * FROM cache_purges",
        "SELECT * FROM events",
    ];
    let rows = tables.map(|sql| scene.world.database.transact(&[Statement::new(sql)]).unwrap().remove(0).0);
    rows.into()
}

fn is_compacted(scene: &Scene) -> bool {
    scene.count("SELECT is_compacted AS number FROM contents") == 1
}

fn expand_now(scene: &Scene) {
    let process = scene.world.process(None);
    block_on(expand(&process, &process, &uuid(), scene.now())).unwrap();
}

#[test]
fn a_content_is_compacted_after_a_month_and_looks_the_same() {
    let scene = published();
    scene.sweep();
    assert!(!is_compacted(&scene));
    scene.pass(1);
    let before = seen(&scene);
    scene.sweep();
    assert!(is_compacted(&scene));
    assert_same(&scene, &before, "compacted");
    assert!(scene.world.objects.borrow().contains_key(DETAILS));
    assert_eq!(scene.count("SELECT count(*) AS number FROM reports"), 0);
    assert_eq!(scene.count("SELECT count(*) AS number FROM findings"), 0);
    assert_eq!(scene.count("SELECT count(*) AS number FROM cache_purges"), 0);
    assert_eq!(scene.count("SELECT length(file_sha256) AS number FROM contents"), 0);
}

#[test]
fn a_compacted_content_has_one_address() {
    let scene = published();
    scene.pass(1);
    scene.sweep();
    let process = scene.world.process(None);
    assert_eq!(scene.count("SELECT slug_url = '~aB3dE5gH7j' AS number FROM contents"), 1);
    for other in ["aB3dE5gH7j", "other-words-aB3dE5gH7j", "a-clip-aB3dE5gH7k"] {
        assert!(block_on(published_page::find(&process, other)).unwrap().is_none(), "{other}");
        let status = block_on(crate::contents::status::find_by_slug(&process, ChannelId(1), other));
        assert!(status.unwrap().is_none(), "{other}");
    }
    for caption in ["'Other words'", "NULL", "'A third time'"] {
        scene.rule(&format!("UPDATE contents SET caption = {caption} WHERE id = 1")).unwrap();
        assert!(block_on(published_page::find(&process, SLUG)).unwrap().is_some(), "{caption}");
    }
    let report = ViewerReport { slug_url: SLUG, reporter: "r", reason: "spam", text: "" };
    assert!(block_on(record_report(&process, report, scene.now())).unwrap().is_some());
    let review = ReviewAddresses { base: "https://b", pepper: &review_pepper(), until: UnixSeconds(0), session: None };
    assert_eq!(block_on(list(&process, 1, review, UnixSeconds(0))).unwrap()[0].slug_url, SLUG);
}

#[test]
fn a_deletion_forgets_the_caption_of_the_slug() {
    let scene = published();
    scene.pass(1);
    scene.sweep();
    scene.rule("UPDATE contents SET caption = 'Other words'").unwrap();
    assert_eq!(scene.count("SELECT slug_caption = 'A Clip' AS number FROM contents"), 1);
    let content = OwnedContent { channel_id: ChannelId(1), content_uuid: &uuid() };
    block_on(delete(&scene.world.database, content, scene.now(), scene.now())).unwrap();
    let forgotten = "SELECT slug_caption IS NULL AND slug_url = 'aB3dE5gH7j' AS number FROM contents";
    assert_eq!(scene.count(forgotten), 1);
}

#[test]
fn a_slug_that_does_not_follow_from_the_caption_stays_whole() {
    let scene = published();
    scene.attempt("UPDATE contents SET caption = 'Other words'").unwrap();
    scene.pass(86_400);
    scene.sweep();
    assert!(is_compacted(&scene));
    assert!(block_on(published_page::find(&scene.world.process(None), SLUG)).unwrap().is_some());
}

#[test]
fn an_expanded_row_is_the_row_before() {
    let scene = published();
    scene.pass(1);
    let volatile = "UPDATE contents SET expanded_at_unix = NULL, revision = 1";
    scene.attempt(volatile).unwrap();
    let before = rows(&scene);
    scene.sweep();
    expand_now(&scene);
    // It is left alone for a day.
    scene.sweep();
    assert!(!is_compacted(&scene));
    scene.attempt(volatile).unwrap();
    assert_eq!(rows(&scene), before);
    scene.pass(86_400);
    scene.sweep();
    assert!(is_compacted(&scene));
}

/// Lets each operation of a sweep fail in every way, then sweeps again.
#[test]
fn a_compaction_that_fails_anywhere_loses_nothing() {
    let mut failures = 0;
    for fault in Fault::ALL {
        for operation in 0.. {
            let scene = published();
            scene.pass(1);
            let before = seen(&scene);
            let process = scene.world.process(Some((operation, fault)));
            let _ = sweep(&process).now_or_never();
            let is_over = process.operations() <= operation;
            assert_same(&scene, &before, &format!("{fault:?} {operation}"));
            scene.sweep();
            assert!(is_compacted(&scene), "{fault:?} {operation}");
            assert_same(&scene, &before, &format!("{fault:?} {operation}"));
            if is_over {
                break;
            }
            failures += 1;
        }
    }
    assert!(failures > 60, "{failures}");
}

/// Lets each operation of an expansion fail in every way, then repeats it.
#[test]
fn an_expansion_that_fails_anywhere_can_be_repeated() {
    for fault in Fault::ALL {
        for operation in 0..4 {
            let scene = published();
            scene.pass(1);
            scene.attempt("UPDATE contents SET revision = 1").unwrap();
            let before = rows(&scene);
            scene.sweep();
            let process = scene.world.process(Some((operation, fault)));
            let _ = expand(&process, &process, &uuid(), scene.now()).now_or_never();
            expand_now(&scene);
            scene.attempt("UPDATE contents SET expanded_at_unix = NULL, revision = 1").unwrap();
            assert_eq!(rows(&scene), before, "{fault:?} {operation}");
        }
    }
}

/// Lets a change happen before each operation of the sweep.
fn changed_during_sweep(change: impl Fn(&Rc<World>)) {
    for operation in 0.. {
        let scene = published();
        scene.pass(1);
        let process = scene.world.process(None).yielding();
        let mut running = std::pin::pin!(sweep(&process));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        let mut is_over = false;
        for _ in 0..operation {
            is_over = is_over || running.as_mut().poll(&mut context).is_ready();
        }
        change(&scene.world);
        while !is_over && running.as_mut().poll(&mut context).is_pending() {}
        let media: Option<String> = scene.row().media;
        let (compacted, hash) = (is_compacted(&scene), "SELECT file_sha256 = 'h' AS number FROM contents");
        assert_eq!(compacted, scene.count(hash) == 0, "{operation}");
        assert!(media.is_some(), "{operation}");
        if is_over {
            break;
        }
    }
}

/// Each starts a job that changes the media.
const CHANGES: [JobWork; 2] = [JobWork::Thumbnail, JobWork::Captions];

fn change_by(world: &World, kind: JobWork) {
    let (uuid, command) = (uuid(), Command::MakeAgain(kind));
    block_on(door::apply(&world.database, Find::Uuid(&uuid), &command, decision_time(world))).unwrap();
}

#[test]
fn a_content_that_changes_meanwhile_is_compacted_as_a_whole_or_not_at_all() {
    for change in CHANGES {
        changed_during_sweep(|world| change_by(world, change));
    }
    changed_during_sweep(|world| {
        let caption = "UPDATE contents SET caption = 'Other words' WHERE id = 1";
        set_as_a_rule(&world.database, caption, decision_time(world)).unwrap();
        let found = block_on(published_page::find(&world.process(None), SLUG)).unwrap();
        assert_eq!(found.unwrap().slug_url(), SLUG);
    });
    changed_during_sweep(|world| {
        let decision = DecisionRequest {
            kind: DecisionKind::TakeDown,
            content_uuid: &uuid(),
            reason: "r",
            by: "m",
            policy: None,
            kept_frames: &[],
        };
        let process = world.process(None);
        block_on(expand(&process, &process, &uuid(), decision_time(world))).unwrap();
        block_on(decide(&world.database, &decision, decision_time(world))).unwrap();
        let blocked = "SELECT count(*) AS number FROM blocked_files WHERE sha256 = 'h'";
        let rows = world.database.transact(&[Statement::new(blocked)]).unwrap();
        assert_eq!(rows[0].0[0]["number"], 1);
    });
}

fn decision_time(world: &World) -> UnixSeconds {
    UnixSeconds(world.now_unix.get())
}

#[test]
fn deleting_a_compacted_content_leaves_no_object() {
    let scene = published();
    scene.pass(1);
    scene.sweep();
    let owned = OwnedContent { channel_id: ChannelId(1), content_uuid: &uuid() };
    block_on(delete(&scene.world.database, owned, scene.now(), scene.now())).unwrap();
    scene.sweep();
    scene.pass(3_600);
    scene.sweep();
    assert_eq!(scene.objects(), Vec::<String>::new());
}

#[test]
fn a_deleted_content_leaves_its_details_nowhere() {
    let scene = published();
    let owned = OwnedContent { channel_id: ChannelId(1), content_uuid: &uuid() };
    block_on(delete(&scene.world.database, owned, scene.now(), scene.now())).unwrap();
    scene.sweep();
    scene.pass(3_600);
    scene.sweep();
    scene.sweep();
    assert!(is_compacted(&scene));
    assert_eq!((scene.row().media, scene.objects()), (None, Vec::new()));
    assert_eq!(scene.count("SELECT count(*) AS number FROM reports"), 0);
}

#[test]
fn a_job_for_a_later_change_gets_the_details_back() {
    for change in CHANGES {
        let scene = published();
        scene.pass(1);
        scene.sweep();
        change_by(&scene.world, change);
        assert!(matches!(scene.claim("a", 2), contract::job::ClaimAnswer::Granted(_)));
        assert!(!is_compacted(&scene) && scene.row().media.is_some_and(|media| media.starts_with('{')));
        scene.sweep();
        assert!(!is_compacted(&scene));
        assert_eq!(scene.row().state, ContentState::Published);
    }
}
