//! Texts in XML.

use std::borrow::Cow;
use std::fmt::Write as _;

use sheaf_model::is_invisible;

/// A text as XML holds it, between tags or in quotes: marks and line ends escaped. Characters that
/// XML 1.0 has no way to hold are replaced: control characters by their pictures (U+2400 …), others by
/// U+FFFD. Characters that nobody sees are written as references.
///
/// ```
/// assert_eq!(sheaf_ensemble::xml_text("a<b>"), "a&lt;b&gt;");
/// ```
pub fn escape(text: &str) -> Cow<'_, str> {
    if text.bytes().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            '\t' => escaped.push_str("&#9;"),
            '\n' => escaped.push_str("&#10;"),
            '\r' => escaped.push_str("&#13;"),
            _ => match visible(character) {
                // Writing into a text cannot fail.
                hidden if is_invisible(hidden) => {
                    let _ = write!(escaped, "&#x{:x};", u32::from(hidden));
                }
                shown => escaped.push(shown),
            },
        }
    }
    Cow::Owned(escaped)
}

/// A control character's picture, U+FFFD for what is no character, else the character itself.
pub(super) fn visible(character: char) -> char {
    match character {
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(character)).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        '\u{80}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        _ => character,
    }
}

const fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && !matches!(byte, b'&' | b'<' | b'>' | b'"' | b'\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_is_text() {
        let cases = [
            ("main:31 (loop)", "main:31 (loop)"),
            ("vector<int>::at", "vector&lt;int&gt;::at"),
            ("]]>&amp;\"'", "]]&gt;&amp;amp;&quot;&apos;"),
            ("a\tb\r\nc", "a&#9;b&#13;&#10;c"),
            ("\0\u{1b}[31m\u{7f}", "␀␛[31m␡"),
            ("\u{85}\u{ffff}é", "\u{fffd}\u{fffd}é"),
            ("a\u{202e}b\u{200b}", "a&#x202e;b&#x200b;"),
        ];
        for (text, expected) in cases {
            assert_eq!(escape(text), expected);
        }
    }
}
