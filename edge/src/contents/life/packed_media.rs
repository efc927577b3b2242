//! The column `media` in a short form: what pages and files need stays in the row, so viewers cost no read of R2.
//!
//! The names of the files follow from the names of the renditions and the order in which a job reports them, so only
//! their sizes are written, in the alphabet of base64 with five bits a character.

use crate::platform::database::{DatabaseError, read_column, read_row};
use contract::job::StoredMedia;
use contract::{MediaFile, RenditionName, VideoCodec};
use serde_json::{Map, Value};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/// The bit that is set in every digit of a number but the last.
const CONTINUES: u64 = 32;
/// Precedes the number of a file that does not follow its predecessor in the list of all files.
const JUMP: u8 = b'!';

/// The fields of `StoredMedia` besides its files. The short form is an array of their values, the renditions (the
/// height for H.264, otherwise the name), the number of subtitle tracks, and the sizes.
const FIELDS: [&str; 7] =
    ["duration_ms", "width", "height", "has_audio", "thumbhash", "subtitles", "dropped_subtitles"];

/// Reads the column in either form.
pub(crate) fn read_media(column: &str) -> Result<StoredMedia, DatabaseError> {
    read_row(&read_long_form(column)?)
}

/// Reads the column in either form as the JSON of `StoredMedia`.
pub(crate) fn read_long_form(column: &str) -> Result<Value, DatabaseError> {
    let media: Value = read_column(column)?;
    let Value::Array(packed) = media else { return Ok(media) };
    unpack(&packed).ok_or_else(|| DatabaseError::Shape("the packed media has no such files".to_owned()))
}

/// Returns the short form, or `None` for media without one, such as media with unknown file names.
pub(crate) fn pack(column: &str) -> Option<String> {
    let fields = read_long_form(column).ok()?;
    let media: StoredMedia = read_row(&fields).ok()?;
    let files: Vec<MediaFile> = media.files.iter().map(|file| MediaFile::parse(&file.name)).collect::<Option<_>>()?;
    let (mut renditions, mut tracks) = (Vec::new(), 0);
    for file in &files {
        match *file {
            MediaFile::Playlist(name) | MediaFile::Segments(name) | MediaFile::KeyframePlaylist(name)
                if !renditions.contains(&name) =>
            {
                renditions.push(name);
            }
            MediaFile::SubtitlePlaylist(number) | MediaFile::Subtitles(number) => tracks = number.max(tracks),
            _ => {}
        }
    }
    let sizes = write_sizes(&media, &files, &MediaFile::all(renditions.iter().copied(), tracks))?;
    let mut packed: Vec<Value> = FIELDS.iter().filter_map(|name| fields.get(name).cloned()).collect();
    let renditions: Vec<Value> = renditions.into_iter().map(write_rendition).collect();
    packed.extend([renditions.into(), tracks.into(), sizes.into()]);
    let packed = Value::Array(packed).to_string();
    (read_media(&packed).ok()? == media).then_some(packed)
}

/// Returns the media with the names of all fields.
fn unpack(packed: &[Value]) -> Option<Value> {
    let (fields, rest) = packed.split_at_checked(FIELDS.len())?;
    let [renditions, tracks, sizes] = rest else { return None };
    let all = MediaFile::all(renditions.as_array()?.iter().filter_map(read_rendition), read_small_number(tracks)?);
    let (mut text, mut place, mut files) = (sizes.as_str()?.as_bytes(), 0, Vec::new());
    while let Some(first) = text.first() {
        if *first == JUMP {
            text = text.get(1..)?;
            place = usize::try_from(read_number(&mut text)?).ok()?;
        }
        let (name, size_bytes) = (all.get(place)?.to_string().into(), read_number(&mut text)?.into());
        files.push(Value::Object(
            [("name".to_owned(), name), ("size_bytes".to_owned(), size_bytes)].into_iter().collect(),
        ));
        place += 1;
    }
    let mut media: Map<String, Value> =
        FIELDS.iter().map(|name| (*name).to_owned()).zip(fields.iter().cloned()).collect();
    media.insert("files".to_owned(), files.into());
    Some(Value::Object(media))
}

fn write_rendition(name: RenditionName) -> Value {
    if name.codec == VideoCodec::H264 { name.height.into() } else { name.to_string().into() }
}

fn read_rendition(value: &Value) -> Option<RenditionName> {
    value.as_str().map_or_else(|| read_small_number(value).map(Into::into), RenditionName::parse)
}

fn read_small_number(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok())
}

fn write_sizes(media: &StoredMedia, files: &[MediaFile], all: &[MediaFile]) -> Option<String> {
    let (mut text, mut expected) = (String::new(), 0);
    for (stored, file) in media.files.iter().zip(files) {
        let place = all.iter().position(|one| one == file)?;
        if place != expected {
            text.push(char::from(JUMP));
            write_number(&mut text, place as u64);
        }
        write_number(&mut text, stored.size_bytes);
        expected = place + 1;
    }
    Some(text)
}

fn write_number(text: &mut String, mut number: u64) {
    loop {
        let digit = number % CONTINUES + if number >= CONTINUES { CONTINUES } else { 0 };
        text.extend(usize::try_from(digit).ok().and_then(|digit| ALPHABET.get(digit)).map(|byte| char::from(*byte)));
        number /= CONTINUES;
        if number == 0 {
            break;
        }
    }
}

/// Takes a number from the beginning of the text.
fn read_number(text: &mut &[u8]) -> Option<u64> {
    let (mut number, mut shift) = (0_u64, 0);
    loop {
        let (first, rest) = text.split_first()?;
        let digit = ALPHABET.iter().position(|byte| byte == first)? as u64;
        *text = rest;
        number |= (digit % CONTINUES).checked_shl(shift)?;
        if digit < CONTINUES {
            return Some(number);
        }
        shift += 5;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn media(files: Vec<(MediaFile, u64)>, dropped: bool) -> StoredMedia {
        let files = files
            .into_iter()
            .map(|(file, size_bytes)| contract::job::StoredFile { name: file.to_string(), size_bytes });
        let mut media = crate::jobs::tests::stored_media();
        media.files = files.collect();
        if dropped {
            let subtitles = "[{\"number\":1,\"language\":\"en\",\"label\":\"English\",\"is_default\":true,
                \"is_forced\":false,\"is_for_hearing_impaired\":false}]";
            media.subtitles = serde_json::from_str(subtitles).unwrap();
        }
        media
    }

    fn any_rendition() -> impl Strategy<Value = RenditionName> {
        let codec = prop::sample::select(vec![VideoCodec::H264, VideoCodec::Av1, VideoCodec::Hevc]);
        (1..5_000_u32, codec).prop_map(|(height, codec)| RenditionName { height, codec })
    }

    proptest! {
        #[test]
        fn packed_media_reads_as_before(
            renditions in prop::collection::vec(any_rendition(), 0..6), tracks in 0..3_u32, has_subtitles: bool,
            order in prop::collection::vec(any::<prop::sample::Index>(), 0..30),
            sizes in prop::collection::vec(0..1_u64 << 53, 30),
        ) {
            let all = MediaFile::all(renditions, tracks);
            let files = order.iter().zip(sizes).map(|(index, size)| (*index.get(&all), size)).collect();
            let media = media(files, has_subtitles);
            let packed = pack(&serde_json::to_string(&media).unwrap()).unwrap();
            prop_assert_eq!(read_media(&packed).unwrap(), media);
            prop_assert_eq!(pack(&packed), Some(packed));
        }

        #[test]
        fn any_text_is_refused_without_a_panic(sizes in "[A-Za-z0-9!_-]{0,30}") {
            let text = format!("[1,1,1,true,\"\",[],[],[360],0,\"{sizes}\"]");
            let _ = read_media(&text);
        }
    }

    #[test]
    fn the_files_of_a_job_take_a_few_characters_each() {
        let files = MediaFile::all([360, 540, 720], 0).into_iter().map(|file| (file, 20_000));
        let packed = pack(&serde_json::to_string(&media(files.collect(), false)).unwrap()).unwrap();
        assert!(packed.len() < 150, "{packed}");
    }

    #[test]
    fn media_with_a_file_of_an_unknown_name_are_not_packed() {
        let mut media = media(Vec::new(), false);
        media.files.push(contract::job::StoredFile { name: "video.avi".to_owned(), size_bytes: 1 });
        assert_eq!(pack(&serde_json::to_string(&media).unwrap()), None);
        assert_eq!(pack("{}"), None);
    }
}
