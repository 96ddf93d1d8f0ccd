//! JSON texts as streams: values are taken one after the other, in bounded memory, at any depth.
//!
//! Texts may end anywhere and break their grammar; whoever reads them decides what to make of
//! that. Commas and colons are for the caller to ask for.

use std::io::Read;

use memchr::memchr2;

use crate::Error;

/// Bytes that are in memory at a time.
const BUFFER: usize = 256 << 10;

/// Why there is no next value.
#[derive(Debug)]
pub(crate) enum JsonFault {
    /// The text ended.
    End,
    /// Something else than was expected stands here.
    Syntax,
    /// The bytes could not be had.
    Input(Error),
}

/// A text of which a piece is in memory.
pub(crate) struct JsonPull<R> {
    source: R,
    buffer: Vec<u8>,
    /// What is not taken yet is `buffer[at..end]`.
    at: usize,
    end: usize,
    /// Bytes before the buffer.
    before: u64,
    is_exhausted: bool,
}

impl<R: Read> JsonPull<R> {
    /// The text from its beginning, without a byte order mark.
    pub(crate) fn new(source: R) -> Result<Self, Error> {
        let mut text = Self {
            source,
            buffer: vec![0; BUFFER],
            at: 0,
            end: 0,
            before: 0,
            is_exhausted: false,
        };
        match text.ahead(3) {
            Ok(start) if start.starts_with(b"\xef\xbb\xbf") => text.at += 3,
            Err(JsonFault::Input(error)) => return Err(error),
            _ => {}
        }
        Ok(text)
    }

    /// Bytes taken so far.
    pub(crate) fn offset(&self) -> u64 {
        self.before + self.at as u64
    }

    /// The next `len` bytes, or as many as there are.
    pub(crate) fn ahead(&mut self, len: usize) -> Result<&[u8], JsonFault> {
        while self.end - self.at < len && !self.is_exhausted {
            self.refill()?;
        }
        let end = self.end.min(self.at + len);
        Ok(self.buffer.get(self.at..end).unwrap_or_default())
    }

    fn refill(&mut self) -> Result<(), JsonFault> {
        self.buffer.copy_within(self.at..self.end, 0);
        self.before += self.at as u64;
        self.end -= self.at;
        self.at = 0;
        let free = self.buffer.get_mut(self.end..).unwrap_or_default();
        match self.source.read(free) {
            Ok(0) => self.is_exhausted = true,
            Ok(read) => self.end += read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(JsonFault::Input(error.into())),
        }
        Ok(())
    }

    /// What is in memory and not taken yet; never empty.
    fn piece(&mut self) -> Result<&[u8], JsonFault> {
        while self.at == self.end {
            if self.is_exhausted {
                return Err(JsonFault::End);
            }
            self.refill()?;
        }
        self.buffer.get(self.at..self.end).ok_or(JsonFault::End)
    }

    fn byte(&mut self) -> Result<u8, JsonFault> {
        if self.at == self.end {
            self.piece()?;
        }
        self.buffer.get(self.at).copied().ok_or(JsonFault::End)
    }

    /// The next byte that is not white space; it is not taken.
    pub(crate) fn token(&mut self) -> Result<u8, JsonFault> {
        loop {
            match self.byte()? {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                byte => return Ok(byte),
            }
        }
    }

    /// Takes the byte that [`JsonPull::token`] gave.
    pub(crate) fn take(&mut self) {
        self.at = self.end.min(self.at + 1);
    }

    /// Takes `byte`, which must be the next token.
    pub(crate) fn require(&mut self, byte: u8) -> Result<(), JsonFault> {
        if self.token()? != byte {
            return Err(JsonFault::Syntax);
        }
        self.take();
        Ok(())
    }

    /// Takes a comma and reports that a further member follows, or takes `close` and reports that none
    /// does. A missing comma and one too many are let pass.
    pub(crate) fn has_member(&mut self, close: u8) -> Result<bool, JsonFault> {
        loop {
            match self.token()? {
                b',' => self.take(),
                byte if byte == close => {
                    self.take();
                    return Ok(false);
                }
                _ => return Ok(true),
            }
        }
    }

    /// Takes a key with its colon into `key`.
    pub(crate) fn key(&mut self, key: &mut Vec<u8>) -> Result<(), JsonFault> {
        self.string(key, KEY_LEN)?;
        self.require(b':')
    }

    /// Takes a string into `out`, at most `limit` bytes of it; the rest is dropped.
    pub(crate) fn string(&mut self, out: &mut Vec<u8>, limit: usize) -> Result<(), JsonFault> {
        out.clear();
        self.require(b'"')?;
        loop {
            let piece = self.piece()?;
            let stop = memchr2(b'"', b'\\', piece);
            let len = stop.unwrap_or(piece.len());
            let kept = len.min(limit.saturating_sub(out.len()));
            out.extend_from_slice(piece.get(..kept).unwrap_or_default());
            let found = stop.and_then(|stop| piece.get(stop)).copied();
            self.at += len;
            match found {
                Some(b'"') => {
                    self.take();
                    return Ok(());
                }
                Some(_) => {
                    self.take();
                    self.escape(out, limit)?;
                }
                None => {}
            }
        }
    }

    /// Decodes what follows a backslash; what is not an escape stays as it is.
    fn escape(&mut self, out: &mut Vec<u8>, limit: usize) -> Result<(), JsonFault> {
        let letter = self.byte()?;
        self.take();
        let decoded = match letter {
            b'"' | b'\\' | b'/' => char::from(letter),
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => self.code_point()?,
            other => {
                if out.len() < limit {
                    out.extend_from_slice(&[b'\\', other]);
                }
                return Ok(());
            }
        };
        if out.len() < limit {
            let mut bytes = [0; 4];
            out.extend_from_slice(decoded.encode_utf8(&mut bytes).as_bytes());
        }
        Ok(())
    }

    /// The character of `\u`, of which two may make one.
    fn code_point(&mut self) -> Result<char, JsonFault> {
        let Some(first) = hex(self.ahead(4)?) else {
            return Ok(char::REPLACEMENT_CHARACTER);
        };
        self.at += 4;
        if !(0xd800..0xdc00).contains(&first) {
            return Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        let second = self.ahead(6)?.strip_prefix(b"\\u").and_then(hex);
        match second {
            Some(second) if (0xdc00..0xe000).contains(&second) => {
                self.at += 6;
                let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
            }
            _ => Ok(char::REPLACEMENT_CHARACTER),
        }
    }

    /// Takes a number, a word, or a string into `out`; of anything else, nothing: it is skipped.
    /// Says whether there was one.
    pub(crate) fn scalar(&mut self, out: &mut Vec<u8>, limit: usize) -> Result<bool, JsonFault> {
        match self.token()? {
            b'"' => self.string(out, limit)?,
            b'{' | b'[' => {
                self.skip()?;
                return Ok(false);
            }
            _ => {
                out.clear();
                self.word(|byte| {
                    if out.len() < limit {
                        out.push(byte);
                    }
                })?;
                return Ok(out != b"null");
            }
        }
        Ok(true)
    }

    /// Takes a number or word; at least one byte, so that nothing stands still.
    fn word(&mut self, mut each: impl FnMut(u8)) -> Result<(), JsonFault> {
        let mut is_empty = true;
        loop {
            // A word at the end of the text may have been longer.
            let byte = self.byte()?;
            if matches!(
                byte,
                b',' | b'}' | b']' | b':' | b'"' | b'{' | b'[' | b' ' | b'\t' | b'\n' | b'\r'
            ) {
                return if is_empty {
                    Err(JsonFault::Syntax)
                } else {
                    Ok(())
                };
            }
            is_empty = false;
            each(byte);
            self.take();
        }
    }

    /// Takes a value of any size and depth without keeping any of it.
    pub(crate) fn skip(&mut self) -> Result<(), JsonFault> {
        self.pass(|_| {})
    }

    /// Takes a value into `out` as it stands in the text; states whether it is there in full, which
    /// it is not beyond `limit` bytes.
    pub(crate) fn raw(&mut self, out: &mut Vec<u8>, limit: usize) -> Result<bool, JsonFault> {
        out.clear();
        let mut len = 0;
        self.pass(|piece| {
            len += piece.len();
            if len <= limit {
                out.extend_from_slice(piece);
            }
        })?;
        Ok(len <= limit)
    }

    /// Gives the pieces of a value; depth is counted, not followed.
    fn pass(&mut self, mut each: impl FnMut(&[u8])) -> Result<(), JsonFault> {
        match self.token()? {
            b'{' | b'[' => {}
            b'"' => return self.pass_string(&mut each),
            _ => return self.word(|byte| each(&[byte])),
        }
        let mut depth = 0_u64;
        loop {
            let piece = self.piece()?;
            let stop = piece
                .iter()
                .position(|byte| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']'));
            let Some(stop) = stop else {
                each(piece);
                self.at = self.end;
                continue;
            };
            let byte = piece.get(stop).copied().unwrap_or_default();
            let is_string = byte == b'"';
            each(
                piece
                    .get(..stop + usize::from(!is_string))
                    .unwrap_or_default(),
            );
            self.at += stop + usize::from(!is_string);
            match byte {
                b'"' => self.pass_string(&mut each)?,
                b'{' | b'[' => depth += 1,
                _ => depth -= 1,
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    fn pass_string(&mut self, each: &mut impl FnMut(&[u8])) -> Result<(), JsonFault> {
        self.take();
        each(b"\"");
        let mut is_escaped = false;
        loop {
            let piece = self.piece()?;
            if is_escaped {
                each(piece.get(..1).unwrap_or_default());
                self.take();
                is_escaped = false;
                continue;
            }
            let stop = memchr2(b'"', b'\\', piece);
            let len = stop.map_or(piece.len(), |stop| stop + 1);
            let taken = piece.get(..len).unwrap_or_default();
            each(taken);
            let last = taken.last().copied();
            self.at += len;
            match (stop, last) {
                (Some(_), Some(b'"')) => return Ok(()),
                (Some(_), _) => is_escaped = true,
                _ => {}
            }
        }
    }

    /// Takes bytes up to the next one that is `first` with `second` after it, which stay.
    pub(crate) fn find(&mut self, first: u8, second: u8) -> Result<(), JsonFault> {
        loop {
            let piece = self.piece()?;
            let Some(stop) = memchr::memchr(first, piece) else {
                self.at = self.end;
                continue;
            };
            self.at += stop;
            if self.ahead(2)?.get(1) == Some(&second) {
                return Ok(());
            }
            self.take();
        }
    }
}

/// Keys are never longer where they mean something.
const KEY_LEN: usize = 256;

fn hex(digits: &[u8]) -> Option<u32> {
    let digits = digits.get(..4).filter(|digits| digits.len() == 4)?;
    digits.iter().try_fold(0, |code, digit| {
        Some(code << 4 | char::from(*digit).to_digit(16)?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time.
    struct Drops<'a>(&'a [u8]);

    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let len = buffer.len().min(1);
            self.0.read(&mut buffer[..len])
        }
    }

    fn string(text: &str) -> Result<String, JsonFault> {
        let mut out = Vec::new();
        JsonPull::new(Drops(text.as_bytes()))
            .unwrap()
            .string(&mut out, 100)?;
        Ok(String::from_utf8_lossy(&out).into_owned())
    }

    #[test]
    fn strings_are_decoded() {
        let text = r#" "a\"\\\/\n\u00e9\ud83d\ude00\ud83d\q€" "#;
        assert_eq!(string(text).unwrap(), "a\"\\/\né😀\u{fffd}\\q€");
        assert!(matches!(string("\"cut"), Err(JsonFault::End)));
        assert!(matches!(string("cut"), Err(JsonFault::Syntax)));
    }

    #[test]
    fn values_are_passed_at_any_depth() {
        let depth = 1_000_000;
        let value = format!(
            "{}\"]}}\\\"\"{}",
            "[{\"a\":".repeat(depth),
            "}]".repeat(depth)
        );
        let text = format!("{value},7 ");
        let mut json = JsonPull::new(text.as_bytes()).unwrap();
        let mut raw = Vec::new();
        assert!(json.raw(&mut raw, usize::MAX).unwrap());
        assert_eq!(raw, value.as_bytes());
        assert!(json.has_member(b']').unwrap());
        assert!(json.scalar(&mut raw, 10).unwrap());
        assert_eq!((raw.as_slice(), json.token().is_err()), (&b"7"[..], true));
        assert_eq!(json.offset(), text.len() as u64);
    }

    #[test]
    fn limits_hold_and_the_rest_is_taken() {
        let text = format!("\"{}\"true", "x".repeat(1 << 20));
        let mut json = JsonPull::new(text.as_bytes()).unwrap();
        let mut out = Vec::new();
        json.string(&mut out, 10).unwrap();
        assert_eq!(out.len(), 10);
        assert_eq!(json.token().unwrap(), b't');
        let mut json = JsonPull::new(text.as_bytes()).unwrap();
        assert!(!json.raw(&mut out, 10).unwrap() && out.len() <= 10);
        assert_eq!(json.token().unwrap(), b't');
    }
}
