//! Escapes in quoted texts.

/// The character that comes after a backslash, and the bytes that spell it.
pub(super) fn decode(rest: &[u8]) -> Option<(char, usize)> {
    let c = match rest.first()? {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'v' => '\u{b}',
        b'a' => '\u{7}',
        b'0' => '\0',
        b'x' => return Some((char::from_u32(hex(rest, 1, 2)?)?, 3)),
        b'U' => return Some((char::from_u32(hex(rest, 1, 8)?)?, 9)),
        b'u' => return unicode(rest),
        byte if byte.is_ascii() => char::from(*byte),
        _ => return None,
    };
    Some((c, 1))
}

/// `u` and four digits; a high surrogate with the low one after it is one character, and a
/// lone one cannot be written in UTF-8 and is replaced.
fn unicode(rest: &[u8]) -> Option<(char, usize)> {
    let high = hex(rest, 1, 4)?;
    let is_pair = (0xd800..0xdc00).contains(&high) && rest.get(5..7) == Some(b"\\u");
    if let Some(low) = hex(rest, 7, 4).filter(|low| is_pair && (0xdc00..0xe000).contains(low)) {
        let code = 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00);
        return Some((char::from_u32(code)?, 11));
    }
    Some((
        char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER),
        5,
    ))
}

fn hex(rest: &[u8], from: usize, len: usize) -> Option<u32> {
    let digits = rest.get(from..from + len)?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}
