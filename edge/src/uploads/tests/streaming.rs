//! Files that stream into R2, and small files that are held in memory or stored in a padded object. For any form,
//! chunks and free memory, the stored object equals the file, and a form that breaks its announced length leaves
//! nothing.

use super::captions::srt;
use super::scene::{Scene, TOKEN, memory_to_hold};
use crate::base::unix_seconds::UnixSeconds;
use crate::base::unknown_fields::UnknownFields;
use contract::ErrorCode;
use fixtures::Form;
use futures_util::FutureExt;
use proptest::prelude::*;

/// More memory than the largest picture or captions here need. Their buffers double when they are full.
const PICTURE_MEMORY: usize = 1_100_000;

/// The order of the fields decides how much can follow the file, and so how much of it streams.
#[derive(Clone, Copy, Debug)]
enum Fields {
    AllFirst,
    AllLast,
    /// A picture of this many bytes follows the file.
    PictureLast(usize),
    /// Captions of this many bytes follow the file.
    CaptionsLast(usize),
    UnknownLast,
}

fn any_fields() -> impl Strategy<Value = Fields> {
    prop_oneof![
        Just(Fields::AllFirst),
        Just(Fields::AllLast),
        Just(Fields::UnknownLast),
        (3..500_000_usize).prop_map(Fields::PictureLast),
        (0..500_000_usize).prop_map(Fields::CaptionsLast),
    ]
}

fn form(fields: Fields, video: &[u8]) -> Form {
    let texts = |form: Form| form.text("thumbnail_time", "00:00:01").text("caption", "a").text("upload_token", TOKEN);
    match fields {
        Fields::AllFirst => texts(Form::new()).file("file", "a.mp4", video),
        Fields::AllLast => texts(Form::new().file("file", "a.mp4", video)),
        Fields::PictureLast(bytes) => {
            let mut picture = vec![0; bytes];
            picture[..3].copy_from_slice(b"\xff\xd8\xff");
            Form::new().file("file", "a.mp4", video).file("thumbnail_file", "a.jpg", &picture)
        }
        Fields::CaptionsLast(bytes) => {
            let captions = [srt("a"), vec![b'\n'; bytes]].concat();
            Form::new().file("file", "a.mp4", video).file("captions_file_de", "a.srt", &captions)
        }
        Fields::UnknownLast => texts(Form::new()).file("file", "a.mp4", video).text("labels", &"x".repeat(60_000)),
    }
}

/// Returns a video in which each byte depends on its position, so that two swapped segments are noticed.
fn video(size: usize) -> Vec<u8> {
    let mut video = fixtures::mp4(5_000, size, 1);
    for (index, byte) in video.iter_mut().enumerate().skip(1_000) {
        *byte = u8::try_from((index * 7 + index / 65_536) % 251).unwrap_or_default();
    }
    video
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(fixtures::cases(60, 1_500)))]

    #[test]
    fn the_object_is_the_file_however_the_form_is_cut(
        size in 2_000..700_000_usize,
        chunk in 1_000..200_000_usize,
        fields in any_fields(),
        to_hold in prop::sample::select(vec![0, 65_536, 3 * 65_536, 10_000_000]),
    ) {
        let isolate = memory_to_hold(to_hold + PICTURE_MEMORY);
        let scene = Scene { chunk, isolate, unknown_fields: UnknownFields::ignoring(), ..Scene::new(10) };
        let video = video(size);
        scene.upload(&scene.world.process(None), 1, form(fields, &video)).unwrap().unwrap();
        let stored = scene.world.objects.borrow().iter().find(|(key, _)| key.ends_with("/video")).map(|(_, bytes)| bytes.clone());
        prop_assert!(stored == Some(video), "the object differs from the file");
        prop_assert_eq!(scene.violations_at_rest(), Vec::<String>::new());
        prop_assert_eq!(scene.isolate.streamed_bytes_in_use(UnixSeconds(0)), 0, "memory is still taken");
    }

    #[test]
    fn a_body_that_is_not_as_long_as_announced_is_refused_and_leaves_nothing(
        size in 2_000..700_000_usize,
        chunk in 1_000..200_000_usize,
        fields in any_fields(),
        excess in 1..3_000_000_u64,
        to_hold in prop::sample::select(vec![0, 65_536, 10_000_000]),
    ) {
        let isolate = memory_to_hold(to_hold + PICTURE_MEMORY);
        let scene = Scene { chunk, isolate, unknown_fields: UnknownFields::ignoring(), ..Scene::new(10) };
        let body = form(fields, &video(size)).body();
        let announced = body.len() as u64 + excess;
        // The runtime ends such a body with an error. Here the body just ends, and its last bytes are missing.
        let cut = body[..body.len() - 10].to_vec();
        let refused = scene.uploading(&scene.world.process(None), 1, cut, Some(announced)).now_or_never();
        let error = refused.unwrap().unwrap_err();
        prop_assert_eq!(error.code, ErrorCode::RequestMalformed, "{:?}", error);
        // A padded object that was being stored may still appear, so only the sweep forgets the upload.
        prop_assert_eq!(scene.violations_after_sweep(), Vec::<String>::new());
    }
}

/// Returns the number of operations of an upload with this much memory to hold a small file in.
fn operations(size: usize, to_hold: usize) -> usize {
    let scene = Scene { isolate: memory_to_hold(to_hold), ..Scene::new(10) };
    let process = scene.world.process(None);
    scene.upload(&process, 1, form(Fields::AllFirst, &video(size))).unwrap().unwrap();
    process.operations()
}

#[test]
fn a_small_file_that_does_not_fit_into_memory_is_copied_out_of_a_padded_object() {
    // The copy is one operation here, and two on R2. The other one deletes the padded object.
    assert_eq!(operations(130_000, 0), operations(130_000, 10_000_000) + 2);
}

#[test]
fn a_large_file_needs_no_memory_but_its_segment() {
    assert_eq!(operations(600_000, 0), operations(600_000, 10_000_000));
}

#[test]
fn a_form_with_more_after_its_file_than_it_may_have_is_refused_when_the_file_ends() {
    let scene = Scene::new(10);
    let body = form(Fields::AllFirst, &video(500_000)).text("junk", &"x".repeat(1_000_000)).body();
    let error = scene.send(&scene.world.process(None), 1, body).unwrap().unwrap_err();
    assert_eq!(error.code, ErrorCode::RequestMalformed);
    assert!(error.detail.as_deref().is_some_and(|detail| detail.contains("too many bytes after `file`")), "{error:?}");
    assert_eq!(scene.violations_at_rest(), Vec::<String>::new());
}
