//! Compares the prober's answers for real files with what ffmpeg decodes. The table is `docs/probe-conformance.md`.
//!
//! With `UPDATE_DOCS=1` the files are decoded and the table is written, otherwise it must be up to date. The thresholds
//! apply in both cases.

use crate::support;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::support::decoded::{self, DecodedFile};
use crate::support::vectors::{self, MediaVector};
use probe::{FileRefusal, Media, Prober, Verdict};

const TOLERANCE_MS: u64 = 100;
/// Videos of this length may be published.
const PUBLISHABLE_MS: std::ops::RangeInclusive<u64> = 2_000..=120_000;

/// A file with the prober's answer and what ffmpeg decodes.
struct ComparedFile {
    vector: MediaVector,
    decoded: DecodedFile,
    verdict: Result<Media, FileRefusal>,
    /// Bytes until the provisional verdict of a file with its metadata at the front.
    bytes: Option<u64>,
    class: Agreement,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Agreement {
    Agrees,
    Differs,
    /// Refused, but a player plays it without an error for as long as a video may last.
    WronglyRefused,
    /// Refused, and decoding it fails.
    Damaged,
    /// Refused, and too short or too long in any case.
    NotPublishable,
    /// A still picture, or a file from which ffmpeg decodes no picture.
    NoVideo,
    /// A video according to the prober, but ffmpeg decodes no picture.
    Extra,
}

/// Probes a file, feeding one byte at a time until there is a verdict.
fn probe_until_verdict(file: &[u8]) -> (Result<Media, FileRefusal>, Option<u64>) {
    let mut prober = Prober::new();
    let mut fed = 0;
    while fed < file.len() && prober.verdict() == Verdict::Undecided {
        let skip = usize::try_from(prober.skippable()).unwrap_or(usize::MAX);
        let step = skip.clamp(1, file.len() - fed);
        prober.feed(&file[fed..fed + step]);
        fed += step;
    }
    prober.feed(&file[fed..]);
    let bytes = prober.bytes_until_verdict();
    let verdict = prober.finish();
    let first = verdict.as_ref().is_ok_and(|media| media.metadata_first);
    (verdict, bytes.filter(|_| first))
}

fn compare(vector: MediaVector, decoded: DecodedFile) -> ComparedFile {
    let (verdict, bytes) = probe_until_verdict(&vector.read());
    let class = classify(&vector, decoded, &verdict);
    ComparedFile { vector, decoded, verdict, bytes, class }
}

fn all_compared() -> Vec<ComparedFile> {
    let vectors = vectors::all().unwrap_or_default();
    let decoded = decoded::of_vectors(&vectors);
    let of = |vector: &MediaVector| decoded.get(&vector.name).copied().unwrap_or_default();
    vectors.into_iter().map(|vector| (of(&vector), vector)).map(|(decoded, vector)| compare(vector, decoded)).collect()
}

fn classify(vector: &MediaVector, decoded: DecodedFile, verdict: &Result<Media, FileRefusal>) -> Agreement {
    let is_video = decoded.pictures > 0 && !vector.is_image();
    let is_cover_art = decoded.pictures == 1 && decoded.sounds > 0;
    let latest = decoded.span_ms + decoded.open_ms + TOLERANCE_MS;
    match verdict {
        Ok(_) if !is_video => Agreement::Extra,
        Ok(media) if (decoded.span_ms.saturating_sub(TOLERANCE_MS)..=latest).contains(&media.duration_ms) => {
            Agreement::Agrees
        }
        Ok(_) => Agreement::Differs,
        Err(_) if !is_video || is_cover_art => Agreement::NoVideo,
        Err(_) if decoded.has_errors => Agreement::Damaged,
        Err(_) if !PUBLISHABLE_MS.contains(&decoded.span_ms) => Agreement::NotPublishable,
        Err(_) => Agreement::WronglyRefused,
    }
}

fn family(case: &ComparedFile) -> &'static str {
    match case.vector.format.split(',').next().unwrap_or_default() {
        "mov" => "mp4 family",
        "matroska" => "matroska, webm",
        "avi" => "avi",
        "flv" => "flv",
        "mpegts" => "mpeg-ts",
        "asf" => "asf",
        "ogg" => "ogg",
        "mxf" => "mxf (not supported)",
        "" => "ffprobe reads nothing",
        _ => "images and audio",
    }
}

fn report(cases: &[ComparedFile]) -> String {
    let mut text = String::from(HEAD);
    let mut families: BTreeMap<&str, Vec<&ComparedFile>> = BTreeMap::new();
    for case in cases {
        families.entry(family(case)).or_default().push(case);
    }
    for (name, cases) in &families {
        row(&mut text, name, cases);
    }
    row(&mut text, "**all**", &cases.iter().collect::<Vec<_>>());
    bytes_until_verdict(&mut text, cases);
    text.push_str(LISTS);
    for case in cases.iter().filter(|case| is_listed(case)) {
        list(&mut text, case);
    }
    text
}

fn row(text: &mut String, name: &str, cases: &[&ComparedFile]) {
    let count = |class: Agreement| cases.iter().filter(|case| case.class == class).count();
    writeln!(
        text,
        "| {name} | {} | {} | {} | {} | {} | {} | {} | {} |",
        cases.len(),
        count(Agreement::Agrees),
        count(Agreement::Differs),
        count(Agreement::WronglyRefused),
        count(Agreement::Damaged),
        count(Agreement::NotPublishable),
        count(Agreement::NoVideo),
        count(Agreement::Extra)
    )
    .expect("writing to a string succeeds");
}

fn bytes_until_verdict(text: &mut String, cases: &[ComparedFile]) {
    let mut bytes: Vec<u64> = cases.iter().filter_map(|case| case.bytes).collect();
    bytes.sort_unstable();
    let (median, most) = (bytes.get(bytes.len() / 2), bytes.last());
    writeln!(
        text,
        "\nFor {} videos with the metadata at the front, the verdict needed {} bytes (median), {} bytes at most.",
        bytes.len(),
        median.unwrap_or(&0),
        most.unwrap_or(&0)
    )
    .expect("writing to a string succeeds");
}

fn is_listed(case: &ComparedFile) -> bool {
    !matches!(case.class, Agreement::Agrees | Agreement::NoVideo)
}

fn list(text: &mut String, case: &ComparedFile) {
    let verdict = support::summary(&case.verdict);
    let DecodedFile { span_ms, pictures, sounds, .. } = case.decoded;
    let reason = match case.class {
        Agreement::Damaged => "decoding it fails",
        Agreement::NotPublishable => "too short or too long for a video",
        Agreement::Extra => "ffmpeg decodes no picture, for example because it is encrypted",
        Agreement::WronglyRefused if case.vector.format == "mxf" => "an unsupported container",
        Agreement::WronglyRefused => "wrongly refused",
        _ => "another length",
    };
    let name = &case.vector.name;
    writeln!(text, "| {name} | {span_ms} ms, {pictures} and {sounds} frames | {verdict} | {reason} |")
        .expect("writing to a string succeeds");
}

const HEAD: &str = "# The prober compared with what ffmpeg decodes

Generated by `make docs`; `cargo test -p probe --test prober conformance` fails when it is out of date.
The files are clips from public test suites that are not part of the checkout (`CLIPGATE_VECTORS`, or `../shared/vectors`).

The truth is what ffmpeg decodes: the time from the start of the first frame of picture or sound to the end of the last
one. The prober *agrees* if it differs by at most 100 ms; if nothing says how long the last frame is shown, it may count up
to the average frame for it. A file is *wrongly refused* if it plays for 2 to 120 s and is
decoded without an error. Other refusals: *damaged*, if decoding it fails; *not publishable*, if it plays for less than
2 or more than 120 s; *no video*, if it is a picture or has none except cover art. *Only the prober* counts videos of
which ffmpeg decodes no picture.

| container (as ffprobe names it) | files | agree | differ | wrongly refused | damaged | not publishable | no video | only the prober |
|---|---|---|---|---|---|---|---|---|
";

const LISTS: &str = "
## All differences

| file | decoded | prober | reason |
|---|---|---|---|
";

fn document() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/probe-conformance.md")
}

/// Returns the percentage of agreement among the videos that players play.
fn share(cases: &[ComparedFile], counts: impl Fn(&ComparedFile) -> bool) -> f64 {
    let of = |classes: &[Agreement]| {
        let count = cases.iter().filter(|case| counts(case) && classes.contains(&case.class)).count();
        u32::try_from(count).map_or(0.0, f64::from)
    };
    let all = of(&[Agreement::Agrees, Agreement::Differs, Agreement::WronglyRefused]);
    100.0 * of(&[Agreement::Agrees]) / all.max(1.0)
}

#[test]
fn durations_agree_with_what_ffmpeg_decodes_and_the_document_is_current() {
    let cases = all_compared();
    if cases.is_empty() {
        return;
    }
    let text = report(&cases);
    println!("{text}");
    assert!(share(&cases, |_| true) >= 97.0, "all containers");
    for name in ["mp4 family", "matroska, webm"] {
        assert!(share(&cases, |case| family(case) == name) >= 99.0, "{name}");
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::create_dir_all(document().parent().expect("a folder")).expect("the documents folder can be created");
        std::fs::write(document(), text).expect("the document can be written");
    } else {
        let written = std::fs::read_to_string(document()).unwrap_or_default();
        assert_eq!(written, text, "the document is out of date: run with UPDATE_DOCS=1");
    }
}

/// The whole table takes a minute to measure.
#[test]
fn a_sample_of_the_table_of_decoded_files_is_true() {
    let vectors = vectors::all().unwrap_or_default();
    let table = decoded::of_vectors(&vectors);
    for vector in vectors.iter().step_by(fixtures::cases(20, 1)) {
        let Some(measured) = decoded::decode(&vector.path) else {
            println!("SKIPPED: ffprobe is not installed");
            return;
        };
        assert_eq!(table.get(&vector.name), Some(&measured), "{}", vector.name);
    }
}

#[test]
fn every_image_and_every_file_without_video_is_refused() {
    for case in all_compared() {
        let has_no_video = case.vector.is_image() || (!case.vector.has_video && !case.vector.format.is_empty());
        let kind = case.verdict.as_ref().err().map(FileRefusal::kind);
        assert!(!has_no_video || kind.is_some(), "{} is accepted", case.vector.name);
    }
}

#[test]
fn coded_sizes_agree_with_ffprobe() {
    for case in all_compared() {
        let Ok(media) = &case.verdict else { continue };
        let track = media.video().expect("every video has a video track");
        let Some(coded) = track.coded_width.zip(track.coded_height) else {
            continue;
        };
        let theirs = (case.vector.width, case.vector.height);
        assert!(theirs.0 == 0 || coded == theirs, "{}: {coded:?}, {theirs:?}", case.vector.name);
    }
}

#[test]
fn hostile_files_with_video_names_are_refused_unless_they_are_media() {
    let Some(vectors) = vectors::all() else {
        return;
    };
    let folder = vectors.first().and_then(|vector| vector.path.ancestors().find(|path| path.ends_with("media")));
    let folder = folder.expect("the folder of vectors").with_file_name("hostile-media");
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let file = std::fs::read(entry.path()).expect("a file");
        let verdict = support::probe_whole(&file);
        println!("{}: {}", entry.file_name().to_string_lossy(), support::summary(&verdict));
        let is_media = file.starts_with(b"RIFF") || file.get(4..8) == Some(b"ftyp");
        assert!(is_media || verdict.is_err(), "{}", entry.path().display());
    }
}
