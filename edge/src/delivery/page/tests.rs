use super::*;
use crate::jobs::tests::stored_media;
use proptest::prelude::*;

fn shown<'a>(caption: Option<&'a str>, media: &'a StoredMedia) -> Shown<'a> {
    Shown {
        addresses: Addresses {
            site: "https://www.clipgate.example",
            media_name: "aB3.mp4",
            slug_url: "a-clip-x1",
        },
        caption,
        published_at_unix: 1_800_000_000,
        media,
    }
}

/// The names of the elements that begin in a document, in their order.
fn elements(html: &str) -> Vec<&str> {
    let tags = html.split('<').skip(1);
    let name =
        |tag: &'_ str| tag.find(|c: char| !c.is_ascii_alphanumeric() && c != '/' && c != '!');
    tags.map(|tag| {
        tag.get(..name(tag).unwrap_or(tag.len()))
            .unwrap_or_default()
    })
    .collect()
}

#[test]
fn a_page_plays_the_video_and_says_what_it_is() {
    let media = stored_media();
    let page = shown(Some("A clip #fun\nsecond line"), &media).page();
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
        ".stage{background:#",
    ] {
        assert!(page.html.contains(part), "{part} is not in\n{}", page.html);
    }
    assert!(!page.html.contains("<script"));
}

#[test]
fn without_a_caption_it_has_a_title_all_the_same() {
    let media = stored_media();
    let page = shown(None, &media).page();
    assert!(
        page.html
            .contains("<title>Video of 15 January 2027 · clipgate.example</title>")
    );
    assert!(!page.html.contains("og:description") && !page.html.contains("class=\"caption\""));
}

#[test]
fn the_policy_lets_the_pages_own_style_in_and_nothing_else() {
    let media = stored_media();
    for page in [shown(Some("x"), &media).page(), nothing_here(), failure()] {
        let style = page.html.split_once("<style>").unwrap().1;
        let style = style.split_once("</style>").unwrap().0;
        let hash = STANDARD.encode(Sha256::digest(style));
        assert!(page.security_policy.starts_with("default-src 'none'; "));
        assert!(
            page.security_policy
                .ends_with(&format!("style-src 'sha256-{hash}'"))
        );
        // Attributes would need a permission of their own.
        assert!(!page.html.contains(" style="));
        assert!(!page.security_policy.contains("unsafe"));
    }
}

#[test]
fn a_thumbhash_that_is_none_costs_no_more_than_the_colour() {
    for thumbhash in ["", "!", "AAAA", "AACAAAA=", "AACAAA=="] {
        let media = StoredMedia {
            thumbhash: thumbhash.to_owned(),
            ..stored_media()
        };
        let page = shown(None, &media).page();
        assert!(page.html.contains("background:#"), "{thumbhash}");
    }
}

proptest! {
    #[test]
    fn no_caption_breaks_out(caption in "[<>&\"'/=# \n\r\0a-c\\PC]{0,120}") {
        let media = stored_media();
        let page = shown(Some(&caption), &media).page();
        // Whatever the caption is, the document has the elements of the template, and hashtags.
        let found: Vec<_> = elements(&page.html).into_iter().filter(|name| !matches!(*name, "b" | "/b")).collect();
        let expected = elements(&shown(Some("plain"), &media).page().html.clone()).into_iter().map(str::to_owned).collect::<Vec<_>>();
        let without_caption = elements(&shown(Some(" "), &media).page().html.clone()).into_iter().map(str::to_owned).collect::<Vec<_>>();
        let fits = |other: &[String]| {
            let count = |names: &[&str], name: &str| names.iter().filter(|one| **one == name).count();
            let others: Vec<&str> = other.iter().map(String::as_str).collect();
            found.iter().chain(&others).all(|name| *name == "meta" || count(&found, name) == count(&others, name))
        };
        prop_assert!(fits(&expected) || fits(&without_caption), "{}", page.html);
        prop_assert!(!page.html.contains('\0'));
    }

    #[test]
    fn no_caption_closes_an_attribute(caption in "[\"'> a-c]{1,60}") {
        let media = stored_media();
        let page = shown(Some(&caption), &media).page();
        for tag in page.html.lines().filter(|line| line.starts_with("<meta")) {
            prop_assert_eq!(tag.matches('"').count(), if tag.contains("charset") { 2 } else { 4 });
            prop_assert_eq!(tag.matches('>').count(), 1);
        }
    }
}
