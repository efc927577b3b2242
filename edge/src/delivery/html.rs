//! Text on its way into HTML: whatever somebody wrote stays text.

/// The text with everything in it that HTML could read as its own.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(character),
            // No control character belongs into a page; HTML forbids most of them.
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
        assert_eq!(
            escape("<a href=\"x\" b='y'>&amp;\0\r\n"),
            "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;\n"
        );
    }

    proptest! {
        #[test]
        fn nothing_of_a_text_is_read_as_html(text in "[<>&\"'a;#\\PC\n\r\0]{0,80}") {
            let escaped = escape(&text);
            prop_assert!(!escaped.contains(['<', '>', '"', '\'', '\r', '\0']));
            let known = ["amp;", "lt;", "gt;", "quot;", "#39;"];
            let follows = |rest: &str| known.iter().any(|entity| rest.starts_with(entity));
            prop_assert!(escaped.split('&').skip(1).all(follows));
        }
    }
}
