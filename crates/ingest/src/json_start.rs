//! What a JSON text begins with, from a piece of it that may end anywhere.

/// Keys at the outermost level of the beginning of a JSON text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct JsonStart {
    /// Whether the outermost value is an array; keys of level one are then those of its elements.
    pub(crate) is_array: bool,
    /// Keys of the outermost object, or of objects that are elements of the outermost array, raw.
    pub(crate) keys: Vec<String>,
}

/// Keys that are kept, and bytes of each.
const MAX_KEYS: usize = 256;
const MAX_KEY: usize = 256;

impl JsonStart {
    /// Looks at the beginning of a JSON text; `None` when it does not begin with `{` or `[`.
    /// Linear, without recursion; invalid JSON gives the keys before the fault.
    pub(crate) fn of(start: &[u8]) -> Option<Self> {
        let mut scan = JsonScan::of(start)?;
        scan.feed(start);
        Some(scan.found)
    }

    /// Whether the outermost objects have this key.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.keys.iter().any(|found| found == key)
    }

    /// A small text with the same outermost keys, for readers that look at the beginning of a file.
    pub(crate) fn skeleton(&self) -> String {
        let members: Vec<String> = self.keys.iter().map(|key| format!("\"{key}\":0")).collect();
        let object = format!("{{{}}}", members.join(","));
        if self.is_array {
            format!("[{object}]")
        } else {
            object
        }
    }
}

/// Looks for the outermost keys of a JSON text that comes in pieces.
#[derive(Debug, Default)]
pub(crate) struct JsonScan {
    pub(crate) found: JsonStart,
    braces: u32,
    is_quoted: bool,
    /// Whether the piece ended after a backslash.
    is_escaped: bool,
    /// The beginning of the last text, which is a key if a colon follows.
    last: Option<Vec<u8>>,
}

impl JsonScan {
    /// A scan of the text that begins so; `None` when it does not begin with `{` or `[`.
    pub(crate) fn of(start: &[u8]) -> Option<Self> {
        let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
        let first = start.iter().find(|byte| !byte.is_ascii_whitespace())?;
        let mut scan = Self::default();
        scan.found.is_array = match first {
            b'{' => false,
            b'[' => true,
            _ => return None,
        };
        Some(scan)
    }

    /// Takes in the next piece.
    pub(crate) fn feed(&mut self, mut piece: &[u8]) {
        while !piece.is_empty() {
            piece = if self.is_quoted {
                self.feed_text(piece)
            } else {
                self.feed_plain(piece)
            };
        }
    }

    /// Takes in text inside quotes; returns the rest.
    fn feed_text<'a>(&mut self, piece: &'a [u8]) -> &'a [u8] {
        if self.is_escaped {
            self.is_escaped = false;
            let (escaped, rest) = piece.split_at_checked(1).unwrap_or((piece, &[]));
            self.keep(escaped);
            return rest;
        }
        let len = memchr::memchr2(b'"', b'\\', piece).unwrap_or(piece.len());
        let (plain, rest) = piece.split_at_checked(len).unwrap_or((piece, &[]));
        self.keep(plain);
        let Some((&byte, rest)) = rest.split_first() else {
            return &[];
        };
        if byte == b'"' {
            self.is_quoted = false;
        } else {
            self.is_escaped = true;
            self.keep(&[byte]);
        }
        rest
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.braces == 1
            && let Some(last) = &mut self.last
        {
            let room = MAX_KEY.saturating_sub(last.len()).min(bytes.len());
            last.extend_from_slice(bytes.get(..room).unwrap_or_default());
        }
    }

    /// Takes in text outside of quotes; returns the rest.
    fn feed_plain<'a>(&mut self, piece: &'a [u8]) -> &'a [u8] {
        for (at, byte) in piece.iter().enumerate() {
            match byte {
                b'"' => {
                    self.is_quoted = true;
                    let mut last = self.last.take().unwrap_or_default();
                    last.clear();
                    self.last = Some(last);
                    return piece.get(at + 1..).unwrap_or_default();
                }
                b':' if self.braces == 1 => {
                    if let Some(key) = self.last.take() {
                        self.add_key(&key);
                    }
                }
                b'{' => self.braces += 1,
                b'}' => self.braces = self.braces.saturating_sub(1),
                _ => {}
            }
        }
        &[]
    }

    fn add_key(&mut self, key: &[u8]) {
        let keys = &mut self.found.keys;
        let key = String::from_utf8_lossy(key);
        if keys.len() < MAX_KEYS && !keys.iter().any(|known| *known == key) {
            keys.push(key.into_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_in_whatever_there_is() {
        let text = br#" {"data": [[1, {"x": 2}]], "a\"b": {"c": 1}, "cut"#;
        let found = JsonStart::of(text).unwrap();
        assert_eq!(found.keys, ["data", "a\\\"b"]);
        let events = JsonStart::of(br#"[{"ph": "X", "args": {"id": 1}}, {"name": "#).unwrap();
        assert!(events.is_array && events.has("ph"));
        assert_eq!(JsonStart::of(b"text"), None);
    }

    #[test]
    fn pieces_give_the_keys_of_the_whole() {
        let text = br#" {"data": [[1, {"x": "}\\"}]], "a\"b": {"c": 1}, "last": 1}"#;
        for len in 1..text.len() {
            let mut scan = JsonScan::of(text).unwrap();
            text.chunks(len).for_each(|piece| scan.feed(piece));
            assert_eq!(scan.found.keys, ["data", "a\\\"b", "last"], "{len}");
            assert_eq!(
                JsonStart::of(scan.found.skeleton().as_bytes()),
                Some(scan.found)
            );
        }
    }
}
