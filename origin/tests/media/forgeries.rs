//! Every hostile or damaged file is either published or rejected for good. If a file could cause a temporary error, its
//! job would use up all its delivery attempts.

use crate::clips::{AAC, H264, ffmpeg, moving, tone};
use crate::hostile::vectors;
use crate::processed_clip::process;
use fixtures::mutants::{ContainerClips, SUPPORTED};
use origin::media::MediaError;
use origin::media::plan::ThumbnailChoice;
use std::fs;
use std::path::Path;

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
