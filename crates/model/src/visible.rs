//! Names made fit to be shown: what cannot be seen is written out.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The text with invisible characters written out: control characters, marks that turn the
/// direction of writing, characters without width, separators of lines.
///
/// Names come from traces and users, so that everything that is shown to people goes through
/// this. JSON keeps the exact name, see [`visible_json`].
///
/// ```
/// use sheaf_model::visible;
/// assert_eq!(visible("fib<long>"), "fib<long>");
/// assert_eq!(visible("a\u{202e}b\n\u{feff}"), r"a\u{202e}b\n\u{feff}");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| (b' '..0x7f).contains(&byte)) || !text.chars().any(is_invisible) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_invisible(character) {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// JSON text with invisible characters of its strings written as `\\u` escapes, which mean the same
/// to every reader: a terminal that shows the text is neither steered nor misled. Line ends between
/// the values stay.
///
/// ```
/// use sheaf_model::visible_json;
/// assert_eq!(visible_json("{\n\"a\u{202e}\": \"\u{e0041}\"}"), "{\n\"a\\u202e\": \"\\udb40\\udc41\"}");
/// ```
pub fn visible_json(json: &str) -> Cow<'_, str> {
    let is_hidden = |character| character != '\n' && is_invisible(character);
    let is_plain = |byte| byte == b'\n' || (b' '..0x7f).contains(&byte);
    if json.bytes().all(is_plain) || !json.chars().any(is_hidden) {
        return Cow::Borrowed(json);
    }
    let mut shown = String::with_capacity(json.len() + 16);
    for character in json.chars() {
        if is_hidden(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing into a text cannot fail.
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// Whether a character is a control, or shows nothing of itself: the general categories Cc, Cf,
/// Zl and Zp of Unicode 16, its variation selectors and tags, and letters that are blank.
pub fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(u32::from(character),
            0xad | 0x34f | 0x600..=0x605 | 0x61c | 0x6dd | 0x70f | 0x890..=0x891 | 0x8e2
            | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f | 0x200b..=0x200f
            | 0x2028..=0x202e | 0x2060..=0x206f | 0x3164 | 0xfe00..=0xfe0f | 0xfeff | 0xffa0
            | 0xfff0..=0xfffb | 0x1_10bd | 0x1_10cd | 0x1_3430..=0x1_343f | 0x1_bca0..=0x1_bca3
            | 0x1_d173..=0x1_d17a | 0xe_0000..=0xe_0fff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_written_out() {
        for (text, expected) in [
            ("naïve 漢字 🌲", "naïve 漢字 🌲"),
            ("a\u{1b}[31mb\n\0\u{85}", r"a\u{1b}[31mb\n\u{0}\u{85}"),
            ("\u{202e}\u{2066}\u{2069}", r"\u{202e}\u{2066}\u{2069}"),
            ("a\u{200b}b\u{feff}c\u{ad}", r"a\u{200b}b\u{feff}c\u{ad}"),
            ("\u{2028}\u{fe0f}\u{e0041}", r"\u{2028}\u{fe0f}\u{e0041}"),
            ("a\u{3164}\u{a0}b", "a\\u{3164}\u{a0}b"),
        ] {
            assert_eq!(visible(text), expected);
        }
    }
}
