//! Splits ffprobe's JSON as it arrives: packets are recorded one by one, and only the description is kept.
//!
//! The list of packets may be far larger than the description, and comes first. With `compact=1`, each packet is on a
//! line of its own. No name or tag of a hostile file looks like such a line, because JSON escapes line breaks.

use super::packets::{PacketEntry, Packets};
use crate::media::MediaError;
use serde::de::DeserializeOwned;

/// Many times the size of the description of a file with the maximum number of streams.
const MAX_DESCRIPTION_BYTES: usize = 1 << 20;

const PACKETS_START: &str = "    \"packets\": [";
const PACKETS_END: &str = "    ],";

/// The part of the output that the next line belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    BeforePackets,
    Packets,
    AfterPackets,
}

/// The output of ffprobe, as far as it has been read.
#[derive(Debug, Default)]
pub(super) struct Listing {
    part: Part,
    packets: Packets,
    /// All lines except those of the packets.
    description: String,
}

impl Listing {
    pub(super) fn record_line(&mut self, line: &str) -> Result<(), MediaError> {
        match (self.part, line) {
            (Part::BeforePackets, PACKETS_START) => self.part = Part::Packets,
            (Part::Packets, PACKETS_END) => self.part = Part::AfterPackets,
            (Part::Packets, _) => return self.record_packet(line),
            _ => return self.keep(line),
        }
        Ok(())
    }

    /// Records the packet in a line such as `{ "stream_index": 0, "flags": "K_" },`. Ignores the lines with side data
    /// of a packet.
    fn record_packet(&mut self, line: &str) -> Result<(), MediaError> {
        if !line.trim_start().starts_with("{ \"") {
            return Ok(());
        }
        // The braces are removed and added again, because the closing one follows the side data.
        let fields = line.trim_matches(|character| matches!(character, ' ' | '{' | '}' | ','));
        let json = format!("{{{fields}}}");
        let packet: PacketEntry<'_> = serde_json::from_str(&json)
            .map_err(|error| MediaError::Permanent(format!("ffprobe's entry of a packet is invalid: {error}")))?;
        self.packets.record(&packet)
    }

    fn keep(&mut self, line: &str) -> Result<(), MediaError> {
        self.description.push_str(line);
        if self.description.len() > MAX_DESCRIPTION_BYTES {
            return Err(MediaError::invalid_format("the file has too many streams, chapters or tags"));
        }
        Ok(())
    }

    /// Returns the results after the last line. A missing list of packets is the fault of ffprobe and not of the file.
    pub(super) fn finish<T: DeserializeOwned>(self) -> Result<(T, Packets), MediaError> {
        if self.part != Part::AfterPackets {
            return Err(MediaError::Permanent("ffprobe's output has no list of packets".into()));
        }
        let description = serde_json::from_str(&self.description).map_err(|error| {
            MediaError::unreadable("the streams of the file cannot be read", format!("ffprobe: {error}"))
        })?;
        Ok((description, self.packets))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// The output of ffprobe 5.1 for a file with a packet that is not shown.
    const OUTPUT: &str = r#"{
    "packets": [
        { "stream_index": 1, "pts_time": "-0.02", "duration_time": "0.02", "size": "258", "flags": "KD",
            "side_data_list": [
                {  }
            ] },
        { "stream_index": 0, "pts_time": "0.00", "dts_time": "0.00", "duration_time": "0.04", "size": "100", "flags": "K_" },
        { "stream_index": 0, "dts_time": "0.04", "duration_time": "0.04", "size": "20", "flags": "__" }
    ],
    "programs": [

    ],
    "streams": [
        { "index": 0, "codec_type": "video", "tags": { "language": "\n    { \"stream_index\": 0, \"size\": \"9\" }" } },
        { "index": 1, "codec_type": "audio" }
    ],
    "format": { "format_name": "avi", "start_time": "0.000000" }
}"#;

    fn listing(output: &str) -> Result<(Value, Packets), MediaError> {
        let mut listing = Listing::default();
        output.lines().try_for_each(|line| listing.record_line(line))?;
        listing.finish()
    }

    #[test]
    fn packets_are_told_from_the_description() {
        let (description, packets) = listing(OUTPUT).unwrap();
        let types = [0, 1].map(|stream| &description["streams"][stream]["codec_type"]);
        assert_eq!((types, &description["format"]["format_name"]), ([&json!("video"), &json!("audio")], &json!("avi")));
        let (pictures, sound) = (&packets.streams[&0], &packets.streams[&1]);
        assert_eq!((pictures.starts.as_slice(), pictures.bytes, pictures.discarded), (&[0.0, 0.04][..], 120, 0));
        assert_eq!((sound.starts.len(), sound.discarded), (0, 1));
    }

    #[test]
    fn a_list_of_packets_may_be_empty_but_not_missing() {
        let empty = "{\n    \"packets\": [\n\n    ],\n    \"streams\": [\n\n    ]\n}";
        assert!(listing(empty).unwrap().1.streams.is_empty());
        for output in ["{}", "{\n    \"packets\": ["] {
            assert!(matches!(listing(output), Err(MediaError::Permanent(_))), "{output}");
        }
    }

    #[test]
    fn an_unknown_form_of_a_packet_is_the_fault_of_ffprobe() {
        let output = OUTPUT.replace("\"stream_index\": 1", "\"stream\": 1");
        assert!(matches!(listing(&output), Err(MediaError::Permanent(_))));
    }

    #[test]
    fn an_endless_description_is_rejected() {
        let mut listing = Listing::default();
        let error = (0..=MAX_DESCRIPTION_BYTES / 1000).find_map(|_| listing.record_line(&" ".repeat(1001)).err());
        assert!(matches!(error, Some(MediaError::Rejected { .. })));
    }
}
