//! ffprobe's arguments, and its JSON as types.
//!
//! Says what ffprobe says; whether that is acceptable is decided elsewhere.

use std::ffi::OsString;
use std::ops::ControlFlow;
use std::path::Path;

use serde::Deserialize;

use super::limits::{DECODERS, INSPECTION, MAX_PIXELS, MAX_STREAMS};
use super::packets::Packets;
use super::spawn;
use super::{MediaError, Workshop};

/// A description of every stream that is allowed fits many times over.
const LONGEST_DESCRIPTION: usize = 1 << 20;

/// Two minutes at 60 frames a second, with sound, take a tenth of it.
const LONGEST_LISTING: usize = 32 << 20;

const ENTRIES: &str = "format=format_name,start_time:stream=index,codec_type,codec_name,profile,level,pix_fmt,width,height,\
sample_aspect_ratio,field_order,color_range,color_space,color_transfer,avg_frame_rate,channels,sample_rate,is_avc:\
stream_disposition=attached_pic:stream_side_data=rotation";

const PACKET_ENTRIES: &str = "packet=stream_index,pts_time,dts_time,duration_time,size,flags";

/// What ffprobe tells of a file.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Description {
    #[serde(default)]
    pub streams: Vec<Stream>,
    #[serde(default)]
    pub format: Format,
    #[serde(default)]
    packets: Vec<Packet>,
}

/// What it tells of the whole file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Format {
    /// When the earliest of all streams begins; ffmpeg counts from there.
    pub start_time: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Packet {
    stream_index: usize,
    pts_time: String,
    dts_time: String,
    duration_time: String,
    size: String,
    flags: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Stream {
    pub index: usize,
    pub codec_type: String,
    pub codec_name: String,
    pub profile: String,
    pub level: i32,
    pub pix_fmt: String,
    pub width: u32,
    pub height: u32,
    pub sample_aspect_ratio: String,
    pub field_order: String,
    pub color_range: String,
    pub color_space: String,
    pub color_transfer: String,
    pub avg_frame_rate: String,
    pub channels: u32,
    pub sample_rate: String,
    pub is_avc: String,
    pub disposition: Disposition,
    pub side_data_list: Vec<SideData>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Disposition {
    pub attached_pic: u8,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SideData {
    /// Counter-clockwise, in degrees.
    pub rotation: Option<f64>,
}

impl Stream {
    /// Moving pictures: not the cover of an album.
    pub fn is_video(&self) -> bool {
        self.codec_type == "video" && self.disposition.attached_pic == 0
    }

    /// Sound that can be decoded: a stream of an unknown codec has no channels.
    pub fn is_audio(&self) -> bool {
        self.codec_type == "audio" && self.channels > 0 && !self.codec_name.is_empty()
    }
}

/// The description of one file, read by this demuxer alone.
pub(super) fn describe(
    shop: &Workshop<'_>,
    file: &Path,
    demuxer: &str,
) -> Result<Description, MediaError> {
    show(shop, file, demuxer, ENTRIES, LONGEST_DESCRIPTION)
}

/// Streams and packets of a file of ours at once: these are short, and a process less counts.
pub(super) fn describe_whole(
    shop: &Workshop<'_>,
    file: &Path,
    demuxer: &str,
) -> Result<(Vec<Stream>, Packets), MediaError> {
    let entries = format!("{ENTRIES}:{PACKET_ENTRIES}");
    let whole = show(shop, file, demuxer, &entries, LONGEST_LISTING)?;
    let mut packets = Packets::default();
    for packet in whole.packets {
        let Packet {
            stream_index,
            pts_time,
            dts_time,
            duration_time,
            size,
            flags,
        } = packet;
        packets.note(&format!(
            "{stream_index},{pts_time},{dts_time},{duration_time},{size},{flags}"
        ))?;
    }
    Ok((whole.streams, packets))
}

fn show(
    shop: &Workshop<'_>,
    file: &Path,
    demuxer: &str,
    entries: &str,
    longest: usize,
) -> Result<Description, MediaError> {
    let mut json = String::new();
    let argv = argv(
        file,
        demuxer,
        &["-of", "json=compact=1", "-show_entries", entries],
    );
    spawn::ffprobe(shop, file, &argv, INSPECTION, |line| {
        json.push_str(line);
        if json.len() > longest {
            return ControlFlow::Break(MediaError::format("its description has no end"));
        }
        ControlFlow::Continue(())
    })?;
    serde_json::from_str(&json)
        .map_err(|error| MediaError::format(format!("ffprobe describes it badly: {error}")))
}

/// The packets of one file, counted and timed without decoding anything.
pub(super) fn packets(
    shop: &Workshop<'_>,
    file: &Path,
    demuxer: &str,
) -> Result<Packets, MediaError> {
    let mut packets = Packets::default();
    let argv = argv(
        file,
        demuxer,
        &["-of", "csv=p=0", "-show_entries", PACKET_ENTRIES],
    );
    spawn::ffprobe(shop, file, &argv, INSPECTION, |line| {
        match packets.note(line) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        }
    })?;
    Ok(packets)
}

fn argv(file: &Path, demuxer: &str, show: &[&str]) -> Vec<OsString> {
    let (pixels, streams) = (MAX_PIXELS.to_string(), MAX_STREAMS.to_string());
    let guards = [
        "-v",
        "quiet",
        "-protocol_whitelist",
        "file",
        "-format_whitelist",
        demuxer,
        "-codec_whitelist",
        DECODERS,
        "-max_pixels",
        &pixels,
        "-max_streams",
        &streams,
    ];
    let mut argv: Vec<_> = guards.iter().chain(show).map(OsString::from).collect();
    argv.push(local(file));
    argv
}

/// A name that ffmpeg takes for a file, whatever is in it.
pub(super) fn local(file: &Path) -> OsString {
    let mut name = OsString::from("file:");
    name.push(file);
    name
}
