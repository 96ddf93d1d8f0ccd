//! Texts of bytes that should be UTF-8.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Decodes UTF-8. Each byte that is not UTF-8 becomes `\xNN`, so that names that differ in such bytes stay different.
///
/// The result is borrowed if and only if all bytes are UTF-8.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    decode_as(bytes, "\\x")
}

/// Decodes a JSON text. A string of it has `\xNN` for each byte that is not UTF-8.
pub(crate) fn decode_json(bytes: &[u8]) -> Cow<'_, str> {
    decode_as(bytes, "\\\\x")
}

/// Decodes a text of lines, and counts the lines with bytes that are not UTF-8.
pub(crate) fn decode_lines(bytes: &[u8]) -> (Cow<'_, str>, u64) {
    let text = decode(bytes);
    let mut count = 0;
    if matches!(text, Cow::Owned(_)) {
        let is_broken = |line: &&[u8]| std::str::from_utf8(line).is_err();
        let lines = bytes.split(|byte| *byte == b'\n');
        count = lines.filter(is_broken).count() as u64;
    }
    (text, count)
}

fn decode_as<'a>(bytes: &'a [u8], prefix: &str) -> Cow<'a, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to memory cannot fail.
            let _ = write!(text, "{prefix}{byte:02x}");
        }
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_bytes_are_escaped_and_stay_different() {
        assert!(matches!(decode("é".as_bytes()), Cow::Borrowed("é")));
        assert_eq!(decode(b"caf\xe9"), "caf\\xe9");
        assert_eq!(decode(b"caf\xe8"), "caf\\xe8");
        // The beginning of a character, and one that is whole.
        assert_eq!(decode(b"\xf0\x9f\xc3\xa9"), "\\xf0\\x9fé");
        assert_eq!(
            decode_lines(b"a\n\xe9\xe8\nb\n\xff"),
            ("a\n\\xe9\\xe8\nb\n\\xff".into(), 2)
        );
    }

    #[test]
    fn json_stays_json() {
        let text = decode_json(b"[\"\xe9\"]");
        let names: Vec<String> = serde_json::from_str(&text).unwrap();
        assert_eq!(names, ["\\xe9"]);
    }
}
