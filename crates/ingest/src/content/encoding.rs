//! Texts that are not plain UTF-8: with a byte order mark, or in UTF-16.

use std::io::{self, Read};

/// Byte order mark of UTF-8.
pub(super) const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";

/// Bytes of UTF-16 that one read asks for.
const PIECE: usize = 64 << 10;

/// How the beginning of a content is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    /// Bytes as they are.
    Plain,
    /// UTF-8 with a byte order mark.
    Marked,
    /// UTF-16, with a byte order mark or without.
    Utf16(Order),
}

/// Which byte of two is first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    LowFirst,
    HighFirst,
}

impl Encoding {
    /// The encoding by the first bytes. Without a mark a text is UTF-16 if its first eight characters are
    /// printable ASCII with a zero each, which no binary format that is read begins with.
    pub(super) fn of(start: &[u8]) -> Self {
        const LEN: usize = 16;
        match start {
            [0xef, 0xbb, 0xbf, ..] => return Self::Marked,
            [0xff, 0xfe, ..] => return Self::Utf16(Order::LowFirst),
            [0xfe, 0xff, ..] => return Self::Utf16(Order::HighFirst),
            _ => {}
        }
        let is_text = |byte: u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
        let pairs = start.get(..LEN).unwrap_or_default();
        let all = |is_pair: fn(u8, u8) -> (u8, u8)| {
            !pairs.is_empty()
                && pairs.chunks_exact(2).all(|pair| match pair {
                    &[first, second] => {
                        let (low, high) = is_pair(first, second);
                        high == 0 && is_text(low)
                    }
                    _ => false,
                })
        };
        if all(|first, second| (first, second)) {
            Self::Utf16(Order::LowFirst)
        } else if all(|first, second| (second, first)) {
            Self::Utf16(Order::HighFirst)
        } else {
            Self::Plain
        }
    }
}

/// UTF-16 as UTF-8, without its byte order mark. Halves of pairs that stand alone, and a last odd byte, become
/// replacement characters.
pub(super) struct Utf16<R> {
    source: R,
    order: Order,
    /// The first byte of a unit whose second is not read yet.
    odd: Option<u8>,
    /// The first half of a pair.
    high: Option<u16>,
    is_begun: bool,
    is_ended: bool,
    /// Text that is not taken yet is `text[at..]`.
    text: Vec<u8>,
    at: usize,
}

impl<R: Read> Utf16<R> {
    pub(super) fn new(source: R, order: Order) -> Self {
        Self {
            source,
            order,
            odd: None,
            high: None,
            is_begun: false,
            is_ended: false,
            text: Vec::new(),
            at: 0,
        }
    }

    /// Decodes the next piece.
    fn refill(&mut self) -> io::Result<()> {
        self.text.clear();
        self.at = 0;
        let mut piece = vec![0; PIECE];
        let len = self.source.read(&mut piece)?;
        if len == 0 {
            self.is_ended = true;
            if self.high.take().is_some() || self.odd.take().is_some() {
                self.push(char::REPLACEMENT_CHARACTER);
            }
            return Ok(());
        }
        for &byte in piece.iter().take(len) {
            match self.odd.take() {
                None => self.odd = Some(byte),
                Some(first) => self.unit(match self.order {
                    Order::LowFirst => u16::from_le_bytes([first, byte]),
                    Order::HighFirst => u16::from_be_bytes([first, byte]),
                }),
            }
        }
        Ok(())
    }

    fn unit(&mut self, unit: u16) {
        let is_mark = !std::mem::replace(&mut self.is_begun, true) && unit == 0xfeff;
        if is_mark {
            return;
        }
        if let Some(high) = self.high.take() {
            let pair = char::decode_utf16([high, unit]).next();
            if let (Some(Ok(found)), true) = (pair, is_low(unit)) {
                return self.push(found);
            }
            self.push(char::REPLACEMENT_CHARACTER);
        }
        if is_high(unit) {
            self.high = Some(unit);
        } else {
            let found = char::from_u32(u32::from(unit));
            self.push(found.unwrap_or(char::REPLACEMENT_CHARACTER));
        }
    }

    fn push(&mut self, found: char) {
        let mut buffer = [0; 4];
        self.text
            .extend_from_slice(found.encode_utf8(&mut buffer).as_bytes());
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.text.len() && !self.is_ended {
            self.refill()?;
        }
        let rest = self.text.get(self.at..).unwrap_or_default();
        let len = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..len), rest.get(..len)) {
            to.copy_from_slice(from);
        }
        self.at += len;
        Ok(len)
    }
}

/// Whether it is the first half of a pair.
fn is_high(unit: u16) -> bool {
    (0xd800..0xdc00).contains(&unit)
}

/// Whether it is the second half of a pair.
fn is_low(unit: u16) -> bool {
    (0xdc00..0xe000).contains(&unit)
}
