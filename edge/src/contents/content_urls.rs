//! The public URLs of a content: its page and its files, below the site's address.
//!
//! URLs contain only the random `media_name` and the slug. The UUID and the generation, which name the stored objects,
//! stay internal. So a URL outlives a generation, and cannot be guessed before the owner shares it.

use contract::MediaFile;
use contract::api::{PublicUrls, Subtitles, Thumbnail};
use contract::job::StoredMedia;
use contract::paths::{EMBED, MEDIA, PAGE};
use contract::subtitles::SubtitleTrack;

/// The names from which the URLs of one content are built.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContentUrls<'a> {
    pub site: &'a str,
    pub media_name: &'a str,
    pub slug_url: &'a str,
}

impl ContentUrls<'_> {
    /// Returns the URLs of the page and of the stored files.
    pub(crate) fn public(self, media: &StoredMedia) -> PublicUrls {
        let stored = |file| media.has(file).then(|| self.file(file));
        PublicUrls {
            page: self.page(),
            embed: format!("{}{EMBED}{}", self.site(), self.slug_url),
            video: format!("{}{MEDIA}{}", self.site(), self.media_name),
            hls: self.file(MediaFile::MasterPlaylist),
            dash: stored(MediaFile::DashManifest),
            poster: self.file(MediaFile::Poster),
            storyboard: stored(MediaFile::Storyboard),
            storyboard_track: stored(MediaFile::StoryboardTrack),
            preview: stored(MediaFile::Preview),
        }
    }

    pub(crate) fn page(self) -> String {
        format!("{}{PAGE}{}", self.site(), self.slug_url)
    }

    /// Returns the stored thumbnails, the smallest first.
    pub(crate) fn thumbnails(self, media: &StoredMedia) -> Vec<Thumbnail> {
        let files = media.files.iter().filter_map(|file| MediaFile::parse(&file.name));
        let mut thumbnails: Vec<_> = files
            .filter_map(|file| match file {
                MediaFile::Thumbnail(width) => Some(Thumbnail { width, url: self.file(file) }),
                _ => None,
            })
            .collect();
        thumbnails.sort_by_key(|thumbnail| thumbnail.width);
        thumbnails
    }

    /// Returns the stored subtitle tracks, with URLs only if the content is public.
    pub(crate) fn subtitles(self, media: &StoredMedia, is_public: bool) -> Vec<Subtitles> {
        let track = |track: &SubtitleTrack| Subtitles {
            language: track.language.clone(),
            label: track.label.clone(),
            is_default: track.is_default,
            is_forced: track.is_forced,
            is_for_hearing_impaired: track.is_for_hearing_impaired,
            url: is_public.then(|| self.file(MediaFile::Subtitles(track.number))),
        };
        media.subtitles.iter().map(track).collect()
    }

    pub(crate) fn file(self, file: MediaFile) -> String {
        format!("{}{MEDIA}{}/{file}", self.site(), self.stem())
    }

    fn stem(&self) -> &str {
        self.media_name.trim_end_matches(".mp4")
    }

    /// Returns the site's URL without a slash at its end.
    pub(crate) fn site(&self) -> &str {
        self.site.trim_end_matches('/')
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::tests::{stored_media, with_subtitles};

    const URLS: ContentUrls<'static> =
        ContentUrls { site: "https://www.example/", media_name: "aB3.mp4", slug_url: "a-clip-x1" };

    #[test]
    fn all_urls_are_below_the_sites_address() {
        let PublicUrls { page, embed, video, hls, poster, .. } = URLS.public(&stored_media());
        assert_eq!(page, "https://www.example/meme/a-clip-x1");
        assert_eq!(embed, "https://www.example/embed/a-clip-x1");
        assert_eq!(video, "https://www.example/media/aB3.mp4");
        assert_eq!(hls, "https://www.example/media/aB3/hls/master.m3u8");
        assert_eq!(poster, "https://www.example/media/aB3/poster.jpg");
    }

    #[test]
    fn files_that_are_not_stored_have_no_url() {
        let mut media = stored_media();
        let PublicUrls { dash, storyboard, storyboard_track, preview, .. } = URLS.public(&media);
        assert_eq!((dash, storyboard, storyboard_track, preview), (None, None, None, None));
        let more = [MediaFile::DashManifest, MediaFile::Storyboard, MediaFile::StoryboardTrack, MediaFile::Preview];
        media.files.extend(more.map(|file| contract::job::StoredFile { name: file.to_string(), size_bytes: 1 }));
        let PublicUrls { dash, storyboard, storyboard_track, preview, .. } = URLS.public(&media);
        assert_eq!(dash.as_deref(), Some("https://www.example/media/aB3/manifest.mpd"));
        assert_eq!(storyboard.as_deref(), Some("https://www.example/media/aB3/storyboard.jpg"));
        assert_eq!(storyboard_track.as_deref(), Some("https://www.example/media/aB3/storyboard.vtt"));
        assert_eq!(preview.as_deref(), Some("https://www.example/media/aB3/preview.webp"));
    }

    #[test]
    fn only_the_subtitles_of_a_public_content_have_urls() {
        let media = with_subtitles();
        let urls = |is_public| URLS.subtitles(&media, is_public).into_iter().map(|track| track.url);
        let expected = "https://www.example/media/aB3/hls/subtitles-1.vtt".to_owned();
        assert_eq!(urls(true).collect::<Vec<_>>(), [Some(expected)]);
        assert_eq!(urls(false).collect::<Vec<_>>(), [None]);
    }

    #[test]
    fn only_stored_thumbnails_are_listed_by_width() {
        let widths = URLS.thumbnails(&stored_media()).into_iter().map(|thumbnail| thumbnail.width);
        assert_eq!(widths.collect::<Vec<_>>(), [320, 640]);
    }
}
