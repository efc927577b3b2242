//! Formats the playlist that lists a WebVTT file as one segment. Pure.

use contract::MediaFile;

/// Returns the HLS playlist of a track.
pub(super) fn format(number: u32, seconds: f64) -> String {
    let file = MediaFile::Subtitles(number).local_name();
    format!(
        "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:{:.0}\n#EXT-X-MEDIA-SEQUENCE:0\n#EXT-X-PLAYLIST-TYPE:VOD\n\
         #EXTINF:{seconds:.6},\n{file}\n#EXT-X-ENDLIST\n",
        seconds.ceil()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_playlist_lists_the_file_as_one_segment() {
        let text = format(2, 10.5);
        assert!(
            text.contains("#EXT-X-TARGETDURATION:11\n") && text.contains("\n#EXTINF:10.500000,\nsubtitles-2.vtt\n")
        );
        assert!(text.ends_with("#EXT-X-ENDLIST\n"));
    }
}
