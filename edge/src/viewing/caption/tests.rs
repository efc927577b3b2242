//! Captions: marked hashtags, links, and the end of the heading.

use super::*;
use crate::viewing::html::escape;
use proptest::prelude::*;

fn caption_html(caption: &str) -> String {
    marked(&pieces(caption))
}

/// Returns the HTML of the heading and of the rest.
fn halves(caption: &str) -> (String, String) {
    let SplitCaption { heading, rest } = split(caption);
    (heading.into_string(), rest.into_string())
}

#[test]
fn hashtags_are_marked_and_nothing_else() {
    for (caption, expected) in [
        ("so #fun!", "so <b>#fun</b>!"),
        ("#日本 #a_1", "<b>#日本</b> <b>#a_1</b>"),
        ("a#b ##c #1 # #", "a#b ##c #1 # #"),
        ("#a#b", "<b>#a</b>#b"),
        ("(#x)<#y>", "(<b>#x</b>)&lt;<b>#y</b>&gt;"),
        ("&#39;", "&amp;#39;"),
        ("&#a", "&amp;#a"),
    ] {
        assert_eq!(caption_html(caption), expected, "{caption}");
    }
}

#[test]
fn the_address_of_a_website_is_a_link() {
    for (caption, address, after) in [
        ("see https://a.example/b?c=d&e#f.", "https://a.example/b?c=d&amp;e#f", "."),
        ("(see http://a.example)", "http://a.example", ")"),
        ("see HTTPS://a.example/<b>", "HTTPS://a.example/", "&lt;b&gt;"),
    ] {
        let html = caption_html(caption);
        assert!(html.contains(&format!("<a href=\"{address}\" rel=\"ugc nofollow")), "{html}");
        assert!(html.ends_with(&format!(">{address}</a>{after}")), "{html}");
    }
}

#[test]
fn no_other_address_is_a_link() {
    for caption in [
        "javascript:alert(1)",
        "javascript://a.example/%0aalert(1)",
        "a.example",
        "ftp://a.example",
        "x@a.example",
        "https://",
    ] {
        assert!(!caption_html(caption).contains("<a"), "{caption}");
    }
}

#[test]
fn the_heading_is_the_first_line_and_the_rest_follows() {
    let parts = halves(" \nA #clip\n\nMore &\r\nmore\n ");
    assert_eq!(parts.0, "A <b>#clip</b>");
    assert_eq!(parts.1, "More &amp;\nmore");
    assert_eq!(halves("One line"), ("One line".to_owned(), String::new()));
    assert_eq!(halves(" \n\t"), (String::new(), String::new()));
}

#[test]
fn a_long_first_line_is_split_between_words() {
    let parts = halves(&format!("{}end\nmore", "word ".repeat(20)));
    assert_eq!(parts.0, format!("{}…", "word ".repeat(18).trim_end()));
    assert_eq!(parts.1, "word word end\nmore");
    let without_spaces = halves(&"語".repeat(100));
    assert_eq!(without_spaces.0, "語".repeat(90) + "…");
    assert_eq!(without_spaces.1, "語".repeat(10));
}

#[test]
fn a_link_is_never_split() {
    let url = format!("https://a.example/{}", "x".repeat(100));
    let parts = halves(&format!("See {url} now"));
    assert_eq!(parts.0, "See…");
    assert!(parts.1.ends_with(&format!("{url}</a> now")), "{}", parts.1);
    assert!(halves(&format!("{url} now")).0.ends_with(&format!("{url}</a>…")));
}

#[test]
fn a_title_is_the_first_line_that_is_not_blank() {
    assert_eq!(title(" \n  Hello   you \nmore").as_deref(), Some("Hello you"));
    assert_eq!(title(" \n\t"), None);
    let long = title(&"word ".repeat(50)).unwrap();
    assert!(long.ends_with('…') && long.chars().count() <= MAX_HEADING_CHARACTERS);
}

#[test]
fn a_text_is_truncated_only_if_it_is_too_long() {
    assert_eq!(truncate("äbcd", 4), "äbcd");
    assert_eq!(truncate("äbcde", 4), "äbc…");
    assert_eq!(description(&"x".repeat(200)), "x".repeat(200));
    assert_eq!(description(&"x".repeat(201)), "x".repeat(199) + "…");
    assert_eq!(description(" a\n b "), "a b");
}

#[test]
fn no_character_changes_the_direction_of_what_follows() {
    let hostile = "a\u{202e}b\u{2066}c\u{200f}d\u{61c}e\u{2069}";
    assert_eq!(without_bidi_controls(hostile), "abcde");
    assert_eq!(without_bidi_controls("שלום 👩\u{200d}👩"), "שלום 👩\u{200d}👩");
}

proptest! {
    #[test]
    fn marking_loses_no_text_and_adds_no_other_markup(caption in "[#<>&\"a_1 \\PC]{0,60}") {
        let marked = caption_html(&caption);
        prop_assume!(!marked.contains("<a "));
        let unmarked = marked.replace("<b>", "").replace("</b>", "");
        prop_assert_eq!(unmarked, escape(&caption));
    }

    #[test]
    fn splitting_loses_no_word_and_repeats_none(caption in "[a-c# \n]{0,300}") {
        let (heading_html, rest_html) = halves(&caption);
        // Only a text without spaces is split within a word.
        prop_assume!(caption.split_whitespace().all(|word| word.len() < 40));
        let shown = format!("{} {rest_html}", heading_html.trim_end_matches('…')).replace("<b>", "").replace("</b>", "");
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        prop_assert_eq!(words(&shown), words(&caption));
    }
}
