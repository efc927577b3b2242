//! The rendered pages.

use crate::base::unix_seconds::UnixSeconds;
use crate::contents::content_urls::ContentUrls;
use crate::jobs::tests::{stored_media, with_subtitles};
use crate::viewing::document::Page;
use crate::viewing::messages::{failure, front_page, nothing_here, nothing_to_embed};
use crate::viewing::published_video::PublishedVideo;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use contract::MediaFile;
use contract::job::{Quality, StoredFile, StoredMedia};
use contract::subtitles::SubtitleTrack;
use proptest::prelude::*;
use serde_json::Value;
use sha2::{Digest, Sha256};

const SITE: &str = "https://www.clipgate.example";

fn video(caption: Option<&str>, media: StoredMedia) -> PublishedVideo<'static> {
    PublishedVideo {
        urls: ContentUrls { site: SITE, media_name: "aB3.mp4", slug_url: "a-clip-x1" },
        caption: caption.map(str::to_owned),
        channel_name: Some("Dogs & cats"),
        published_at: UnixSeconds(1_800_000_000),
        media,
        has_own_poster: false,
        is_unlisted: false,
        is_sensitive: false,
        is_ai_generated: false,
    }
}

fn page_with(caption: Option<&str>, media: &StoredMedia) -> Page {
    video(caption, media.clone()).page()
}

fn page_of(caption: &str) -> Page {
    page_with(Some(caption), &stored_media())
}

/// Returns the names of the elements in a document, in order of their tags.
fn elements(html: &str) -> Vec<&str> {
    let tags = html.split('<').skip(1);
    let name = |tag: &'_ str| tag.find(|c: char| !c.is_ascii_alphanumeric() && c != '/' && c != '!');
    tags.map(|tag| tag.get(..name(tag).unwrap_or(tag.len())).unwrap_or_default()).collect()
}

/// Returns the elements without links, hashtags, paragraphs and preview tags, whose number depends on the caption.
fn fixed_elements(html: &str) -> Vec<String> {
    let elements =
        elements(html).into_iter().filter(|name| !matches!(*name, "a" | "/a" | "b" | "/b" | "p" | "/p" | "meta"));
    elements.map(str::to_owned).collect()
}

#[test]
fn a_page_plays_the_video_and_describes_it() {
    let page = page_of("A clip #fun\nsecond line");
    for part in [
        "<title>A clip #fun · clipgate.example</title>",
        "<link rel=\"canonical\" href=\"https://www.clipgate.example/meme/a-clip-x1\">",
        "<meta property=\"og:image\" content=\"https://www.clipgate.example/media/aB3/poster.jpg\">",
        "<meta property=\"og:image:width\" content=\"640\">",
        "<meta property=\"og:video\" content=\"https://www.clipgate.example/media/aB3.mp4\">",
        "<meta name=\"twitter:card\" content=\"player\">",
        "<meta name=\"twitter:player\" content=\"https://www.clipgate.example/embed/a-clip-x1\">",
        "<meta name=\"twitter:player:width\" content=\"640\">",
        "<link rel=\"alternate\" type=\"application/json+oembed\" href=\"https://www.clipgate.example/oembed?url=https%3A%2F%2F",
        "width=\"640\" height=\"360\" poster=\"/media/aB3/poster.jpg\"",
        "<source src=\"/media/aB3.mp4\" type=\"video/mp4\"><source src=\"/media/aB3/hls/master.m3u8\"",
        "<h1 dir=\"auto\">A clip <b>#fun</b></h1>",
        "<span class=\"channel\" dir=\"auto\">Dogs &amp; cats</span> · <time datetime=\"2027-01-15T08:00:00Z\">15 January 2027</time>",
        "<p class=\"caption\" dir=\"auto\">second line</p>",
        ".stage{background:#6a7674;--width:640;--height:360}",
        "<meta property=\"video:duration\" content=\"5\">",
        "<meta property=\"og:description\" content=\"A clip #fun second line\">",
        "<script type=\"module\" src=\"/scripts/native.js\"></script>",
        "data-link=\"https://www.clipgate.example/meme/a-clip-x1\"",
        "&lt;iframe src=&quot;https://www.clipgate.example/embed/a-clip-x1&quot; width=&quot;640&quot;",
    ] {
        assert!(page.html.contains(part), "{part} is not in\n{}", page.html);
    }
}

#[test]
fn an_mp4_that_a_usual_line_is_fast_enough_for_comes_before_hls() {
    // The video has 5 s.
    for (size_bytes, is_mp4_first) in [(1, true), (1_562_500, true), (1_562_501, false), (u64::MAX, false)] {
        let mut media = stored_media();
        for file in media.files.iter_mut().filter(|file| file.name == "video.mp4") {
            file.size_bytes = size_bytes;
        }
        let html = page_with(None, &media).html;
        let place = |part: &str| html.find(&format!("<source src=\"{part}")).unwrap();
        assert_eq!(place("/media/aB3.mp4") < place("/media/aB3/hls/"), is_mp4_first, "{size_bytes}");
    }
}

#[test]
fn the_first_quality_is_marked_and_played_as_hls() {
    let mut media = stored_media();
    assert!(!page_with(None, &media).html.contains("data-quality"));
    media.quality = Quality::First;
    for page in [page_with(None, &media), video(None, media.clone()).embed()] {
        let mp4_last = "type=\"application/vnd.apple.mpegurl\"><source src=\"/media/aB3.mp4\"";
        for part in ["<media-controller data-quality=\"first\">", mp4_last] {
            assert!(page.html.contains(part), "{part} is not in\n{}", page.html);
        }
    }
}

#[test]
fn a_page_without_a_caption_has_a_title() {
    let page = page_with(None, &stored_media());
    assert!(page.html.contains("<title>Video of 15 January 2027 · clipgate.example</title>"));
    assert!(page.html.contains("<h1 dir=\"auto\">Video of 15 January 2027</h1>"));
    assert!(!page.html.contains("og:description") && !page.html.contains("class=\"caption\""));
}

#[test]
fn the_size_of_a_poster_is_stated_only_if_it_is_a_frame_of_the_video() {
    let sent = PublishedVideo { has_own_poster: true, ..video(Some("x"), stored_media()) };
    assert!(!sent.page().html.contains("og:image:width"));
    let oembed = sent.oembed(None, None);
    assert_eq!((oembed.thumbnail_url, oembed.thumbnail_width), (None, None));
}

#[test]
fn the_storyboard_is_a_track_if_there_is_one() {
    assert!(!page_of("x").html.contains("<track"));
    let mut media = stored_media();
    media.files.push(StoredFile { name: MediaFile::StoryboardTrack.to_string(), size_bytes: 1 });
    let track = "<track default kind=\"metadata\" label=\"thumbnails\" src=\"/media/aB3/storyboard.vtt\">";
    assert!(page_with(None, &media).html.contains(track));
}

#[test]
fn subtitles_are_tracks_in_their_language() {
    let mut media = with_subtitles();
    let track =
        "<track kind=\"subtitles\" srclang=\"en\" label=\"English\" src=\"/media/aB3/hls/subtitles-1.vtt\" default>";
    assert!(page_with(None, &media).html.contains(track));
    media.subtitles[0] = SubtitleTrack {
        language: None,
        label: "\"><script>".to_owned(),
        is_default: false,
        ..media.subtitles[0].clone()
    };
    let track = "<track kind=\"captions\" label=\"&quot;&gt;&lt;script&gt;\" src=\"/media/aB3/hls/subtitles-1.vtt\">";
    assert!(page_with(None, &media).html.contains(track));
}

#[test]
fn search_engines_get_a_description_that_text_cannot_break() {
    let caption = "</script><!-- \" \u{2028} &amp; \\";
    let html = page_of(caption).html;
    let (_, rest) = html.split_once("<script type=\"application/ld+json\">").unwrap();
    let object: Value = serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap();
    assert_eq!(object["name"], "</script><!-- \" &amp; \\");
    for (name, expected) in [
        ("@type", "VideoObject"),
        ("uploadDate", "2027-01-15T08:00:00Z"),
        ("duration", "PT5S"),
        ("contentUrl", "https://www.clipgate.example/media/aB3.mp4"),
        ("embedUrl", "https://www.clipgate.example/embed/a-clip-x1"),
    ] {
        assert_eq!(object[name], expected);
    }
    assert_eq!(object["author"]["name"], "Dogs & cats");
    assert_eq!(object["thumbnailUrl"].as_array().unwrap().len(), 3);
}

#[test]
fn the_player_alone_has_nothing_else_and_may_be_framed() {
    let embed = video(Some("A clip https://a.example"), stored_media()).embed();
    assert!(embed.security_policy.contains("frame-ancestors *; "), "{}", embed.security_policy);
    assert!(embed.html.contains("<video ") && embed.html.contains("content=\"noindex\""));
    for other in ["og:", "twitter:", "ld+json", "class=\"share\"", "<a href=\"https", "<textarea", "class=\"byline\""] {
        assert!(!embed.html.contains(other), "{other} is in\n{}", embed.html);
    }
    let (headers, _) = embed.into_parts();
    assert_eq!(headers["cross-origin-resource-policy"], "cross-origin");
    assert!(page_of("x").security_policy.contains("frame-ancestors 'none'; "));
}

#[test]
fn another_site_gets_the_player_within_the_size_that_it_has_room_for() {
    let oembed = video(Some("\"A\" clip"), stored_media()).oembed(Some(320), Some(320));
    assert_eq!((oembed.width, oembed.height), (320, 180));
    assert_eq!((oembed.title.as_str(), oembed.kind.as_str()), ("\"A\" clip", "video"));
    assert_eq!(oembed.author_name.as_deref(), Some("Dogs & cats"));
    assert_eq!((oembed.thumbnail_width, oembed.thumbnail_height), (Some(640), Some(360)));
    assert!(oembed.html.contains("width=\"320\" height=\"180\" title=\"&quot;A&quot; clip\""), "{}", oembed.html);
}

#[test]
fn the_policy_allows_the_pages_own_style_and_no_other() {
    let embed = video(Some("x"), stored_media()).embed();
    for page in [page_of("x"), embed, nothing_here(), nothing_to_embed(), failure(), front_page()] {
        let style = page.html.split_once("<style>").unwrap().1;
        let style = style.split_once("</style>").unwrap().0;
        let hash = STANDARD.encode(Sha256::digest(style));
        assert!(page.security_policy.starts_with("default-src 'none'; "));
        assert!(page.security_policy.contains(&format!("style-src 'sha256-{hash}'")));
        // Style attributes and inline scripts would need other permissions in the policy.
        assert!(!page.html.contains(" style="));
        let scripts =
            page.html.matches("<script").count() - page.html.matches("<script type=\"application/ld+json\">").count();
        assert_eq!(scripts, page.html.matches("<script type=\"module\" src=\"/scripts/").count());
        assert_eq!(page.security_policy.contains("script-src 'self'; connect-src 'self'; "), scripts == 1);
        assert!(!page.security_policy.contains("unsafe"));
    }
}

#[test]
fn a_page_with_an_invalid_thumbhash_is_grey() {
    for thumbhash in ["", "!", "AAAA", "AACAAAA=", "AACAAA=="] {
        let media = StoredMedia { thumbhash: thumbhash.to_owned(), ..stored_media() };
        let page = page_with(None, &media);
        assert!(page.html.contains("background:#808080"), "{thumbhash}");
    }
}

#[test]
fn a_sensitive_video_shows_nothing_before_its_warning_is_read() {
    let plain = video(Some("A clip"), stored_media());
    let sensitive = PublishedVideo { is_sensitive: true, ..plain.clone() };
    for (shown, hidden) in [(plain.page(), sensitive.page()), (plain.embed(), sensitive.embed())] {
        assert!(!shown.html.contains("Show video") && shown.html.contains("poster.jpg"));
        assert!(hidden.html.contains("Show video") && hidden.html.contains("preload=\"none\""));
        for picture in ["poster.jpg", "thumbnail-", "og:image", "og:video", "twitter:image", "twitter:player"] {
            assert!(!hidden.html.contains(picture), "{picture}");
        }
    }
    assert!(sensitive.page().html.contains("\"isFamilyFriendly\":false"));
    let (shown, hidden) = (plain.oembed(None, None), sensitive.oembed(None, None));
    assert!(shown.thumbnail_url.is_some() && !shown.is_sensitive);
    let picture = (hidden.thumbnail_url, hidden.thumbnail_width, hidden.thumbnail_height);
    assert!(picture == (None, None, None) && hidden.is_sensitive);
}

#[test]
fn an_unlisted_video_asks_search_engines_to_leave_it_out() {
    let is_left_out = |is_unlisted| {
        let page = PublishedVideo { is_unlisted, ..video(Some("A clip"), stored_media()) }.page();
        let says = |text| page.html.contains(text);
        (says("<meta name=\"robots\" content=\"noindex\">"), says("application/json+oembed"))
    };
    assert_eq!((is_left_out(false), is_left_out(true)), ((false, true), (true, false)));
}

#[test]
fn a_video_made_with_ai_says_so_on_its_page_and_in_its_player() {
    let made = |is_ai_generated| PublishedVideo { is_ai_generated, ..video(Some("A clip"), stored_media()) };
    for (page, is_said) in [
        (made(true).page(), true),
        (made(true).embed(), true),
        (made(false).page(), false),
        (made(false).embed(), false),
    ] {
        assert_eq!(page.html.contains("AI-generated"), is_said, "{}", page.html);
    }
    assert!(made(true).page().html.contains("TrainedAlgorithmicMediaDigitalSource"));
    assert!(made(true).oembed(None, None).is_ai_generated);
}

#[test]
fn the_headers_of_a_page_contain_its_type_and_policy() {
    let page = page_of("x");
    let (headers, body) = page.clone().into_parts();
    assert_eq!(headers[CONTENT_TYPE], "text/html; charset=utf-8");
    assert_eq!(headers[CONTENT_SECURITY_POLICY], page.security_policy);
    assert_eq!(headers["referrer-policy"], "strict-origin-when-cross-origin");
    assert_eq!(headers["cross-origin-opener-policy"], "same-origin");
    assert_eq!(body, page.html);
}

proptest! {
    #[test]
    fn no_caption_adds_elements(caption in "[<>&\"'/=# \n\r\0a-c\\PC]{0,120}") {
        let page = page_of(&caption);
        // Except for links, hashtags, paragraphs and preview tags, the document has the elements of every page.
        let found = fixed_elements(&page.html);
        prop_assert_eq!(found, fixed_elements(&page_of("plain").html), "{}", page.html);
        prop_assert!(!page.html.contains('\0'));
    }

    #[test]
    fn no_caption_closes_an_attribute(caption in "[\"'> a-c]{1,60}") {
        let page = page_of(&caption);
        for tag in page.html.lines().filter(|line| line.starts_with("<meta")) {
            prop_assert_eq!(tag.matches('"').count(), if tag.contains("charset") { 2 } else { 4 });
            prop_assert_eq!(tag.matches('>').count(), 1);
        }
    }
}
