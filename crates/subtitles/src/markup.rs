//! Removes the markup of a line of WebVTT or SubRip.

/// The references of WebVTT, with the characters that they stand for.
const REFERENCES: [(&str, &str); 6] =
    [("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", "\u{a0}"), ("&lrm;", "\u{200e}"), ("&rlm;", "\u{200f}"), ("&amp;", "&")];

/// Returns the line without tags, such as `<i>`, `<v Roger>` and `<00:00:01.000>`.
pub(super) fn without_tags(line: &str) -> String {
    without(line, ('<', '>'), |next| next.is_ascii_alphanumeric() || matches!(next, '/' | '!' | '?'))
}

/// Returns the line without the overrides of SubRip files, such as `{\an8}`.
pub(super) fn without_overrides(line: &str) -> String {
    without(line, ('{', '}'), |next| next == '\\')
}

/// Returns the line without the text between these marks, if its first character may begin a tag. A `<` before a space
/// is a sign, not a tag.
fn without(line: &str, (open, close): (char, char), begins_tag: fn(char) -> bool) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, inside)) = rest.split_once(open) {
        text.push_str(before);
        rest = inside;
        if !inside.starts_with(begins_tag) {
            text.push(open);
        } else if let Some((_, after)) = inside.split_once(close) {
            rest = after;
        } else {
            // No later tag is closed either. Searching again after each mark would take a minute for a hostile line.
            text.push(open);
            break;
        }
    }
    text + rest
}

/// Replaces the references of WebVTT by their characters. All other text stays as it is.
pub(super) fn dereferenced(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(index) = rest.find('&') {
        let (before, candidate) = rest.split_at(index);
        result.push_str(before);
        let (name, character) =
            REFERENCES.into_iter().find(|(name, _)| candidate.starts_with(name)).unwrap_or(("&", "&"));
        result.push_str(character);
        rest = candidate.get(name.len()..).unwrap_or_default();
    }
    result + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_removed_and_signs_stay() {
        for (line, expected) in [
            ("<i>a</i> b", "a b"),
            ("<v Roger Bingham>We are<00:00:02.500> here", "We are here"),
            ("<font color=\"red\">a</font>", "a"),
            ("1 < 2 > 0, {\\an8}", "1 < 2 > 0, {\\an8}"),
            ("<script>alert(1)</script>", "alert(1)"),
            ("<<b>b>", "<b>"),
            ("a <b", "a <b"),
            ("<", "<"),
            ("é<é>é", "é<é>é"),
        ] {
            assert_eq!(without_tags(line), expected, "{line}");
        }
        assert_eq!(without_overrides("{\\an8}{a} <b>{"), "{a} <b>{");
    }

    /// With a search of the whole line after each mark, this would not end within minutes.
    #[test]
    fn a_line_of_marks_is_read_once() {
        let times = 1_000_000;
        let unclosed = "<a".repeat(times);
        assert_eq!(without_tags(&unclosed), unclosed);
        let signs = "< ".repeat(times);
        assert_eq!(without_tags(&signs), signs);
        assert_eq!(without_tags(&"<a><".repeat(times)), "<".repeat(times));
        assert_eq!(dereferenced(&"&".repeat(times)), "&".repeat(times));
    }

    #[test]
    fn references_are_replaced_once() {
        for (text, expected) in
            [("a &lt;b&gt; &amp;lt;", "a <b> &lt;"), ("&", "&"), ("&eacute;&#60;", "&eacute;&#60;"), ("é&amp;é", "é&é")]
        {
            assert_eq!(dereferenced(text), expected, "{text}");
        }
    }
}
