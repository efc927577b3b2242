//! The argument list of a typical job, word for word: a change of it is a decision and shows up in review.

use std::path::Path;

use origin::media::{
    Correction, Inspection, Rate, Sound, Thumbnail, Treatment, Video, argv::argv, plan,
};

/// A turned phone video with sound, or one that is copied.
fn inspection(as_stored: bool) -> Inspection {
    Inspection {
        container: probe::Container::Mp4,
        duration_ms: 10_000,
        ahead: 0.0,
        audio: None,
        video: Video {
            stream: 0,
            codec: "h264".into(),
            profile: "High".into(),
            level: 40,
            pixel_format: "yuv420p".into(),
            width: 720,
            height: 1280,
            as_stored,
            interlaced: false,
            full_range: false,
            matrix: "bt709".into(),
            transfer: String::new(),
            rate: Rate::new(30_000, 1001).unwrap(),
            constant_rate: true,
            source_fps: 29.97,
            start: 0.0,
            end: 10.0,
            longest_group: 2.0,
            starts_with_key: true,
            open_groups: false,
            trimmed: false,
            bits_per_second: 2_000_000.0,
            is_avc: true,
        },
    }
}

fn lines(as_stored: bool) -> String {
    let treatment = if as_stored {
        Treatment::Copy
    } else {
        Treatment::Encode(Correction {
            gain_db: 6.0,
            limited: true,
        })
    };
    let sound = Sound {
        stream: 1,
        treatment,
        late: !as_stored,
        goal_lufs: -14.0,
    };
    let plan = plan(&inspection(as_stored), Some(sound), &Thumbnail::At(1500));
    let words = argv(&plan, Path::new("/private/source"), 2);
    let lines: Vec<_> = words
        .iter()
        .map(|word| word.to_string_lossy().replace(';', ";\n    "))
        .collect();
    lines.join("\n") + "\n"
}

/// Compares with the file, or writes it anew when `UPDATE_SNAPSHOTS` is set.
fn expect(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/media")
        .join(name);
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        expected == text,
        "{name} differs (UPDATE_SNAPSHOTS=1 writes it anew):\n{text}"
    );
}

#[test]
fn an_encode_has_exactly_these_arguments() {
    expect("encode.argv", &lines(false));
}

#[test]
fn a_copy_has_exactly_these_arguments() {
    expect("copy.argv", &lines(true));
}
