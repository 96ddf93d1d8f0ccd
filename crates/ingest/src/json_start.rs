//! What a JSON text begins with, from a piece of it that may end anywhere.

/// Keys at the outermost level of the beginning of a JSON text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct JsonStart {
    /// Whether the outermost value is an array; keys of level one are then those of its elements.
    pub(crate) is_array: bool,
    /// Keys of the outermost object, or of objects that are elements of the outermost array, raw.
    pub(crate) keys: Vec<String>,
}

impl JsonStart {
    /// Looks at the beginning of a JSON text; `None` when it does not begin with `{` or `[`.
    /// Linear, without recursion; invalid JSON gives the keys before the fault.
    pub(crate) fn of(start: &[u8]) -> Option<Self> {
        let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
        let first = start.iter().find(|byte| !byte.is_ascii_whitespace())?;
        let is_array = match first {
            b'{' => false,
            b'[' => true,
            _ => return None,
        };
        let mut found = Self {
            is_array,
            ..Self::default()
        };
        found.scan(start);
        Some(found)
    }

    fn scan(&mut self, text: &[u8]) {
        let (mut braces, mut at) = (0_u32, 0);
        let mut last: Option<&[u8]> = None;
        while let Some(&byte) = text.get(at) {
            at += 1;
            match byte {
                b'"' => {
                    let end = string_end(text, at);
                    last = text.get(at..end);
                    at = end + 1;
                }
                b':' => {
                    if let (1, Some(key)) = (braces, last.take()) {
                        let key = String::from_utf8_lossy(key).into_owned();
                        if self.keys.len() < 256 && !self.keys.contains(&key) {
                            self.keys.push(key);
                        }
                    }
                }
                b'{' => braces += 1,
                b'}' => braces = braces.saturating_sub(1),
                _ => {}
            }
        }
    }

    /// Whether the outermost objects have this key.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.keys.iter().any(|found| found == key)
    }
}

/// Position of the quote that ends the string which begins at `at`, or the end of the text.
fn string_end(text: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_in_whatever_there_is() {
        let found = JsonStart::of(br#" {"data": [[1, {"x": 2}]], "a\"b": {"c": 1}, "cut"#).unwrap();
        assert_eq!(found.keys, ["data", "a\\\"b"]);
        let events = JsonStart::of(br#"[{"ph": "X", "args": {"id": 1}}, {"name": "#).unwrap();
        assert!(events.is_array && events.has("ph"));
        assert_eq!(JsonStart::of(b"text"), None);
    }
}
