//! The rendered pages.

use crate::contents::content_urls::ContentUrls;
use crate::jobs::tests::stored_media;
use crate::serving::page::{Page, failure, nothing_here};
use crate::serving::video_page::PublishedVideo;
use crate::unix_seconds::UnixSeconds;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use contract::job::StoredMedia;
use proptest::prelude::*;
use sha2::{Digest, Sha256};

fn page_with(caption: Option<&str>, media: &StoredMedia) -> Page {
    let video = PublishedVideo {
        urls: ContentUrls { site: "https://www.clipgate.example", media_name: "aB3.mp4", slug_url: "a-clip-x1" },
        caption,
        published_at: UnixSeconds(1_800_000_000),
        media,
    };
    video.page()
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

/// Returns the elements without hashtags and preview tags, whose number depends on the caption.
fn fixed_elements(html: &str) -> Vec<String> {
    let elements = elements(html).into_iter().filter(|name| !matches!(*name, "b" | "/b" | "meta"));
    elements.map(str::to_owned).collect()
}

#[test]
fn a_page_plays_the_video_and_describes_it() {
    let page = page_of("A clip #fun\nsecond line");
    for part in [
        "<title>A clip #fun · clipgate.example</title>",
        "<link rel=\"canonical\" href=\"https://www.clipgate.example/meme/a-clip-x1\">",
        "<meta property=\"og:image\" content=\"https://www.clipgate.example/media/aB3/poster.jpg\">",
        "<meta property=\"og:video\" content=\"https://www.clipgate.example/media/aB3.mp4\">",
        "<meta name=\"twitter:card\" content=\"summary_large_image\">",
        "width=\"640\" height=\"360\" poster=\"/media/aB3/poster.jpg\"",
        "<source src=\"/media/aB3/hls/master.m3u8\" type=\"application/vnd.apple.mpegurl\">\n<source src=\"/media/aB3.mp4\"",
        "A clip <b>#fun</b>\nsecond line",
        "<time datetime=\"2027-01-15T08:00:00Z\">15 January 2027</time>",
        ".stage{background:#6a7674;max-width:calc(80vh*640/360)}",
        "<meta property=\"video:duration\" content=\"5\">",
        "<meta property=\"og:description\" content=\"A clip #fun second line\">",
    ] {
        assert!(page.html.contains(part), "{part} is not in\n{}", page.html);
    }
    assert!(!page.html.contains("<script"));
}

#[test]
fn a_page_without_a_caption_has_a_title() {
    let page = page_with(None, &stored_media());
    assert!(page.html.contains("<title>Video of 15 January 2027 · clipgate.example</title>"));
    assert!(!page.html.contains("og:description") && !page.html.contains("class=\"caption\""));
}

#[test]
fn the_policy_allows_the_pages_own_style_and_no_other() {
    for page in [page_of("x"), nothing_here(), failure()] {
        let style = page.html.split_once("<style>").unwrap().1;
        let style = style.split_once("</style>").unwrap().0;
        let hash = STANDARD.encode(Sha256::digest(style));
        assert!(page.security_policy.starts_with("default-src 'none'; "));
        assert!(page.security_policy.ends_with(&format!("style-src 'sha256-{hash}'")));
        // Style attributes would need another permission in the policy.
        assert!(!page.html.contains(" style="));
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
        // Except for hashtags and preview tags, the document has the elements of a page with or without a caption.
        let found = fixed_elements(&page.html);
        let is_template = |other: &str| found == fixed_elements(&page_of(other).html);
        prop_assert!(is_template("plain") || is_template(" "), "{}", page.html);
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
