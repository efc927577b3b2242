//! ffprobe's description of a file, as types. Whether the file is acceptable is decided elsewhere.

use super::packets::Packets;
use crate::media::limits::INSPECTION_TIME;
use crate::media::process::{ffprobe_arguments, run_ffprobe};
use crate::media::{MediaContext, MediaError};
use serde::Deserialize;
use std::ops::ControlFlow;
use std::path::Path;

/// Many times the size of the description of a file with the maximum number of streams.
const MAX_DESCRIPTION_BYTES: usize = 1 << 20;

/// Ten times the size of the packet list of two minutes at 60 frames per second, with sound.
const MAX_LISTING_BYTES: usize = 32 << 20;

const STREAM_ENTRIES: &str = "format=format_name,start_time:stream=index,codec_type,codec_name,profile,level,pix_fmt,width,height,\
sample_aspect_ratio,field_order,color_range,color_space,color_transfer,color_primaries,avg_frame_rate,channels,sample_rate,is_avc:\
stream_disposition=attached_pic,default:stream_side_data=rotation,dv_profile";

const PACKET_ENTRIES: &str = "packet=stream_index,pts_time,dts_time,duration_time,size,flags";

/// ffprobe's JSON output.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Description {
    #[serde(default)]
    pub(super) streams: Vec<StreamEntry>,
    #[serde(default)]
    pub(super) format: FormatEntry,
    #[serde(default)]
    packets: Vec<PacketEntry>,
}

/// Ffprobe's description of the whole file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FormatEntry {
    /// The start of the earliest stream. ffmpeg counts from there.
    pub(super) start_time: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PacketEntry {
    stream_index: usize,
    pts_time: String,
    dts_time: String,
    duration_time: String,
    size: String,
    flags: String,
}

/// Ffprobe's description of one stream.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct StreamEntry {
    pub(crate) index: usize,
    pub(crate) codec_type: String,
    pub(crate) codec_name: String,
    pub(crate) profile: String,
    pub(crate) level: i32,
    pub(crate) pix_fmt: String,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) sample_aspect_ratio: String,
    pub(crate) field_order: String,
    pub(crate) color_range: String,
    pub(crate) color_space: String,
    pub(crate) color_transfer: String,
    pub(crate) color_primaries: String,
    pub(crate) avg_frame_rate: String,
    pub(crate) channels: u32,
    pub(crate) sample_rate: String,
    pub(crate) is_avc: String,
    pub(crate) disposition: DispositionEntry,
    pub(crate) side_data_list: Vec<SideDataEntry>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct DispositionEntry {
    pub(crate) attached_pic: u8,
    pub(crate) default: u8,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct SideDataEntry {
    /// Counter-clockwise, in degrees.
    pub(crate) rotation: Option<f64>,
    pub(crate) dv_profile: Option<u8>,
}

impl StreamEntry {
    /// Whether this is video, and not the cover picture of an album.
    pub(crate) fn is_video(&self) -> bool {
        self.codec_type == "video" && self.disposition.attached_pic == 0
    }

    /// Whether this is sound that can be decoded. A stream of an unknown codec has no channels.
    pub(crate) fn is_audio(&self) -> bool {
        self.codec_type == "audio" && self.channels > 0 && !self.codec_name.is_empty()
    }
}

/// Describes the source, using this demuxer only.
pub(super) fn describe_source(context: &MediaContext<'_>, demuxer: &str) -> Result<Description, MediaError> {
    describe(context, context.source, demuxer, STREAM_ENTRIES, MAX_DESCRIPTION_BYTES)
}

/// Lists the packets of the source without decoding anything.
pub(super) fn list_packets(context: &MediaContext<'_>, demuxer: &str) -> Result<Packets, MediaError> {
    let mut packets = Packets::default();
    let argv = ffprobe_arguments(context.source, demuxer, &["-of", "csv=p=0", "-show_entries", PACKET_ENTRIES]);
    run_ffprobe(context, context.source, &argv, INSPECTION_TIME, |line| match packets.record_line(line) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => ControlFlow::Break(error),
    })?;
    Ok(packets)
}

/// Describes the streams and packets of one of our outputs in a single ffprobe run, which saves a process.
pub(crate) fn describe_output(
    context: &MediaContext<'_>,
    file: &Path,
    demuxer: &str,
) -> Result<(Vec<StreamEntry>, Packets), MediaError> {
    let entries = format!("{STREAM_ENTRIES}:{PACKET_ENTRIES}");
    let description = describe(context, file, demuxer, &entries, MAX_LISTING_BYTES)?;
    let mut packets = Packets::default();
    for packet in description.packets {
        let PacketEntry { stream_index, pts_time, dts_time, duration_time, size, flags } = packet;
        packets.record_line(&format!("{stream_index},{pts_time},{dts_time},{duration_time},{size},{flags}"))?;
    }
    Ok((description.streams, packets))
}

fn describe(
    context: &MediaContext<'_>,
    file: &Path,
    demuxer: &str,
    entries: &str,
    max_bytes: usize,
) -> Result<Description, MediaError> {
    let mut json = String::new();
    let argv = ffprobe_arguments(file, demuxer, &["-of", "json=compact=1", "-show_entries", entries]);
    run_ffprobe(context, file, &argv, INSPECTION_TIME, |line| {
        json.push_str(line);
        if json.len() > max_bytes {
            return ControlFlow::Break(MediaError::invalid_format("ffprobe's description of the file is too long"));
        }
        ControlFlow::Continue(())
    })?;
    serde_json::from_str(&json)
        .map_err(|error| MediaError::invalid_format(format!("ffprobe's description of the file is invalid: {error}")))
}
