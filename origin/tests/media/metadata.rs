//! No output says anything about the source that its pictures and its sound do not say.

use crate::clips::{AAC, Clip, moving, tone};
use crate::processed_clip::processed;
use fixtures::cases;
use std::path::Path;

const H264: &str = "-c:v libx264 -preset ultrafast -crf 35 -pix_fmt yuv420p -g 60";

/// A place and a name, as a camera could write them into any field.
pub(crate) const SECRET: &str = "+48.8577+002.2950_Jane-Doe";
pub(crate) const PLANTED: &str = "-metadata title=+48.8577+002.2950_Jane-Doe -metadata comment=+48.8577+002.2950_Jane-Doe \
-metadata location=+48.8577+002.2950/ -metadata:s:v title=+48.8577+002.2950_Jane-Doe \
-metadata:s:v handler_name=+48.8577+002.2950_Jane-Doe -metadata:s:a handler_name=+48.8577+002.2950_Jane-Doe \
-metadata:s:a title=+48.8577+002.2950_Jane-Doe -metadata:s:a language=fra";
const IN_BITSTREAM: &str =
    "-bsf:v h264_metadata=sei_user_data=086f3693-b7b3-4f2c-9653-21492feee5b8+Made~at~+48.8577+002.2950_Jane-Doe";

pub(crate) fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

pub(crate) fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn no_secret_of_the_source_is_in_any_output() {
    let sources = [
        ("source.mkv", IN_BITSTREAM, true),
        ("source.ts", IN_BITSTREAM, false),
        ("source.mp4", IN_BITSTREAM, true),
        ("source.mov", "-vf hflip", true),
    ];
    for (name, encoding, is_copied) in sources.into_iter().take(cases(2, 4)) {
        let inputs = format!("{} {}", moving("640x96", "10", 2.0), tone(2.0));
        let clip = Clip::new(name, &format!("{inputs} {H264} {encoding} {AAC} {PLANTED}"));
        assert!(contains(&std::fs::read(clip.path()).unwrap(), SECRET), "{name} has no secret");
        let outputs = processed(&clip);
        assert_eq!(outputs.plan.copy_video, is_copied, "{name}");
        let files = files(&outputs.folder.path().join("out"));
        assert!(files.len() > 10);
        for file in files {
            let bytes = std::fs::read(&file).unwrap();
            for secret in [SECRET, "48.8577", "Jane", "hflip"] {
                assert!(!contains(&bytes, secret), "{name}: {secret} in {}", file.display());
            }
        }
    }
}
