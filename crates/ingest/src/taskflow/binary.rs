//! The binary form: blocks of segments per worker and level, with a table of names.

use sheaf_model::Report;

use super::{MAGIC, Profile, Segment};
use crate::{Error, Format};

/// The version that is known.
const VERSION: u16 = 1;

/// Kinds of tasks by their number.
const KINDS: [&str; 5] = ["static", "subflow", "condition", "module", "async"];

/// Reads a whole file; what ends early is kept up to there.
pub(super) fn read(bytes: &[u8]) -> Result<Profile, Error> {
    let mut cursor = Cursor { bytes, at: 0 };
    let mut profile = Profile {
        cuts_names: true,
        ..Profile::default()
    };
    let header = header(&mut cursor);
    let (version, executors) =
        header.ok_or_else(|| malformed(bytes.len(), "the header is cut".to_owned()))?;
    if version != VERSION {
        let reason = format!("version `{version}` is not known, only `{VERSION}` is");
        return Err(malformed(MAGIC.len(), reason));
    }
    profile.version = Some(version);
    for executor in 0..executors {
        if executor_of(&mut cursor, executor, &mut profile).is_none() {
            let at = cursor.at;
            let place = || Some(format!("byte {at}"));
            profile.report.add("repaired_truncated_tail", 1, place);
            profile.is_truncated = true;
            break;
        }
        profile.executors = executor + 1;
    }
    let left = bytes.len().saturating_sub(cursor.at) as u64;
    if !profile.is_truncated && left > 0 {
        let at = cursor.at;
        let place = || Some(format!("byte {at}"));
        profile.report.add("skipped_trailing_bytes", left, place);
    }
    Ok(profile)
}

fn malformed(at: usize, reason: String) -> Error {
    Error::malformed(Format::Taskflow, format!("byte {at}"), reason)
}

/// Version and number of executors.
fn header(cursor: &mut Cursor<'_>) -> Option<(u16, u32)> {
    cursor.take(MAGIC.len())?;
    let version = u16::from_le_bytes(cursor.array()?);
    let _flags: [u8; 2] = cursor.array()?;
    Some((version, u32::from_le_bytes(cursor.array()?)))
}

/// One executor; `None` when the file ends in it.
fn executor_of(cursor: &mut Cursor<'_>, executor: u32, profile: &mut Profile) -> Option<()> {
    let _uid: [u8; 8] = cursor.array()?;
    let origin = i64::from_le_bytes(cursor.array()?);
    let names_len = u32::from_le_bytes(cursor.array()?) as usize;
    let blocks = u32::from_le_bytes(cursor.array()?);
    profile.origins.push(origin);
    let names = cursor.take(names_len)?;
    for _ in 0..blocks {
        let worker = u32::from_le_bytes(cursor.array()?);
        let level = u32::from_le_bytes(cursor.array()?);
        let count = u32::from_le_bytes(cursor.array()?);
        let mut begin = 0_i64;
        for index in 0..count {
            let place = cursor.at;
            let delta = cursor.varint()?;
            let duration = cursor.varint()?.cast_signed();
            let offset = u32::from_le_bytes(cursor.array()?) as usize;
            let [packed] = cursor.array()?;
            begin = begin.wrapping_add(delta.cast_signed());
            let Some(end) = begin.checked_add(duration).filter(|end| *end >= begin) else {
                let place = || Some(format!("byte {place}"));
                profile.report.add("skipped_times", 1, place);
                continue;
            };
            let name = name(names, offset, packed & 0x1f, place, &mut profile.report);
            profile.segments.push(Segment {
                executor,
                worker,
                level,
                index,
                begin,
                end,
                name,
                kind: kind(packed >> 5),
            });
        }
    }
    Some(())
}

fn name(names: &[u8], offset: usize, len: u8, place: usize, report: &mut Report) -> Option<String> {
    if len == 0 {
        return None;
    }
    let end = offset.checked_add(usize::from(len));
    let Some(bytes) = end.and_then(|end| names.get(offset..end)) else {
        report.add("skipped_names", 1, || Some(format!("byte {place}")));
        return None;
    };
    // A name that is cut may end inside a character.
    let text = String::from_utf8_lossy(bytes).into_owned();
    if std::str::from_utf8(bytes).is_err() {
        report.add("repaired_names", 1, || Some(format!("byte {place}")));
    }
    Some(text)
}

fn kind(number: u8) -> String {
    let known = KINDS.get(usize::from(number));
    known.map_or_else(|| format!("type {number}"), |&kind| kind.to_owned())
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(len)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    /// Seven bits per byte, low first; what exceeds 64 bits is dropped.
    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        let mut shift = 0_u32;
        loop {
            let [byte] = self.array()?;
            let bits = u64::from(byte & 0x7f);
            value |= bits.checked_shl(shift).unwrap_or(0);
            shift = shift.saturating_add(7);
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
    }
}
