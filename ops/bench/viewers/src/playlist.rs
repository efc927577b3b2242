//! HLS playlists as a player reads them, and the log lines that say when the Worker ran for a file.

use anyhow::{Context, Result};
use contract::paths;
use std::collections::BTreeMap;
use std::time::Duration;

/// A part of a rendition's file, and how long it plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub file: String,
    /// The value of the `Range` header.
    pub range: String,
    pub time: Duration,
}

/// Returns the bandwidth and the name of each rendition's playlist.
pub(crate) fn renditions(master: &str) -> Vec<(u64, String)> {
    let mut lines = master.lines();
    let mut renditions = Vec::new();
    while let Some(line) = lines.next() {
        let bandwidth = line.strip_prefix("#EXT-X-STREAM-INF:").and_then(|line| attribute(line, "BANDWIDTH="));
        if let (Some(bandwidth), Some(name)) = (bandwidth, lines.clone().next().filter(|_| bandwidth.is_some())) {
            renditions.push((bandwidth, name.to_owned()));
        }
    }
    renditions
}

fn attribute(line: &str, name: &str) -> Option<u64> {
    line.split(',').find_map(|part| part.strip_prefix(name)?.parse().ok())
}

/// Returns the segments of a rendition. The first is its initialisation, which plays for no time.
pub(crate) fn segments(playlist: &str) -> Result<Vec<Segment>> {
    let (mut segments, mut time, mut range) = (Vec::new(), Duration::ZERO, None);
    for line in playlist.lines() {
        if let Some(map) = line.strip_prefix("#EXT-X-MAP:") {
            let value = |name: &str| map.split(['"', ',']).skip_while(|part| *part != name).nth(1);
            let file = value("URI=").context("the map has no file")?.to_owned();
            let range = byte_range(value("BYTERANGE=").context("the map has no range")?)?;
            segments.push(Segment { file, range, time: Duration::ZERO });
        } else if let Some(seconds) = line.strip_prefix("#EXTINF:") {
            time = Duration::from_secs_f64(seconds.trim_end_matches(',').parse()?);
        } else if let Some(bytes) = line.strip_prefix("#EXT-X-BYTERANGE:") {
            range = Some(byte_range(bytes)?);
        } else if !line.starts_with('#') && !line.is_empty() {
            let range = range.take().context("a segment has no range")?;
            segments.push(Segment { file: line.to_owned(), range, time });
        }
    }
    Ok(segments)
}

/// Returns the header for `LENGTH@START`.
fn byte_range(text: &str) -> Result<String> {
    let (length, start) = text.split_once('@').context("the range has no start")?;
    let (length, start): (u64, u64) = (length.parse()?, start.parse()?);
    Ok(format!("bytes={start}-{}", start + length - 1))
}

/// Returns how often the Worker ran for each file of a content or its page, the most frequent first. wrangler logs each
/// run as `GET PATH STATUS`.
pub(crate) fn runs_per_file(log: &str) -> Vec<(String, u64)> {
    let mut runs = BTreeMap::<String, u64>::new();
    for line in log.lines() {
        let path = line.split_once("GET ").and_then(|(_, rest)| rest.split(' ').next());
        if let Some(path) = path.filter(|path| path.starts_with(paths::MEDIA) || path.starts_with(paths::PAGE)) {
            *runs.entry(path.to_owned()).or_default() += 1;
        }
    }
    let mut runs: Vec<_> = runs.into_iter().collect();
    runs.sort_by_key(|(_, runs)| std::cmp::Reverse(*runs));
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_renditions_of_a_master_playlist_are_found() {
        let master = "#EXTM3U\n#EXT-X-STREAM-INF:AVERAGE-BANDWIDTH=1,BANDWIDTH=900,CODECS=\"a,b\"\n360p.m3u8\n";
        assert_eq!(renditions(master), [(900, "360p.m3u8".to_owned())]);
    }

    #[test]
    fn a_segment_has_its_range_and_its_time() {
        let playlist = "#EXTM3U\n#EXT-X-MAP:URI=\"v.mp4\",BYTERANGE=\"10@0\"\n#EXTINF:4.5,\n\
                        #EXT-X-BYTERANGE:100@10\nv.mp4\n#EXT-X-ENDLIST\n";
        let segment = |range: &str, time| Segment { file: "v.mp4".to_owned(), range: range.to_owned(), time };
        let expected = [segment("bytes=0-9", Duration::ZERO), segment("bytes=10-109", Duration::from_millis(4_500))];
        assert_eq!(segments(playlist).unwrap(), expected);
    }

    #[test]
    fn the_runs_for_each_file_are_counted() {
        let log = "[wrangler:info] GET /media/a.mp4 200 OK (3ms)\nGET /meme/s 304\nGET /healthz 200 OK\n\
                   [wrangler:info] GET /media/a.mp4 200 OK (3ms)\n";
        assert_eq!(runs_per_file(log), [("/media/a.mp4".to_owned(), 2), ("/meme/s".to_owned(), 1)]);
    }
}
