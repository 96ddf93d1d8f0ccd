//! The values of a JSON text or Python literal, read without recursion.

mod escape;

use std::borrow::Cow;

use sheaf_model::Progress;

use crate::{Error, Format, limits};

/// One value, or the key of a member.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value<'a> {
    Null,
    Boolean(bool),
    /// As written; `NaN` and `Infinity` are numbers too.
    Number(&'a str),
    Text(Cow<'a, str>),
    Array,
    Object,
}

/// A value with the place after all that is inside it.
#[derive(Debug)]
struct Entry<'a> {
    value: Value<'a>,
    end: u32,
}

/// All values of a text, each before those inside it; in objects, keys stand before their values.
///
/// Besides JSON it reads what Python prints for dictionaries, lists, tuples, texts and numbers.
/// Time and memory are linear, and values may be nested as deep as memory allows.
#[derive(Debug)]
pub(crate) struct JsonTree<'a> {
    entries: Vec<Entry<'a>>,
    /// Texts that are not UTF-8; their bad bytes are replaced.
    pub(crate) num_repaired_texts: u64,
}

/// A value in a tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item<'t, 'a> {
    tree: &'t JsonTree<'a>,
    at: u32,
}

impl<'a> JsonTree<'a> {
    /// Reads a text that holds one value.
    ///
    /// # Errors
    /// [`Error::Malformed`] where it is not of this form; [`Error::Cancelled`].
    pub(crate) fn parse(
        text: &'a [u8],
        format: Format,
        progress: &Progress,
    ) -> Result<Self, Error> {
        let mut parser = Parser {
            text,
            at: 0,
            format,
            tree: Self {
                entries: Vec::new(),
                num_repaired_texts: 0,
            },
        };
        if text.starts_with(b"\xef\xbb\xbf") {
            parser.at = 3;
        }
        parser.values(progress)?;
        Ok(parser.tree)
    }

    /// The outermost value.
    pub(crate) fn root(&self) -> Item<'_, 'a> {
        Item { tree: self, at: 0 }
    }
}

impl<'t, 'a> Item<'t, 'a> {
    fn entry(self) -> Option<&'t Entry<'a>> {
        self.tree.entries.get(self.at as usize)
    }

    pub(crate) fn value(self) -> &'t Value<'a> {
        self.entry().map_or(&Value::Null, |entry| &entry.value)
    }

    pub(crate) fn as_text(self) -> Option<&'t str> {
        match self.value() {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number as it is written.
    pub(crate) fn as_number(self) -> Option<&'a str> {
        match self.value() {
            Value::Number(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_i64(self) -> Option<i64> {
        self.as_number()?.parse().ok()
    }

    /// The number as a float; may be NaN or infinite.
    pub(crate) fn as_f64(self) -> Option<f64> {
        self.as_number()?.parse().ok()
    }

    pub(crate) fn is_object(self) -> bool {
        matches!(self.value(), Value::Object)
    }

    /// Elements of an array; nothing for other values.
    pub(crate) fn elements(self) -> impl Iterator<Item = Self> + use<'t, 'a> {
        self.inside(matches!(self.value(), Value::Array))
    }

    /// Members of an object, in their order; nothing for other values.
    pub(crate) fn members(self) -> impl Iterator<Item = (&'t str, Self)> + use<'t, 'a> {
        let mut inside = self.inside(self.is_object());
        std::iter::from_fn(move || {
            let key = inside.next()?;
            Some((key.as_text().unwrap_or_default(), inside.next()?))
        })
    }

    /// The member with this key, the last one where there are several, as JSON readers do.
    pub(crate) fn get(self, key: &str) -> Option<Self> {
        self.members()
            .filter(|(found, _)| *found == key)
            .map(|(_, item)| item)
            .last()
    }

    fn inside(self, is_any: bool) -> impl Iterator<Item = Self> + use<'t, 'a> {
        let end = self.entry().map_or(0, |entry| entry.end);
        let mut next = if is_any { self.at + 1 } else { end };
        std::iter::from_fn(move || {
            if next >= end {
                return None;
            }
            let item = Self {
                tree: self.tree,
                at: next,
            };
            next = item.entry()?.end;
            Some(item)
        })
    }
}

/// What may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// A value, or the end of an empty array.
    Value,
    /// A key, or the end of the object.
    Key,
    /// A comma, or the end of what is open.
    Separator,
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    format: Format,
    tree: JsonTree<'a>,
}

impl<'a> Parser<'a> {
    fn values(&mut self, progress: &Progress) -> Result<(), Error> {
        let mut open: Vec<u32> = Vec::new();
        let mut expected = Expected::Value;
        loop {
            self.skip_space();
            if open.is_empty() && expected == Expected::Separator {
                break;
            }
            if self.tree.entries.len().is_multiple_of(65_536) {
                progress.check()?;
            }
            let Some(&byte) = self.text.get(self.at) else {
                return Err(self.fault("the text ends before its value does"));
            };
            expected = match (expected, byte) {
                (_, b']' | b')' | b'}') => {
                    self.at += 1;
                    self.close(&mut open, byte, expected)?;
                    Expected::Separator
                }
                (Expected::Separator, b',') => {
                    self.at += 1;
                    let is_object = open.last().is_some_and(|&at| self.is_object(at));
                    if is_object {
                        Expected::Key
                    } else {
                        Expected::Value
                    }
                }
                (Expected::Separator, _) => {
                    return Err(self.fault("a comma or a closing bracket is missing"));
                }
                (Expected::Key, _) => {
                    self.key()?;
                    Expected::Value
                }
                (Expected::Value, b'{') => {
                    self.open(&mut open, Value::Object)?;
                    Expected::Key
                }
                (Expected::Value, b'[' | b'(') => {
                    self.open(&mut open, Value::Array)?;
                    Expected::Value
                }
                (Expected::Value, _) => {
                    let value = self.scalar()?;
                    self.push(value)?;
                    Expected::Separator
                }
            };
        }
        if self.at < self.text.len() {
            return Err(self.fault("something follows the outermost value"));
        }
        Ok(())
    }

    fn fault(&self, reason: &str) -> Error {
        Error::malformed(self.format, format!("byte {}", self.at), reason)
    }

    fn is_object(&self, at: u32) -> bool {
        let entry = self.tree.entries.get(at as usize);
        entry.is_some_and(|entry| entry.value == Value::Object)
    }

    fn push(&mut self, value: Value<'a>) -> Result<u32, Error> {
        let at = index(self.tree.entries.len());
        limits::make_room(&mut self.tree.entries, limits::VALUES, self.at)?;
        self.tree.entries.push(Entry { value, end: at + 1 });
        Ok(at)
    }

    fn open(&mut self, open: &mut Vec<u32>, value: Value<'a>) -> Result<(), Error> {
        self.at += 1;
        open.push(self.push(value)?);
        Ok(())
    }

    fn close(&mut self, open: &mut Vec<u32>, byte: u8, expected: Expected) -> Result<(), Error> {
        let at = open
            .pop()
            .ok_or_else(|| self.fault("a bracket closes that was not opened"))?;
        let is_object = self.is_object(at);
        // After a key comes a value: `{"a": }` is a fault, `[1, ]` is Python.
        let is_cut = is_object && expected == Expected::Value;
        if is_object != (byte == b'}') || is_cut {
            return Err(self.fault("a bracket closes something else"));
        }
        let end = index(self.tree.entries.len());
        if let Some(entry) = self.tree.entries.get_mut(at as usize) {
            entry.end = end;
        }
        Ok(())
    }

    fn key(&mut self) -> Result<(), Error> {
        let key = match self.scalar()? {
            Value::Text(text) => text,
            Value::Number(text) => Cow::Borrowed(text),
            _ => return Err(self.fault("a key is neither a text nor a number")),
        };
        self.push(Value::Text(key))?;
        self.skip_space();
        if self.text.get(self.at) != Some(&b':') {
            return Err(self.fault("a key has no colon after it"));
        }
        self.at += 1;
        Ok(())
    }

    fn skip_space(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn scalar(&mut self) -> Result<Value<'a>, Error> {
        let start = self.at;
        let mut word = self.word();
        let is_numpy = word.starts_with(b"np.") || word.starts_with(b"numpy.");
        if is_numpy && self.text.get(self.at) == Some(&b'(') {
            // `np.float64(0.5)`, as NumPy 2 prints its numbers.
            self.at += 1;
            word = self.word();
            if self.text.get(self.at) != Some(&b')') {
                self.at = start;
                return Err(self.fault("there is no value of JSON or Python"));
            }
            self.at += 1;
        }
        if let Some(&quote @ (b'"' | b'\'')) = self.text.get(self.at)
            && matches!(word, b"" | b"u" | b"b" | b"U" | b"B")
        {
            return self.quoted(quote);
        }
        let word = std::str::from_utf8(word).unwrap_or_default();
        match word {
            "null" | "None" => return Ok(Value::Null),
            "true" | "True" => return Ok(Value::Boolean(true)),
            "false" | "False" => return Ok(Value::Boolean(false)),
            _ => {}
        }
        limits::check_len("a text", word.len(), limits::TEXT, || {
            format!("byte {start}")
        })?;
        let number = word.strip_suffix('L').unwrap_or(word);
        if number.parse::<f64>().is_err() {
            self.at = start;
            return Err(self.fault("there is no value of JSON or Python"));
        }
        Ok(Value::Number(number))
    }

    /// Letters, digits and signs that stand together.
    fn word(&mut self) -> &'a [u8] {
        let start = self.at;
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-._".contains(byte);
        while self.text.get(self.at).is_some_and(is_word) {
            self.at += 1;
        }
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// A text in quotes, from the opening one.
    fn quoted(&mut self, quote: u8) -> Result<Value<'a>, Error> {
        self.at += 1;
        let start = self.at;
        let mut decoded: Option<Vec<u8>> = None;
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let Some(len) = memchr::memchr2(quote, b'\\', rest) else {
                let len = self.text.len() - start;
                limits::check_len("a text", len, limits::TEXT, || format!("byte {start}"))?;
                self.at = start;
                return Err(self.fault("a text is not closed"));
            };
            let plain = rest.get(..len).unwrap_or_default();
            self.at += len;
            let len = self.at - start;
            limits::check_len("a text", len, limits::TEXT, || format!("byte {start}"))?;
            if self.text.get(self.at) == Some(&quote) {
                let whole = self.text.get(start..self.at).unwrap_or_default();
                self.at += 1;
                let Some(mut bytes) = decoded else {
                    let text = String::from_utf8_lossy(whole);
                    self.tree.num_repaired_texts += u64::from(matches!(text, Cow::Owned(_)));
                    return Ok(Value::Text(text));
                };
                bytes.extend_from_slice(plain);
                let text = String::from_utf8(bytes).unwrap_or_else(|error| {
                    self.tree.num_repaired_texts += 1;
                    String::from_utf8_lossy(error.as_bytes()).into_owned()
                });
                return Ok(Value::Text(Cow::Owned(text)));
            }
            let bytes = decoded.get_or_insert_default();
            bytes.extend_from_slice(plain);
            self.at += 1;
            let escaped = escape::decode(self.text.get(self.at..).unwrap_or_default());
            let Some((c, len)) = escaped else {
                return Err(self.fault("an escape in a text stands for nothing"));
            };
            bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            self.at += len;
        }
    }
}

/// Number of a value; [`limits::VALUES`] is far below the largest.
fn index(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn parse(text: &[u8]) -> Result<JsonTree<'_>, Error> {
        JsonTree::parse(text, Format::Hatchet, &Progress::silent())
    }

    #[test]
    fn json_and_python_are_read() {
        let json =
            br#" {"a": [1, -2.5e3, null, true, {}], "b\u00e9\ud83d\ude00\n\"": "x", "a": NaN} "#;
        let tree = parse(json).unwrap();
        let keys: Vec<&str> = tree.root().members().map(|(key, _)| key).collect();
        assert_eq!(keys, ["a", "b\u{e9}\u{1f600}\n\"", "a"]);
        assert!(tree.root().get("a").unwrap().as_f64().unwrap().is_nan());
        let python = br"[{'frame': {'name': u'it\'s', 'n': 12L,}, 'metrics': (), 1: None}, True, ]";
        let tree = parse(python).unwrap();
        let first = tree.root().elements().next().unwrap();
        let frame = first.get("frame").unwrap();
        assert_eq!(frame.get("name").unwrap().as_text(), Some("it's"));
        assert_eq!(frame.get("n").unwrap().as_i64(), Some(12));
        assert_eq!(first.get("metrics").unwrap().elements().count(), 0);
        assert_eq!(first.get("1").unwrap().value(), &Value::Null);
        assert_eq!(tree.root().elements().count(), 2);
        let numpy = parse(b"[np.float64(-2.5e3), numpy.int64(7), np.float64(nan)]").unwrap();
        let numbers: Vec<f64> = numpy.root().elements().filter_map(Item::as_f64).collect();
        assert_eq!(numbers[..2], [-2.5e3, 7.0]);
        assert!(numbers[2].is_nan());
        for text in [
            "[np.float64(1]",
            "[np.float64(np.float64(1))]",
            "[np.float64()]",
            "[f(1)]",
        ] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn faults_are_refused_with_their_place() {
        let texts: [&[u8]; 14] = [
            b"",
            b" ",
            b"{",
            b"[1",
            b"[1 2]",
            b"{\"a\" 1}",
            b"{\"a\":}",
            b"{\"a\":1",
            b"]",
            b"[1}",
            b"\"a",
            b"\"\\x1\"",
            b"tru",
            b"1 2",
        ];
        let faults: Vec<String> = texts
            .iter()
            .map(|text| parse(text).unwrap_err().to_string())
            .collect();
        assert!(
            faults.iter().all(|fault| fault.contains(", at byte ")),
            "{faults:?}"
        );
        assert!(faults[4].contains("comma"), "{}", faults[4]);
    }

    #[test]
    fn bad_bytes_are_replaced_and_counted() {
        let tree = parse(b"[\"\xff\", \"a\\n\xfe\", \"\\ud800\"]").unwrap();
        let texts = tree.root().elements().filter_map(Item::as_text);
        assert!(texts.eq(["\u{fffd}", "a\n\u{fffd}", "\u{fffd}"]));
        assert_eq!(tree.num_repaired_texts, 2);
    }

    #[test]
    fn a_million_levels_are_as_quick_as_a_million_values() {
        let start = Instant::now();
        let deep = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
        assert_eq!(parse(deep.as_bytes()).unwrap().root().elements().count(), 1);
        let open = parse(&deep.as_bytes()[..1_000_000]).unwrap_err();
        assert!(open.to_string().contains("ends before"));
        assert!(parse("{\"a\":".repeat(1_000_000).as_bytes()).is_err());
        assert!(start.elapsed().as_secs() < 20);
    }
}
