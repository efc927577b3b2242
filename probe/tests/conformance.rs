//! Compares the prober's answers for real files with those of ffprobe. The table is `docs/probe-conformance.md`.
//!
//! With `UPDATE_DOCS=1` the table is written, otherwise it must be up to date. The thresholds apply in both cases.

mod support;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use probe::{FileRefusal, Media, Prober, Verdict};
use support::vectors::{self, MediaVector, millis};

const TOLERANCE_MS: u64 = 50;

/// A file with the answers of the prober and ffprobe.
struct ComparedFile {
    vector: MediaVector,
    verdict: Result<Media, FileRefusal>,
    /// Bytes until the provisional verdict of a file with its metadata at the front.
    bytes: Option<u64>,
    class: Agreement,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Agreement {
    Agrees,
    Differs,
    /// Refused although ffprobe reads a video with a true duration.
    WronglyRefused,
    /// Refused although ffprobe reads a duration from a header, because the file holds less media than that.
    RightlyRefused,
    /// A picture, which ffprobe reads as a video of one frame.
    Image,
    /// ffprobe finds no video or no duration.
    NoVideo,
    /// A video for the prober but not for ffprobe.
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

fn compare(vector: MediaVector) -> ComparedFile {
    let (verdict, bytes) = probe_until_verdict(&vector.read());
    let class = classify(&vector, &verdict);
    ComparedFile { vector, verdict, bytes, class }
}

fn classify(vector: &MediaVector, verdict: &Result<Media, FileRefusal>) -> Agreement {
    let expected = vector.duration_ms.filter(|_| vector.has_video && !vector.is_image());
    match (expected, verdict) {
        (Some(expected), Ok(media)) if media.duration_ms.abs_diff(expected) <= TOLERANCE_MS => Agreement::Agrees,
        (Some(_), Ok(_)) => Agreement::Differs,
        (Some(_), Err(FileRefusal::NotAVideo { .. })) => Agreement::WronglyRefused,
        (Some(expected), Err(_)) => {
            let is_untrue = exceeds_packets(vector, expected) || is_truncated(vector);
            if is_untrue { Agreement::RightlyRefused } else { Agreement::WronglyRefused }
        }
        (None, Ok(_)) => Agreement::Extra,
        (None, Err(_)) if vector.is_image() => Agreement::Image,
        (None, Err(_)) => Agreement::NoVideo,
    }
}

/// Returns the duration of the media in the file according to ffprobe's packets.
fn packet_duration(vector: &MediaVector) -> Option<u64> {
    let packets = ffprobe(&["-show_entries", "packet=pts_time,duration_time", "-of", "csv=p=0"], &vector.path)?.0;
    let seconds = |field: Option<&str>| field.and_then(|text| text.parse::<f64>().ok());
    let spans = packets.lines().filter_map(|line| {
        let mut fields = line.split(',');
        let start = seconds(fields.next())?;
        Some((start, start + seconds(fields.next()).unwrap_or(0.0)))
    });
    let whole = spans.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    Some(whole.map_or(0, |(start, end)| millis(end - start)))
}

/// Whether ffprobe's duration exceeds that of its packets, so that it must come from a header.
fn exceeds_packets(vector: &MediaVector, expected: u64) -> bool {
    packet_duration(vector).is_some_and(|span| span + TOLERANCE_MS < expected)
}

/// Whether the file is visibly truncated: its last box is the header of a fragment without media.
fn is_truncated(vector: &MediaVector) -> bool {
    let file = vector.read();
    let mut rest = &file[..];
    let mut last = None;
    while let (Some(size), Some(kind)) = (rest.get(..4), rest.get(4..8)) {
        last = Some(kind);
        let size = match u32::from_be_bytes(size.try_into().expect("four bytes")) {
            1 => rest.get(8..16).map_or(0, |long| u64::from_be_bytes(long.try_into().expect("eight bytes"))),
            short => u64::from(short),
        };
        let size = usize::try_from(size.max(8)).unwrap_or(usize::MAX);
        rest = rest.get(size..).unwrap_or_default();
    }
    vector.format.starts_with("mov") && last == Some(b"moof")
}

fn ffprobe(arguments: &[&str], path: &Path) -> Option<(String, String)> {
    let output = Command::new("ffprobe").args(["-v", "error"]).args(arguments).arg(path).output().ok()?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Some((text(output.stdout), text(output.stderr)))
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
    let refused = cases.iter().filter(|case| case.verdict.is_err()).count();
    writeln!(
        text,
        "| {name} | {} | {} | {} | {} | {} | {} |",
        cases.len(),
        count(Agreement::Agrees),
        count(Agreement::Differs),
        refused,
        count(Agreement::WronglyRefused),
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
    !matches!(case.class, Agreement::Agrees | Agreement::NoVideo | Agreement::Image)
}

fn list(text: &mut String, case: &ComparedFile) {
    let verdict = support::summary(&case.verdict);
    let theirs = case.vector.duration_ms.map_or("no duration".to_owned(), |ms| format!("{ms} ms"));
    let reason = match case.class {
        Agreement::RightlyRefused if is_truncated(&case.vector) => {
            "truncated: the last fragment has a header but no media".to_owned()
        }
        Agreement::RightlyRefused => {
            let span = packet_duration(&case.vector).unwrap_or(0);
            format!("not a true duration: its packets span {span} ms")
        }
        Agreement::Extra => "ffprobe cannot open it or finds no video in it".to_owned(),
        Agreement::WronglyRefused if case.vector.format == "mxf" => "an unsupported container".to_owned(),
        _ => "see how the duration is defined in `probe/src/lib.rs`".to_owned(),
    };
    writeln!(text, "| {} | {theirs} | {verdict} | {reason} |", case.vector.name).expect("writing to a string succeeds");
}

const HEAD: &str = "# The prober compared with ffprobe

Generated by `make docs`; `cargo test -p probe --test conformance` fails when it is out of date.
The files are clips from public test suites that are not part of the checkout (`CLIPGATE_VECTORS`, or `../shared/vectors`).

Two answers agree if they differ by at most 50 ms. ffprobe's answer is its `format.duration`, or the span of its packets
if that is absent. *Refused* counts all refusals: pictures, audio without video, and damaged or truncated files. *Wrongly
refused* counts the files that ffprobe reads as video with a true duration. A duration is not true if ffprobe took it from
a header and its own packets end more than 50 ms earlier, or if the file ends after the header of a fragment whose media
is missing. Files that end before their declared end are refused on purpose.

| container (as ffprobe names it) | files | agree | differ | refused | wrongly refused | only the prober |
|---|---|---|---|---|---|---|
";

const LISTS: &str = "
## All differences

| file | ffprobe | prober | reason |
|---|---|---|---|
";

fn document() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/probe-conformance.md")
}

/// Returns the percentage of agreement among the files that ffprobe reads as video with a true duration.
fn share(cases: &[ComparedFile], counts: impl Fn(&ComparedFile) -> bool) -> f64 {
    let of = |classes: &[Agreement]| {
        let count = cases.iter().filter(|case| counts(case) && classes.contains(&case.class)).count();
        u32::try_from(count).map_or(0.0, f64::from)
    };
    let all = of(&[Agreement::Agrees, Agreement::Differs, Agreement::WronglyRefused]);
    100.0 * of(&[Agreement::Agrees]) / all.max(1.0)
}

#[test]
fn durations_agree_with_ffprobe_and_the_document_is_current() {
    let Some(vectors) = vectors::all() else {
        return;
    };
    let cases: Vec<ComparedFile> = vectors.into_iter().map(compare).collect();
    let text = report(&cases);
    println!("{text}");
    assert!(share(&cases, |_| true) >= 97.0, "all containers");
    for name in ["mp4 family", "matroska, webm"] {
        assert!(share(&cases, |case| family(case) == name) >= 99.0, "{name}");
    }
    if ffprobe(&["-version"], Path::new(".")).is_none() {
        println!("SKIPPED: checking the document needs ffprobe");
    } else if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::create_dir_all(document().parent().expect("a folder")).expect("the documents folder can be created");
        std::fs::write(document(), text).expect("the document can be written");
    } else {
        let written = std::fs::read_to_string(document()).unwrap_or_default();
        assert_eq!(written, text, "the document is out of date: run with UPDATE_DOCS=1");
    }
}

#[test]
fn every_image_and_every_file_without_video_is_refused() {
    for case in vectors::all().unwrap_or_default().into_iter().map(compare) {
        let has_no_video = case.vector.is_image() || (!case.vector.has_video && !case.vector.format.is_empty());
        let kind = case.verdict.as_ref().err().map(FileRefusal::kind);
        assert!(!has_no_video || kind.is_some(), "{} is accepted", case.vector.name);
    }
}

#[test]
fn coded_sizes_agree_with_ffprobe() {
    for case in vectors::all().unwrap_or_default().into_iter().map(compare) {
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
