//! Whether what ffmpeg wrote is on the disk to its last byte. Behind the `tee` muxer, ffmpeg does not notice a disk that
//! becomes full: it goes on with the other outputs, or without a word, and reports success.
//!
//! What is cut short here is this machine's fault and moment. Whether it is what was planned, `verify` says.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use contract::MediaFile;

use super::MediaError;
use super::files::{self, output};
use super::plan::Plan;
use super::playlist::Segments;
use super::thumbnail;
use super::transcode::NOTHING;

/// Looks at all that ffmpeg wrote.
pub(super) fn check(plan: &Plan, folder: &Path) -> Result<(), MediaError> {
    let frames = thumbnail::list(&folder.join(files::FRAMES))?;
    if frames.is_empty() {
        return Err(MediaError::format(NOTHING));
    }
    for frame in frames
        .iter()
        .chain(&thumbnail::list(&folder.join(files::CANDIDATES))?)
    {
        let bytes = read(frame)?;
        whole(is_whole_jpeg(&bytes), &frame.display())?;
    }
    check_video(folder, MediaFile::Video)?;
    for rung in &plan.rungs {
        check_video(folder, MediaFile::Segments(rung.name))?;
        check_playlist(folder, rung.name)?;
    }
    check_picture(folder, MediaFile::Storyboard, is_whole_jpeg)?;
    check_picture(folder, MediaFile::Preview, is_whole_webp)
}

fn check_video(folder: &Path, name: MediaFile) -> Result<(), MediaError> {
    let is_whole = File::open(output(folder, name)).and_then(|file| is_whole_mp4(&file));
    let is_whole = is_whole.map_err(|error| unreadable(&name, &error))?;
    whole(is_whole, &name)
}

/// The playlist to its last line, and all the bytes that it names.
fn check_playlist(folder: &Path, rung: u32) -> Result<(), MediaError> {
    let (name, segments) = (MediaFile::Playlist(rung), MediaFile::Segments(rung));
    let text = read(&output(folder, name))?;
    let text = String::from_utf8_lossy(&text);
    whole(text.trim_end().ends_with("#EXT-X-ENDLIST"), &name)?;
    let named = Segments::parse(&text, &format!("{rung}p.mp4")).bytes;
    let there = fs::metadata(output(folder, segments));
    let there = there.map_err(|error| unreadable(&segments, &error))?.len();
    whole(named <= there, &segments)
}

/// Only where it is there: a source that ends too early has no preview, and is judged by its length.
fn check_picture(
    folder: &Path,
    name: MediaFile,
    is_whole: fn(&[u8]) -> bool,
) -> Result<(), MediaError> {
    match fs::read(output(folder, name)) {
        Ok(bytes) if !bytes.is_empty() => whole(is_whole(&bytes), &name),
        _ => Ok(()),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, MediaError> {
    fs::read(path).map_err(|error| unreadable(&path.display(), &error))
}

fn whole(is_whole: bool, name: &dyn std::fmt::Display) -> Result<(), MediaError> {
    if is_whole {
        return Ok(());
    }
    let detail = format!("{name} was not written to its end: is the disk full?");
    Err(MediaError::Transient(detail))
}

fn unreadable(name: &dyn std::fmt::Display, error: &io::Error) -> MediaError {
    MediaError::Transient(format!("{name} was not written: {error}"))
}

/// Its boxes end where the file does, and one of them describes the rest. A box without a length is one whose writer was
/// interrupted.
fn is_whole_mp4(mut file: impl Read + Seek) -> io::Result<bool> {
    let length = file.seek(SeekFrom::End(0))?;
    let (mut at, mut is_described) = (0_u64, false);
    while at < length {
        file.seek(SeekFrom::Start(at))?;
        let mut header = Vec::new();
        file.by_ref().take(16).read_to_end(&mut header)?;
        let Some((size, name)) = box_of(&header) else {
            return Ok(false);
        };
        is_described |= name == b"moov";
        at = at.saturating_add(size);
    }
    Ok(at == length && is_described)
}

/// The size and name of the box that begins so.
fn box_of(header: &[u8]) -> Option<(u64, &[u8])> {
    let short = u32::from_be_bytes(header.get(..4)?.try_into().ok()?);
    let size = match short {
        1 => u64::from_be_bytes(header.get(8..16)?.try_into().ok()?),
        short => u64::from(short),
    };
    (size >= 8).then_some((size, header.get(4..8)?))
}

fn is_whole_jpeg(bytes: &[u8]) -> bool {
    bytes.ends_with(&[0xFF, 0xD9])
}

/// Its header says how much follows.
fn is_whole_webp(bytes: &[u8]) -> bool {
    let said = bytes.get(4..8).and_then(|said| said.try_into().ok());
    said.map(u32::from_le_bytes)
        .and_then(|said| usize::try_from(said).ok())
        .is_some_and(|said| bytes.len() == said.saturating_add(8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    /// Boxes of 8 bytes and so much more.
    fn mp4(boxes: &[(&[u8; 4], u32)]) -> Vec<u8> {
        let written = boxes.iter().flat_map(|(name, inside)| {
            let size = (8 + inside).to_be_bytes();
            let inside = vec![0; *inside as usize];
            [size.to_vec(), name.to_vec(), inside].concat()
        });
        written.collect()
    }

    fn is_whole(bytes: &[u8]) -> bool {
        is_whole_mp4(Cursor::new(bytes)).unwrap()
    }

    #[test]
    fn boxes_that_end_with_the_file_are_whole_and_no_beginning_of_them_is() {
        let whole = mp4(&[(b"ftyp", 8), (b"mdat", 100), (b"moov", 30)]);
        assert!(is_whole(&whole));
        for kept in 0..whole.len() {
            assert!(!is_whole(&whole[..kept]), "{kept}");
        }
        let mut long = mp4(&[(b"moov", 8)]);
        long.extend([0, 0, 0, 1]);
        long.extend(b"mdat");
        long.extend(20_u64.to_be_bytes());
        long.extend([0; 4]);
        assert!(is_whole(&long));
        assert!(!is_whole(&long[..long.len() - 1]));
    }

    #[test]
    fn a_box_whose_length_was_never_written_is_not_whole() {
        let mut open = mp4(&[(b"moov", 8)]);
        open.extend([0, 0, 0, 0]);
        open.extend(b"mdat and so on");
        assert!(!is_whole(&open));
    }

    #[test]
    fn half_a_picture_is_not_whole() {
        assert!(is_whole_jpeg(&[0xFF, 0xD8, 0xFF, 0xD9]));
        assert!(!is_whole_jpeg(&[0xFF, 0xD8, 0xFF]));
        let webp = b"RIFF\x06\0\0\0WEBP--";
        assert!(is_whole_webp(webp));
        assert!(!is_whole_webp(&webp[..12]) && !is_whole_webp(b"") && !is_whole_webp(b"RIFF"));
    }
}
