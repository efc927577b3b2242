//! Captions that come with an upload: what is stored, what the content wants, and what a refused form leaves.

use super::scene::{PART_BYTES, Scene, TOKEN, form, large_video, memory_to_hold, small_video};
use crate::base::limits::reserved_memory;
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::database::{Database, Statement};
use crate::testing::fake_platform::Fault;
use crate::uploads::{AcceptedUpload, Isolate};
use contract::ErrorCode;
use contract::limits::MAX_CAPTIONS_BYTES;
use fixtures::Form;
use futures_executor::block_on;
use futures_util::stream;
use serde::Deserialize;

/// Returns a SubRip file with this text.
pub(super) fn srt(text: &str) -> Vec<u8> {
    format!("1\n00:00:01,000 --> 00:00:02,000\n<i>{text}</i>\n").into_bytes()
}

/// Adds captions in two languages.
pub(super) fn with_captions(form: Form) -> Form {
    form.file("captions_file_DE", "a.srt", &srt("Hallo")).file("captions_file_en", "a.vtt", &srt("Hello"))
}

fn send(scene: &Scene, seed: u64, form: Form) -> Result<AcceptedUpload, Refusal> {
    scene.upload(&scene.world.process(None), seed, form).unwrap()
}

#[derive(Debug, Deserialize)]
struct Row {
    text: String,
}

/// Returns the languages and the objects of the captions that the only content wants.
fn wanted(scene: &Scene) -> Vec<(String, String)> {
    let select = "SELECT language || ' ' || name AS text FROM captions JOIN jobs USING (content_id)
        WHERE is_wanted = 1 AND is_shown = 0 AND kind = 'captions' AND state = 'waiting' ORDER BY language";
    let rows: Vec<Row> = block_on(scene.world.database.all(Statement::new(select))).unwrap();
    let object = |name: &str| {
        let objects = scene.world.objects.borrow();
        String::from_utf8(objects[&format!("sources/{name}/captions")].clone()).unwrap()
    };
    let words = rows.iter().map(|row| row.text.split_once(' ').unwrap());
    words.map(|(language, name)| (language.to_owned(), object(name))).collect()
}

#[test]
fn captions_before_and_after_the_video_are_wanted_by_the_new_content() {
    let video = small_video();
    let before = with_captions(Form::new()).file("file", "a.mp4", &video);
    for form in [before, with_captions(form(&video))] {
        let scene = Scene::new(10);
        send(&scene, 1, form).unwrap();
        let wanted = wanted(&scene);
        let [(german, text), (english, _)] = &wanted[..] else { panic!("{wanted:?}") };
        assert_eq!((german.as_str(), english.as_str()), ("de", "en"));
        assert!(text.starts_with("WEBVTT\n") && text.ends_with("\n\n00:00:01.000 --> 00:00:02.000\nHallo\n"), "{text}");
        assert_eq!(scene.count("SELECT generation AS number FROM contents"), 1, "their job has begun already");
        assert_eq!(scene.violations_at_rest(), Vec::<String>::new());
        assert_eq!(scene.isolate.streamed_bytes_in_use(UnixSeconds(0)), 0, "memory is still taken");
    }
}

#[test]
fn without_captions_no_change_is_pending() {
    let scene = Scene::new(10);
    send(&scene, 1, form(&small_video()).file("captions_file_de", "", b"")).unwrap();
    let unchanged = "SELECT count(*) AS number FROM contents
        WHERE id NOT IN (SELECT content_id FROM jobs WHERE kind = 'captions')";
    assert_eq!(scene.count(unchanged), 1);
    assert_eq!(scene.violations_at_rest(), Vec::<String>::new());
}

#[test]
fn a_repetition_has_the_same_captions_whatever_their_order() {
    let scene = Scene::new(10);
    let video = small_video();
    let start = || Form::new().text("upload_token", TOKEN).file("file", "a.mp4", &video);
    let first = send(&scene, 1, with_captions(start())).unwrap();
    let other_order = start().file("captions_file_en", "b", &srt("Hello")).file("captions_file_de", "c", &srt("Hallo"));
    let token_last = with_captions(form(&video)).text("upload_token", TOKEN);
    for (seed, again) in [(2, with_captions(start())), (3, other_order), (4, token_last)] {
        let again = send(&scene, seed, again).unwrap();
        assert!(again.is_replay);
        assert_eq!(again.result.content_id, first.result.content_id);
    }
    let others = [
        start(),
        start().file("captions_file_en", "a", &srt("Hello")),
        start().file("captions_file_fr", "a", &srt("Hallo")).file("captions_file_en", "a", &srt("Hello")),
        start().file("captions_file_de", "a", &srt("Hallo!")).file("captions_file_en", "a", &srt("Hello")),
    ];
    for (seed, other) in (5..).zip(others) {
        assert_eq!(send(&scene, seed, other).unwrap_err().code, ErrorCode::UploadTokenMismatch);
    }
    assert_eq!((scene.contents(), wanted(&scene).len()), (1, 2));
    assert_eq!(scene.violations_at_rest(), Vec::<String>::new());
}

/// The sweep may have deleted captions that were on record for too long.
#[test]
fn an_upload_that_commits_too_late_for_its_captions_is_refused_and_leaves_nothing() {
    let scene = Scene::new(10);
    let process = scene.world.process(None).yielding();
    let body = with_captions(form(&small_video())).body();
    let length = body.len() as u64;
    let mut running = Box::pin(scene.uploading(&process, 1, body, Some(length)));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let is_stored = || scene.world.objects.borrow().keys().filter(|key| key.ends_with("/captions")).count() == 2;
    while !is_stored() {
        assert!(running.as_mut().poll(&mut context).is_pending());
    }
    let late = Statement::new("UPDATE garbage SET lease_ends_at_unix = ?1").bind(scene.world.now_unix.get());
    block_on(scene.world.database.batch(vec![late])).unwrap();
    assert_eq!(block_on(running).unwrap_err().code, ErrorCode::UploadTooSlow);
    assert_eq!((scene.contents(), scene.used(), scene.world.objects.borrow().len()), (0, 0, 0));
    assert_eq!(scene.violations_after_sweep(), Vec::<String>::new());
}

/// The owner may delete captions before a commit is retried after a lost response.
#[test]
fn a_commit_that_is_repeated_does_not_bring_captions_back() {
    let lost = (0..20).find_map(|operation| {
        let scene = Scene::new(10);
        let process = scene.world.process(Some((operation, Fault::LoseAnswer))).yielding();
        let body = with_captions(form(&small_video())).body();
        let length = body.len() as u64;
        let mut running = Box::pin(scene.uploading(&process, 1, body, Some(length)));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        while scene.contents() == 0 {
            if running.as_mut().poll(&mut context).is_ready() {
                return None;
            }
        }
        let delete = Statement::new("DELETE FROM captions WHERE language = 'de'");
        block_on(scene.world.database.batch(vec![delete])).unwrap();
        let is_repeated = process.operations() == operation + 1;
        block_on(running).unwrap();
        assert_eq!(wanted(&scene).len(), 1);
        is_repeated.then_some(())
    });
    assert!(lost.is_some(), "no commit was repeated");
}

#[test]
fn a_form_is_refused_at_the_byte_that_decides_it() {
    let video = form(&small_video());
    let mut nine = video.clone();
    for language in ["de", "en", "es", "fr", "it", "nl", "pl", "pt"] {
        nine = nine.file(&format!("captions_file_{language}"), "a", &srt("a"));
    }
    let half = [srt("a"), vec![b'\n'; MAX_CAPTIONS_BYTES / 2]].concat();
    let two_halves = video.clone().file("captions_file_de", "a", &half).file("captions_file_en", "a", &half);
    let cases = [
        (Form::new().file("captions_file_de", "a", b"a text\0"), "de", ErrorCode::ContentCaptionsInvalid),
        (video.clone().file("captions_file_german", "a", b"\0"), "german", ErrorCode::ContentCaptionsLanguageInvalid),
        (nine.file("captions_file_sv", "a", b"\0"), "sv", ErrorCode::ContentCaptionsTooMany),
        (two_halves, "en", ErrorCode::ContentCaptionsInvalid),
        (with_captions(video.clone()).file("captions_file_de", "a", b"\0"), "de", ErrorCode::RequestMalformed),
    ];
    for (form, language, code) in cases {
        let scene = Scene::new(10);
        // The body lacks the closing boundary: no refusal waits for the end.
        let body = form.text("caption", "").body();
        let endless = stream::iter([Ok(body[..body.len() - 10].to_vec())]);
        let endless = futures_util::StreamExt::chain(endless, stream::pending());
        let refusal = scene.receive(&scene.world.process(None), 1, endless).expect("it does not wait").unwrap_err();
        let field = format!("captions_file_{language}");
        assert_eq!((refusal.code, refusal.field.as_deref()), (code, Some(field.as_str())), "{refusal:?}");
        assert_eq!(scene.used(), 0);
        assert_eq!(scene.violations_at_rest(), Vec::<String>::new(), "before any sweep");
    }
}

#[test]
fn captions_without_a_language_are_refused_and_not_ignored() {
    let error = send(&Scene::new(10), 1, form(&small_video()).file("captions_file", "a", &srt("a"))).unwrap_err();
    assert_eq!(
        (error.code, error.field.as_deref()),
        (ErrorCode::ContentCaptionsLanguageInvalid, Some("captions_file"))
    );
    assert!(error.detail.unwrap().contains("captions_file_en"));
}

#[test]
fn a_small_file_makes_room_in_memory_for_captions() {
    // Room for one segment of the video, or for the captions, whose buffer doubles when it is full.
    let scene = Scene { isolate: memory_to_hold(130_000), ..Scene::new(10) };
    let captions = [srt("a"), vec![b'\n'; 40_000]].concat();
    // The whole body is shorter than a part, so no part streams.
    let video = fixtures::mp4(5_000, 90_000, 2);
    send(&scene, 1, form(&video).file("captions_file_de", "a", &captions)).unwrap();
    assert_eq!(scene.violations_at_rest(), Vec::<String>::new());
    let tight = Scene { isolate: memory_to_hold(1_000), ..Scene::new(10) };
    let refusal = send(&tight, 1, form(&video).file("captions_file_de", "a", &captions)).unwrap_err();
    assert_eq!(refusal.code, ErrorCode::ServiceOverloaded);
    assert_eq!(tight.violations_after_sweep(), Vec::<String>::new());
}

/// Only its text stays in memory while other files arrive.
#[test]
fn a_file_of_captions_frees_its_memory_when_it_ends() {
    let padded = |text| [srt(text), vec![b'\n'; 60_000]].concat();
    let scene = Scene { isolate: memory_to_hold(130_000), ..Scene::new(10) };
    let form = Form::new().file("captions_file_de", "a", &padded("a")).file("captions_file_en", "a", &padded("b"));
    send(&scene, 1, form.file("file", "a.mp4", &small_video())).unwrap();
    assert_eq!(scene.contents(), 1);
}

/// Without a length, the upload reserves memory for a second part of the file. When the file has ended, the files after
/// it need that memory.
#[test]
fn a_picture_and_captions_can_follow_a_large_file_in_a_body_without_a_length() {
    let picture = [b"\xff\xd8\xff".as_slice(), &vec![0; 20_000]].concat();
    let start = || form(&large_video());
    for form in [start().file("thumbnail_file", "a.jpg", &picture), with_captions(start())] {
        let isolate = Isolate::with_memory((0, 0), (reserved_memory(false), PART_BYTES));
        let scene = Scene { isolate, ..Scene::new(10) };
        let body = form.body();
        let chunks: Vec<_> = body.chunks(4_096).map(|chunk| Ok(chunk.to_vec())).collect();
        scene.receive(&scene.world.process(None), 1, stream::iter(chunks)).unwrap().unwrap();
        assert_eq!(scene.violations_at_rest(), Vec::<String>::new());
    }
}
