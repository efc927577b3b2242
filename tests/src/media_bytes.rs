//! The media files of test contents, and their bytes.

use contract::MediaFile;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Returns the media files of a test content, which has one HLS rendition.
pub fn all_media_files() -> Vec<MediaFile> {
    MediaFile::all([360])
}

/// Returns the bytes of a media file. They differ from file to file, and the video is long enough for range requests.
pub fn bytes_of(file: MediaFile) -> &'static [u8] {
    static BYTES: LazyLock<HashMap<String, Vec<u8>>> =
        LazyLock::new(|| all_media_files().into_iter().map(|file| (file.to_string(), make_bytes(file))).collect());
    BYTES.get(&file.to_string()).map_or(&[], Vec::as_slice)
}

fn make_bytes(file: MediaFile) -> Vec<u8> {
    let length = match file {
        MediaFile::Video => 300_000,
        _ => 900,
    };
    let seed: u32 = file.to_string().bytes().map(u32::from).sum();
    let byte = |index: u32| (index.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 24) & 0xff;
    (0..length).map(|index| u8::try_from(byte(index)).unwrap_or_default()).collect()
}
