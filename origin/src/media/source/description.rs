//! ffprobe's description of a file, as types. Whether the file is acceptable is decided elsewhere.

use super::listing::Listing;
use super::packets::Packets;
use crate::media::limits::INSPECTION_TIME;
use crate::media::process::{ffprobe_arguments, run_ffprobe};
use crate::media::{MediaContext, MediaError};
use serde::Deserialize;
use std::ops::ControlFlow;
use std::path::Path;

const STREAM_ENTRIES: &str = "format=format_name,start_time:stream=index,codec_type,codec_name,profile,level,pix_fmt,width,height,\
sample_aspect_ratio,field_order,color_range,color_space,color_transfer,color_primaries,avg_frame_rate,channels,sample_rate,is_avc:\
stream_disposition=attached_pic,default,forced,hearing_impaired:stream_tags=language:stream_side_data=rotation,dv_profile";

const PACKET_ENTRIES: &str = "packet=stream_index,pts_time,dts_time,duration_time,size,flags";

/// ffprobe's JSON output, without the packets.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Description {
    #[serde(default)]
    pub(super) streams: Vec<StreamEntry>,
    #[serde(default)]
    pub(super) format: FormatEntry,
}

/// Ffprobe's description of the whole file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FormatEntry {
    /// The start of the earliest stream. ffmpeg counts from there.
    pub(super) start_time: String,
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
    pub(crate) tags: TagEntry,
    pub(crate) side_data_list: Vec<SideDataEntry>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct DispositionEntry {
    pub(crate) attached_pic: u8,
    pub(crate) default: u8,
    pub(crate) forced: u8,
    pub(crate) hearing_impaired: u8,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct TagEntry {
    pub(crate) language: String,
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

/// Describes the source and lists its packets, using this demuxer only. Decodes nothing except what ffprobe needs to
/// name a stream.
pub(super) fn describe_source(context: &MediaContext<'_>, demuxer: &str) -> Result<(Description, Packets), MediaError> {
    describe(context, context.source, demuxer)
}

/// Describes the streams of one of our outputs and lists its packets.
pub(crate) fn describe_output(
    context: &MediaContext<'_>,
    file: &Path,
    demuxer: &str,
) -> Result<(Vec<StreamEntry>, Packets), MediaError> {
    let (description, packets) = describe(context, file, demuxer)?;
    Ok((description.streams, packets))
}

/// Describes a file and lists its packets in a single ffprobe run, because starting a process takes longer than both.
fn describe(context: &MediaContext<'_>, file: &Path, demuxer: &str) -> Result<(Description, Packets), MediaError> {
    let entries = format!("{STREAM_ENTRIES}:{PACKET_ENTRIES}");
    let argv = ffprobe_arguments(file, demuxer, &["-of", "json=compact=1", "-show_entries", &entries]);
    let mut listing = Listing::default();
    run_ffprobe(context, file, &argv, INSPECTION_TIME, |line| match listing.record_line(line) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => ControlFlow::Break(error),
    })?;
    listing.finish()
}
