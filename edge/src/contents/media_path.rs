//! Parses a path below `/media/`: the reverse of `content_urls`.

use contract::MediaFile;
use contract::paths::MEDIA;

/// The content and the file that a path names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MediaPath {
    pub media_name: String,
    pub file: MediaFile,
}

impl MediaPath {
    /// Returns `None` for a path that no content can have.
    pub(crate) fn parse(path: &str) -> Option<Self> {
        let rest = path.strip_prefix(MEDIA)?;
        let (stem, file) = match rest.split_once('/') {
            Some((stem, name)) => (stem, MediaFile::parse(name)?),
            None => (rest.strip_suffix(".mp4")?, MediaFile::Video),
        };
        let is_name = !stem.is_empty() && stem.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_name.then(|| Self { media_name: format!("{stem}.mp4"), file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contents::content_urls::ContentUrls;

    #[test]
    fn every_url_of_a_content_parses_to_its_file() {
        let urls = ContentUrls { site: "", media_name: "aB3.mp4", slug_url: "a-clip-x1" };
        let public = urls.public(&crate::jobs::tests::stored_media());
        for (url, file) in [
            (public.video, MediaFile::Video),
            (public.hls, MediaFile::MasterPlaylist),
            (public.poster, MediaFile::Poster),
            (urls.file(MediaFile::DashManifest), MediaFile::DashManifest),
            (urls.file(MediaFile::Segments(720.into())), MediaFile::Segments(720.into())),
        ] {
            let media_name = urls.media_name.to_owned();
            assert_eq!(MediaPath::parse(&url), Some(MediaPath { media_name, file }), "{url}");
        }
    }

    #[test]
    fn no_other_path_names_a_file() {
        for path in [
            "/media/",
            "/media/.mp4",
            "/media/aB3",
            "/media/aB3/",
            "/media/../x.mp4",
            "/media/aB3/../poster.jpg",
            "/media/aB3/source",
            "/media/a.mp4.mp4",
            "/meme/aB3.mp4",
        ] {
            assert_eq!(MediaPath::parse(path), None, "{path}");
        }
    }
}
