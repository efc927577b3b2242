//! Text in HTML and XML. It never becomes markup.

use maud::Render;

/// Text that somebody wrote, or a URL that may contain it. Templates escape every other text too, but keep its control
/// characters.
pub(super) struct Text<'a>(pub &'a str);

impl Render for Text<'_> {
    fn render_to(&self, buffer: &mut String) {
        for character in self.0.chars() {
            match character {
                '&' => buffer.push_str("&amp;"),
                '<' => buffer.push_str("&lt;"),
                '>' => buffer.push_str("&gt;"),
                '"' => buffer.push_str("&quot;"),
                '\'' => buffer.push_str("&#39;"),
                '\n' | '\t' => buffer.push(character),
                // Control characters have no place in a page, and HTML forbids most of them.
                control if control.is_control() => {}
                other => buffer.push(other),
            }
        }
    }
}

/// Returns the text with every character escaped that HTML or XML could interpret.
pub(super) fn escape(text: &str) -> String {
    Text(text).render().into_string()
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
