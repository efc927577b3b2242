//! The interpretation of the source's colours.

use crate::media::source::VideoStream;

#[derive(Clone, Debug, PartialEq)]
pub struct Colour {
    pub matrix: String,
    pub full_range: bool,
    /// The transfer curve of a high-dynamic-range video.
    pub hdr_transfer: Option<&'static str>,
    /// The primaries of a video whose colours a screen of BT.709 cannot show as they are.
    pub wide_primaries: Option<&'static str>,
    /// Whether the transfer curve is sRGB's and not BT.709's.
    pub has_srgb_curve: bool,
    /// Whether parts of the picture may be transparent.
    pub has_alpha: bool,
}

impl Colour {
    pub(super) fn new(video: &VideoStream) -> Self {
        let hdr_transfer = match video.transfer.as_str() {
            "smpte2084" => Some("smpte2084"),
            "arib-std-b67" => Some("arib-std-b67"),
            _ => None,
        };
        let wide_primaries = ["bt2020", "smpte431", "smpte432"].into_iter().find(|name| *name == video.primaries);
        let has_srgb_curve = video.transfer == "iec61966-2-1";
        let has_alpha = ["yuva", "rgba", "bgra", "argb", "abgr", "gbrap", "ya", "pal8"]
            .iter()
            .any(|format| video.pixel_format.starts_with(format));
        Self {
            matrix: video.matrix.clone(),
            full_range: video.full_range,
            hdr_transfer,
            wide_primaries,
            has_srgb_curve,
            has_alpha,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::source::examples::plain_inspection;

    #[test]
    fn a_high_dynamic_range_is_recognised_by_its_transfer_curve() {
        let mut video = plain_inspection().video;
        assert_eq!(Colour::new(&video).hdr_transfer, None);
        video.transfer = "arib-std-b67".into();
        assert_eq!(Colour::new(&video).hdr_transfer, Some("arib-std-b67"));
    }
}
