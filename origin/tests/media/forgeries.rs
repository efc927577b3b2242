//! Every hostile or damaged file is either published or rejected for good. If a file could cause a temporary error, its
//! job would use up all its delivery attempts.

use crate::clips::{AAC, H264, ffmpeg, moving, tone};
use crate::hostile::vectors;
use crate::processed_clip::process;
use contract::ErrorCode;
use fixtures::mutants::{ContainerClips, SUPPORTED};
use origin::media::MediaError;
use origin::media::plan::ThumbnailChoice;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The outcomes of the files of one kind.
#[derive(Debug, Default)]
struct Outcomes {
    published: u32,
    refused: u32,
    retried: Vec<String>,
}

impl Outcomes {
    fn attempt(&mut self, name: &str, file: &Path) {
        match process(file, &ThumbnailChoice::Best) {
            Ok(_) => self.published += 1,
            Err(MediaError::Rejected { .. } | MediaError::Permanent(_)) => self.refused += 1,
            Err(error) => self.retried.push(format!("{name}: {error:?}")),
        }
    }

    fn check(self, kind: &str) {
        println!("{kind}: {} published, {} refused, {} retried", self.published, self.refused, self.retried.len());
        assert!(self.published + self.refused > 0 && self.retried.is_empty(), "{:#?}", self.retried);
    }
}

#[test]
fn no_hostile_vector_is_retried() {
    let Some(folder) = vectors() else { return };
    let mut outcomes = Outcomes::default();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        outcomes.attempt(&path.display().to_string(), &path);
    }
    outcomes.check("hostile vectors");
}

/// Containers, each with the encoder options for its video and for its audio.
const SOUNDS: [(&str, &str, &str); 8] = [
    ("ogg", "-c:v libtheora", "-c:a libopus"),
    ("ogg", "-c:v libtheora", "-c:a libvorbis"),
    ("webm", "-c:v libvpx -deadline realtime", "-c:a libopus"),
    ("mkv", H264, AAC),
    ("mp4", H264, AAC),
    ("flv", H264, AAC),
    ("ts", H264, AAC),
    ("avi", "-c:v mpeg4", "-c:a libmp3lame"),
];

#[test]
fn no_sound_whose_packets_are_denser_or_sparser_than_they_play_is_retried() {
    let mut outcomes = Outcomes::default();
    let folder = tempfile::tempdir().unwrap();
    for (number, (ending, video, audio)) in SOUNDS.into_iter().enumerate() {
        ffmpeg(folder.path(), &format!("{} {video} v{number}.mkv", moving("160x90", "30", 3.0)));
        ffmpeg(folder.path(), &format!("{} {audio} a{number}.mkv", tone(30.0)));
        for scale in fixtures::cases(vec!["0.1", "2"], vec!["0.02", "0.1", "0.5", "0.9", "1.1", "2", "4"]) {
            let name = format!("{number}-{scale}.{ending}");
            let inputs = format!("-i v{number}.mkv -itsscale {scale} -t 30 -i a{number}.mkv");
            ffmpeg(folder.path(), &format!("{inputs} -map 0:v -map 1:a -c copy -t 20 {name}"));
            outcomes.attempt(&name, &folder.path().join(&name));
        }
    }
    outcomes.check("dense and sparse sound");
}

#[test]
fn no_mutant_is_retried() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clips-of-forgeries");
    let clips = ContainerClips::encode(&folder, SUPPORTED).expect("ffmpeg is installed");
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut outcomes = Outcomes::default();
    for clips in &clips {
        for seed in 0..fixtures::cases(1, 25) {
            for mutant in clips.mutants(seed) {
                fs::write(file.path(), &mutant.file).unwrap();
                outcomes.attempt(&mutant.name(), file.path());
            }
        }
    }
    outcomes.check("mutants");
}

#[test]
fn no_file_with_damaged_pictures_or_sound_is_retried() {
    let folder = tempfile::tempdir().unwrap();
    let mut outcomes = Outcomes::default();
    for (ending, video, audio) in [("mkv", H264, AAC), ("webm", "-c:v libvpx -deadline realtime", "-c:a libopus")] {
        let whole = folder.path().join(format!("whole.{ending}"));
        let inputs = format!("{} {}", moving("160x90", "30", 3.0), tone(3.0));
        ffmpeg(folder.path(), &format!("{inputs} {video} {audio} whole.{ending}"));
        for step in fixtures::cases(vec![3001, 97], vec![3001, 997, 307, 97, 31]) {
            let mut bytes = fs::read(&whole).unwrap();
            bytes.iter_mut().skip(4_000).step_by(step).for_each(|byte| *byte ^= 0x55);
            let damaged = folder.path().join("damaged");
            fs::write(&damaged, bytes).unwrap();
            outcomes.attempt(&format!("{ending}, every {step} bytes"), &damaged);
        }
    }
    outcomes.check("damaged pictures and sound");
}

/// Replaces pictures of an MP4 file by filler, which decodes to no picture. Their entries in the tables stay.
fn empty_pictures(file: &Path, emptied: Range<f64>) {
    let mut ffprobe = Command::new("ffprobe");
    ffprobe.args("-v error -select_streams v -of csv=p=0 -show_entries packet=dts_time,size,pos".split(' '));
    let listed = String::from_utf8(ffprobe.arg(file).output().unwrap().stdout).unwrap();
    let mut bytes = fs::read(file).unwrap();
    for line in listed.lines() {
        let fields: Vec<_> = line.split(',').collect();
        let (time, size, at): (f64, usize, usize) =
            (fields[0].parse().unwrap(), fields[1].parse().unwrap(), fields[2].parse().unwrap());
        if emptied.contains(&time) {
            let sample = &mut bytes[at..at + size];
            sample.fill(0xFF);
            sample[..4].copy_from_slice(&u32::try_from(size - 4).unwrap().to_be_bytes());
            sample[4] = 0x0C;
        }
    }
    fs::write(file, bytes).unwrap();
}

/// Makes a film of ten seconds with pictures that do not need each other.
fn film(folder: &Path) -> PathBuf {
    let inputs = format!("{} {}", moving("160x90", "25", 10.0), tone(10.0));
    ffmpeg(folder, &format!("{inputs} {H264} -g 1 {AAC} film.mp4"));
    folder.join("film.mp4")
}

#[test]
fn pictures_that_the_tables_list_and_the_decoder_does_not_return_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let forgeries = [
        ("all after the first second", 1.0..f64::MAX),
        ("all but the first second and the last", 1.0..9.0),
        ("five seconds in the middle", 3.0..8.0),
    ];
    for (name, emptied) in forgeries {
        let file = film(folder.path());
        empty_pictures(&file, emptied);
        let outcome = process(&file, &ThumbnailChoice::Best).map(|_| "published");
        println!("{name}: {outcome:?}");
        let is_format = |error: &MediaError| match error {
            MediaError::Rejected { code, .. } => *code == ErrorCode::ContentFileInvalidFormat,
            _ => false,
        };
        assert!(outcome.as_ref().is_err_and(is_format), "{name}: {outcome:?}");
    }
}

#[test]
fn honest_files_with_few_pictures_and_with_short_damage_are_published() {
    let folder = tempfile::tempdir().unwrap();
    let song = tone(10.0);
    let slow = |rate| format!("{} {song} {H264} {AAC}", moving("160x90", rate, 10.0));
    let screen =
        format!("{} {song} -vf select=lt(t\\,1)+gt(t\\,8) -fps_mode vfr {H264} {AAC}", moving("160x90", "25", 10.0));
    for (name, arguments) in
        [("one picture a second", slow("1")), ("a picture every five seconds", slow("0.2")), ("a pause", screen)]
    {
        ffmpeg(folder.path(), &format!("{arguments} honest.mp4"));
        let outcome = process(&folder.path().join("honest.mp4"), &ThumbnailChoice::Best).map(|_| "published");
        assert!(outcome.is_ok(), "{name}: {outcome:?}");
    }
    let damaged = film(folder.path());
    empty_pictures(&damaged, 3.0..3.8);
    let outcome = process(&damaged, &ThumbnailChoice::Best).map(|_| "published");
    assert!(outcome.is_ok(), "{outcome:?}");
}
