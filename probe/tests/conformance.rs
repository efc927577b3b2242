//! What the prober says of real files, beside what ffprobe says; the table is `docs/probe-conformance.md`.
//!
//! With `UPDATE_DOCS=1` the table is written, else it must be up to date. Thresholds hold in any case.

mod support;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use probe::{Media, Prober, Refusal, Verdict};
use support::vectors::{self, Vector, millis};

const TOLERANCE_MS: u64 = 50;

/// A file beside its two answers.
struct Case {
    vector: Vector,
    verdict: Result<Media, Refusal>,
    /// Bytes until the provisional verdict of a file whose metadata comes first.
    bytes: Option<u64>,
    class: Class,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Agrees,
    Differs,
    /// Refused although ffprobe reads a video with a true length.
    WronglyRefused,
    /// ffprobe repeats the length of a header, and the file does not hold that much.
    RightlyRefused,
    /// A picture, which ffprobe calls a video of one frame.
    Image,
    /// ffprobe sees no video, or no length.
    NoVideo,
    /// A video for the prober and none for ffprobe.
    Extra,
}

/// The verdict, feeding a byte at a time until there is one.
fn judge(file: &[u8]) -> (Result<Media, Refusal>, Option<u64>) {
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

fn case(vector: Vector) -> Case {
    let (verdict, bytes) = judge(&vector.read());
    let class = classify(&vector, &verdict);
    Case {
        vector,
        verdict,
        bytes,
        class,
    }
}

fn classify(vector: &Vector, verdict: &Result<Media, Refusal>) -> Class {
    let expected = vector
        .duration_ms
        .filter(|_| vector.has_video && !vector.is_image());
    match (expected, verdict) {
        (Some(expected), Ok(media)) if media.duration_ms.abs_diff(expected) <= TOLERANCE_MS => {
            Class::Agrees
        }
        (Some(_), Ok(_)) => Class::Differs,
        (Some(_), Err(Refusal::NotAVideo { .. })) => Class::WronglyRefused,
        (Some(expected), Err(_)) => {
            let is_untrue = claims_more(vector, expected) || is_cut(vector);
            if is_untrue {
                Class::RightlyRefused
            } else {
                Class::WronglyRefused
            }
        }
        (None, Ok(_)) => Class::Extra,
        (None, Err(_)) if vector.is_image() => Class::Image,
        (None, Err(_)) => Class::NoVideo,
    }
}

/// How much media the file really holds, by ffprobe's packets.
fn held(vector: &Vector) -> Option<u64> {
    let packets = ffprobe(
        &[
            "-show_entries",
            "packet=pts_time,duration_time",
            "-of",
            "csv=p=0",
        ],
        &vector.path,
    )?
    .0;
    let seconds = |field: Option<&str>| field.and_then(|text| text.parse::<f64>().ok());
    let spans = packets.lines().filter_map(|line| {
        let mut fields = line.split(',');
        let start = seconds(fields.next())?;
        Some((start, start + seconds(fields.next()).unwrap_or(0.0)))
    });
    let whole = spans.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    Some(whole.map_or(0, |(start, end)| millis(end - start)))
}

/// Whether ffprobe's length is that of a header, and its packets end earlier.
fn claims_more(vector: &Vector, expected: u64) -> bool {
    held(vector).is_some_and(|held| held + TOLERANCE_MS < expected)
}

/// Whether the file is cut by its own account: the last of its boxes is a fragment's header without the media.
fn is_cut(vector: &Vector) -> bool {
    let file = vector.read();
    let mut rest = &file[..];
    let mut last = None;
    while let (Some(size), Some(kind)) = (rest.get(..4), rest.get(4..8)) {
        last = Some(kind);
        let size = match u32::from_be_bytes(size.try_into().expect("four bytes")) {
            1 => rest.get(8..16).map_or(0, |long| {
                u64::from_be_bytes(long.try_into().expect("eight bytes"))
            }),
            short => u64::from(short),
        };
        let size = usize::try_from(size.max(8)).unwrap_or(usize::MAX);
        rest = rest.get(size..).unwrap_or_default();
    }
    vector.format.starts_with("mov") && last == Some(b"moof")
}

fn ffprobe(arguments: &[&str], path: &Path) -> Option<(String, String)> {
    let output = Command::new("ffprobe")
        .args(["-v", "error"])
        .args(arguments)
        .arg(path)
        .output()
        .ok()?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Some((text(output.stdout), text(output.stderr)))
}

fn family(case: &Case) -> &'static str {
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
        _ => "images and sound",
    }
}

fn report(cases: &[Case]) -> String {
    let mut text = String::from(HEAD);
    let mut families: BTreeMap<&str, Vec<&Case>> = BTreeMap::new();
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

fn row(text: &mut String, name: &str, cases: &[&Case]) {
    let count = |class: Class| cases.iter().filter(|case| case.class == class).count();
    let refused = cases.iter().filter(|case| case.verdict.is_err()).count();
    writeln!(
        text,
        "| {name} | {} | {} | {} | {} | {} | {} |",
        cases.len(),
        count(Class::Agrees),
        count(Class::Differs),
        refused,
        count(Class::WronglyRefused),
        count(Class::Extra)
    )
    .expect("writing to a string");
}

fn bytes_until_verdict(text: &mut String, cases: &[Case]) {
    let mut bytes: Vec<u64> = cases.iter().filter_map(|case| case.bytes).collect();
    bytes.sort_unstable();
    let (median, most) = (bytes.get(bytes.len() / 2), bytes.last());
    writeln!(
        text,
        "\nOf {} videos whose metadata comes first, the verdict stood after {} bytes (median) and {} bytes (maximum).",
        bytes.len(),
        median.unwrap_or(&0),
        most.unwrap_or(&0)
    )
    .expect("writing to a string");
}

fn is_listed(case: &Case) -> bool {
    !matches!(case.class, Class::Agrees | Class::NoVideo | Class::Image)
}

fn list(text: &mut String, case: &Case) {
    let verdict = support::summary(&case.verdict);
    let theirs = case
        .vector
        .duration_ms
        .map_or("nothing".to_owned(), |ms| format!("{ms} ms"));
    let reason = match case.class {
        Class::RightlyRefused if is_cut(&case.vector) => {
            "cut: the last fragment's header is there, its media is not".to_owned()
        }
        Class::RightlyRefused => {
            let held = held(&case.vector).unwrap_or(0);
            format!("not a true length: its packets span {held} ms")
        }
        Class::Extra => "ffprobe cannot open it, or finds no picture in it".to_owned(),
        Class::WronglyRefused if case.vector.format == "mxf" => {
            "a container that is not supported".to_owned()
        }
        _ => "see the definition of the duration".to_owned(),
    };
    writeln!(
        text,
        "| {} | {theirs} | {verdict} | {reason} |",
        case.vector.name
    )
    .expect("writing to a string");
}

const HEAD: &str = "# What the prober says of real files

Generated by `make docs`; `cargo test -p probe --test conformance` fails when it is out of date.
The files are clips of public test suites that lie beside the checkout (`CLIPGATE_VECTORS`, or `../shared/vectors`).

Two answers agree when they lie within 50 ms of each other. ffprobe's answer is its `format.duration`, or the span of
its packets where it has none. *Refused* counts every refusal: pictures, sound without pictures, damaged and cut files.
*Wrongly refused* are those that ffprobe reads as video with a true length. A length is not true where ffprobe repeats a
header and its own packets end more than 50 ms earlier, or where the file ends behind a fragment's header whose media is
missing; files that end before the end that they declare are refused on purpose.

| container (as ffprobe names it) | files | agree | differ | refused | wrongly refused | only ours |
|---|---|---|---|---|---|---|
";

const LISTS: &str = "
## Every difference by name

| file | ffprobe | prober | reason |
|---|---|---|---|
";

fn document() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/probe-conformance.md")
}

/// Share of agreement, in percent, among the files that ffprobe reads as video with a true length.
fn share(cases: &[Case], counts: impl Fn(&Case) -> bool) -> f64 {
    let of = |classes: &[Class]| {
        let found = cases
            .iter()
            .filter(|case| counts(case) && classes.contains(&case.class))
            .count();
        u32::try_from(found).map_or(0.0, f64::from)
    };
    let all = of(&[Class::Agrees, Class::Differs, Class::WronglyRefused]);
    100.0 * of(&[Class::Agrees]) / all.max(1.0)
}

#[test]
fn durations_agree_with_ffprobe_and_the_document_says_so() {
    let Some(vectors) = vectors::all() else {
        return;
    };
    let cases: Vec<Case> = vectors.into_iter().map(case).collect();
    let text = report(&cases);
    println!("{text}");
    assert!(share(&cases, |_| true) >= 97.0, "over all containers");
    for name in ["mp4 family", "matroska, webm"] {
        assert!(share(&cases, |case| family(case) == name) >= 99.0, "{name}");
    }
    if ffprobe(&["-version"], Path::new(".")).is_none() {
        println!("SKIPPED: the document needs ffprobe to be compared");
    } else if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::create_dir_all(document().parent().expect("a folder"))
            .expect("the folder of documents");
        std::fs::write(document(), text).expect("the document");
    } else {
        let written = std::fs::read_to_string(document()).unwrap_or_default();
        assert_eq!(written, text, "run again with UPDATE_DOCS=1");
    }
}

#[test]
fn every_image_and_every_file_without_pictures_is_refused() {
    for case in vectors::all().unwrap_or_default().into_iter().map(case) {
        let holds_no_film =
            case.vector.is_image() || (!case.vector.has_video && !case.vector.format.is_empty());
        let kind = case.verdict.as_ref().err().map(Refusal::kind);
        assert!(
            !holds_no_film || kind.is_some(),
            "{} passes",
            case.vector.name
        );
    }
}

#[test]
fn coded_sizes_agree_with_ffprobe() {
    for case in vectors::all().unwrap_or_default().into_iter().map(case) {
        let Ok(media) = &case.verdict else { continue };
        let track = media.video().expect("every video has a picture");
        let Some(coded) = track.coded_width.zip(track.coded_height) else {
            continue;
        };
        let theirs = (case.vector.width, case.vector.height);
        assert!(
            theirs.0 == 0 || coded == theirs,
            "{}: {coded:?}, {theirs:?}",
            case.vector.name
        );
    }
}

#[test]
fn hostile_files_named_like_videos_are_refused_or_told_truly() {
    let Some(vectors) = vectors::all() else {
        return;
    };
    let folder = vectors
        .first()
        .and_then(|vector| vector.path.ancestors().find(|path| path.ends_with("media")));
    let folder = folder
        .expect("the folder of vectors")
        .with_file_name("hostile-media");
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let file = std::fs::read(entry.path()).expect("a file");
        let verdict = support::judge(&file);
        println!(
            "{}: {}",
            entry.file_name().to_string_lossy(),
            support::summary(&verdict)
        );
        let is_media = file.starts_with(b"RIFF") || file.get(4..8) == Some(b"ftyp");
        assert!(is_media || verdict.is_err(), "{}", entry.path().display());
    }
}
