//! Escapes text for HTML, so that text never becomes markup.

/// Returns the text with every character escaped that HTML could interpret.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(character),
            // Control characters have no place in a page, and HTML forbids most of them.
            control if control.is_control() => {}
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn markup_becomes_text() {
        assert_eq!(escape("<a href=\"x\" b='y'>&amp;\0\r\n"), "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;\n");
        assert_eq!(escape("a\tb"), "a\tb");
    }

    proptest! {
        #[test]
        fn no_text_is_interpreted_as_html(text in "[<>&\"'a;#\\PC\n\r\0]{0,80}") {
            let escaped = escape(&text);
            prop_assert!(!escaped.contains(['<', '>', '"', '\'', '\r', '\0']));
            let known = ["amp;", "lt;", "gt;", "quot;", "#39;"];
            let follows = |rest: &str| known.iter().any(|entity| rest.starts_with(entity));
            prop_assert!(escaped.split('&').skip(1).all(follows));
        }
    }
}
