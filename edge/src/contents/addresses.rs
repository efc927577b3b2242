//! Where a content is found: its page and its files, each under the site's address.
//!
//! Addresses are made of the random `media_name` alone. The content's uuid and generation, which name the objects, stay
//! inside: an address outlives a generation, and nobody can guess one before it is told.

use contract::MediaFile;
use contract::api::{PublicUrls, Thumbnail};
use contract::job::StoredMedia;
use contract::paths::{MEDIA, PAGE};

/// One content, as addresses name it.
#[derive(Clone, Copy, Debug)]
pub struct Addresses<'a> {
    pub site: &'a str,
    pub media_name: &'a str,
    pub slug_url: &'a str,
}

impl Addresses<'_> {
    pub fn public(self) -> PublicUrls {
        PublicUrls {
            page: format!("{}{PAGE}{}", self.site(), self.slug_url),
            video: format!("{}{MEDIA}{}", self.site(), self.media_name),
            hls: self.file(MediaFile::MasterPlaylist),
            poster: self.file(MediaFile::Poster),
        }
    }

    /// The pictures there are, the smallest first.
    pub fn thumbnails(self, media: &StoredMedia) -> Vec<Thumbnail> {
        let files = media.files.iter();
        let files = files.filter_map(|file| MediaFile::parse(&file.name));
        let mut thumbnails: Vec<_> = files
            .filter_map(|file| match file {
                MediaFile::Thumbnail(width) => Some(Thumbnail {
                    width,
                    url: self.file(file),
                }),
                _ => None,
            })
            .collect();
        thumbnails.sort_by_key(|thumbnail| thumbnail.width);
        thumbnails
    }

    pub fn file(self, file: MediaFile) -> String {
        format!("{}{MEDIA}{}/{file}", self.site(), self.stem())
    }

    fn stem(&self) -> &str {
        self.media_name.trim_end_matches(".mp4")
    }

    fn site(&self) -> &str {
        self.site.trim_end_matches('/')
    }
}

/// The content and the file that a path below `/media/` names; the delivery's way back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaPath {
    pub media_name: String,
    pub file: MediaFile,
}

impl MediaPath {
    /// `None` for a path that no content can have.
    pub fn parse(path: &str) -> Option<Self> {
        let rest = path.strip_prefix(MEDIA)?;
        let (stem, file) = match rest.split_once('/') {
            Some((stem, name)) => (stem, MediaFile::parse(name)?),
            None => (rest.strip_suffix(".mp4")?, MediaFile::Video),
        };
        let is_name = !stem.is_empty() && stem.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_name.then(|| Self {
            media_name: format!("{stem}.mp4"),
            file,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::tests::stored_media;

    const NAMES: Addresses<'static> = Addresses {
        site: "https://www.example/",
        media_name: "aB3.mp4",
        slug_url: "a-clip-x1",
    };

    #[test]
    fn a_content_is_found_below_the_sites_address() {
        let PublicUrls {
            page,
            video,
            hls,
            poster,
        } = NAMES.public();
        assert_eq!(page, "https://www.example/meme/a-clip-x1");
        assert_eq!(video, "https://www.example/media/aB3.mp4");
        assert_eq!(hls, "https://www.example/media/aB3/hls/master.m3u8");
        assert_eq!(poster, "https://www.example/media/aB3/poster.jpg");
    }

    #[test]
    fn thumbnails_are_those_that_are_stored() {
        let widths = |thumbnails: Vec<Thumbnail>| {
            let widths = thumbnails.iter().map(|thumbnail| thumbnail.width);
            widths.collect::<Vec<_>>()
        };
        assert_eq!(widths(NAMES.thumbnails(&stored_media())), [320, 640]);
    }

    #[test]
    fn every_address_leads_back_to_its_file() {
        let public = NAMES.public();
        let parse = |url: &str| MediaPath::parse(url.trim_start_matches("https://www.example"));
        for (url, file) in [
            (public.video, MediaFile::Video),
            (public.hls, MediaFile::MasterPlaylist),
            (public.poster, MediaFile::Poster),
            (
                NAMES.file(MediaFile::Segments(720)),
                MediaFile::Segments(720),
            ),
        ] {
            let media_name = NAMES.media_name.to_owned();
            assert_eq!(parse(&url), Some(MediaPath { media_name, file }), "{url}");
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
