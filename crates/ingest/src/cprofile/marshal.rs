//! Python's marshal format, as far as statistics of profilers need it; Python 2 and 3.

use std::borrow::Cow;

use sheaf_model::Progress;

use crate::{Error, Format, limits};

/// One value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value<'a> {
    Integer(i64),
    Float(f64),
    /// Text, or bytes: Python 2 does not distinguish them.
    Text(&'a [u8]),
    /// A tuple or list.
    Tuple,
    Dictionary,
    /// The value with that number.
    Reference(u32),
    /// None, truth values, and what statistics have no use for.
    Other,
}

/// A value with the number after all that is inside it.
#[derive(Debug)]
struct Entry<'a> {
    value: Value<'a>,
    end: u32,
}

/// All values, each before those inside it; keys of dictionaries stand before their values.
#[derive(Debug)]
pub(super) struct Values<'a> {
    entries: Vec<Entry<'a>>,
    /// Bytes after the outermost value.
    pub(super) num_trailing: usize,
}

impl<'a> Values<'a> {
    /// Decodes one value, without recursion; sizes that the data claim are never believed.
    ///
    /// # Errors
    /// [`Error::Malformed`] where the data end early or hold a type that statistics do not;
    /// [`Error::Cancelled`].
    pub(super) fn decode(data: &'a [u8], progress: &Progress) -> Result<Self, Error> {
        let mut decoder = Decoder {
            data,
            at: 0,
            entries: Vec::new(),
            references: Vec::new(),
            interned: Vec::new(),
            open: Vec::new(),
        };
        decoder.values(progress)?;
        Ok(Self {
            num_trailing: data.len() - decoder.at,
            entries: decoder.entries,
        })
    }

    /// The value with a number, and its number, references followed.
    pub(super) fn get(&self, number: u32) -> (Value<'a>, u32) {
        let value_at = |number: u32| {
            let entry = self.entries.get(number as usize);
            entry.map_or(Value::Other, |entry| entry.value)
        };
        match value_at(number) {
            // What is referred to is not a reference itself.
            Value::Reference(target) => (value_at(target), target),
            value => (value, number),
        }
    }

    /// Numbers of the values in a tuple or dictionary.
    pub(super) fn inside(&self, number: u32) -> impl Iterator<Item = u32> {
        let (value, number) = self.get(number);
        let is_open = matches!(value, Value::Tuple | Value::Dictionary);
        let end = self
            .entries
            .get(number as usize)
            .map_or(0, |entry| entry.end);
        let mut next = if is_open { number + 1 } else { end };
        std::iter::from_fn(move || {
            let entry = self.entries.get(next as usize).filter(|_| next < end)?;
            let found = next;
            next = entry.end;
            Some(found)
        })
    }

    pub(super) fn integer(&self, number: u32) -> Option<i64> {
        match self.get(number).0 {
            Value::Integer(integer) => Some(integer),
            _ => None,
        }
    }

    pub(super) fn float(&self, number: u32) -> Option<f64> {
        match self.get(number).0 {
            Value::Integer(integer) => Some(integer as f64),
            Value::Float(float) => Some(float),
            _ => None,
        }
    }
}

/// The text of bytes; what is not UTF-8 is replaced.
pub(super) fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// A tuple or dictionary that is being read.
struct Open {
    at: u32,
    /// Values that are still to come; dictionaries end with a mark instead.
    left: Option<u32>,
    /// Whether a dictionary's key comes next.
    is_key: bool,
}

struct Decoder<'a> {
    data: &'a [u8],
    at: usize,
    entries: Vec<Entry<'a>>,
    /// Values that may be referred to, by number of reference.
    references: Vec<u32>,
    /// Texts that Python 2 refers to.
    interned: Vec<u32>,
    open: Vec<Open>,
}

impl<'a> Decoder<'a> {
    fn values(&mut self, progress: &Progress) -> Result<(), Error> {
        loop {
            if self.entries.len().is_multiple_of(65_536) {
                progress.check()?;
            }
            let start = self.at;
            let [code] = self.take()?;
            let kind = code & 0x7f;
            let is_end = self
                .open
                .last()
                .is_some_and(|open| open.left.is_none() && open.is_key);
            if kind == b'0' && is_end {
                self.close();
            } else {
                self.value(kind, code & 0x80 != 0, start)?;
            }
            while self.open.last().is_some_and(|open| open.left == Some(0)) {
                self.close();
            }
            if self.open.is_empty() {
                return Ok(());
            }
        }
    }

    /// Reads a value of a kind; opens it where values are inside.
    fn value(&mut self, kind: u8, is_referred: bool, start: usize) -> Result<(), Error> {
        let at = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        limits::make_room(&mut self.entries, limits::MARSHALLED_VALUES, start)?;
        if is_referred {
            self.references.push(at);
        }
        if let Some(open) = self.open.last_mut() {
            open.is_key = !open.is_key;
            if let Some(left) = &mut open.left {
                *left -= 1;
            }
        }
        let inside = match kind {
            b'(' | b'[' | b'<' | b'>' => Some(Some(u32::from_le_bytes(self.take()?))),
            b')' => Some(Some(u8::from_le_bytes(self.take()?).into())),
            b'{' => Some(None),
            _ => None,
        };
        let value = match (kind, inside) {
            (b'{', _) => Value::Dictionary,
            (b'(' | b'[' | b')', _) => Value::Tuple,
            (b'<' | b'>', _) => Value::Other,
            _ => self.scalar(kind, at, start)?,
        };
        self.entries.push(Entry { value, end: at + 1 });
        if let Some(left) = inside {
            self.open.push(Open {
                at,
                left,
                is_key: true,
            });
        }
        Ok(())
    }

    fn close(&mut self) {
        let end = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        let open = self.open.pop();
        if let Some(entry) = open.and_then(|open| self.entries.get_mut(open.at as usize)) {
            entry.end = end;
        }
    }

    fn scalar(&mut self, kind: u8, at: u32, start: usize) -> Result<Value<'a>, Error> {
        Ok(match kind {
            b'i' => Value::Integer(i32::from_le_bytes(self.take()?).into()),
            b'I' => Value::Integer(i64::from_le_bytes(self.take()?)),
            b'l' => self.long()?,
            b'g' => Value::Float(f64::from_le_bytes(self.take()?)),
            b'f' => {
                let [len] = self.take()?;
                let digits = std::str::from_utf8(self.bytes(len.into())?).unwrap_or_default();
                Value::Float(digits.parse().unwrap_or(f64::NAN))
            }
            b's' | b'u' | b'a' | b'A' => self.long_text()?,
            b't' => {
                self.interned.push(at);
                self.long_text()?
            }
            b'z' | b'Z' => {
                let [len] = self.take()?;
                Value::Text(self.bytes(len.into())?)
            }
            b'r' | b'R' => {
                let number = u32::from_le_bytes(self.take()?);
                let known = if kind == b'r' {
                    &self.references
                } else {
                    &self.interned
                };
                let target = known.get(number as usize).copied();
                let target =
                    target.ok_or_else(|| fault(start, "a reference points to no value"))?;
                let is_value = self.entries.get(target as usize);
                match is_value.map(|entry| entry.value) {
                    Some(Value::Reference(_)) | None => Value::Other,
                    Some(_) => Value::Reference(target),
                }
            }
            b'N' | b'T' | b'F' | b'S' | b'.' => Value::Other,
            b'0' => return Err(fault(start, "a value is missing")),
            _ => {
                let shown = char::from(kind).escape_default();
                let reason = format!("values of type `{shown}` are in no statistics of cProfile");
                return Err(fault(start, &reason));
            }
        })
    }

    fn long_text(&mut self) -> Result<Value<'a>, Error> {
        let len = u32::from_le_bytes(self.take()?);
        let at = self.at;
        let text = self.bytes(len as usize)?;
        limits::check_len("a text", text.len(), limits::TEXT, || format!("byte {at}"))?;
        Ok(Value::Text(text))
    }

    /// An integer of any length, in digits of 15 bits.
    fn long(&mut self) -> Result<Value<'a>, Error> {
        let len = i32::from_le_bytes(self.take()?);
        let digits = self.bytes((len.unsigned_abs() as usize).saturating_mul(2))?;
        let mut size = Some(0_i64);
        for digit in digits.chunks_exact(2).rev() {
            let digit = i64::from(u16::from_le_bytes([digit[0], digit[1]]));
            size = size.and_then(|size| size.checked_mul(1 << 15)?.checked_add(digit));
        }
        Ok(match size {
            Some(size) if len < 0 => Value::Integer(-size),
            Some(size) => Value::Integer(size),
            None => Value::Other,
        })
    }

    fn bytes(&mut self, len: usize) -> Result<&'a [u8], Error> {
        let end = self.at.checked_add(len);
        let found = end.and_then(|end| self.data.get(self.at..end));
        let found = found.ok_or_else(|| fault(self.at, "the data end within a value"))?;
        self.at += len;
        Ok(found)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let bytes = self.bytes(N)?;
        bytes
            .try_into()
            .map_err(|_| fault(self.at, "the data end within a value"))
    }
}

fn fault(at: usize, reason: &str) -> Error {
    Error::malformed(Format::CProfile, format!("byte {at}"), reason)
}
