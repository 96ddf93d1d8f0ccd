//! The JSON form, whose writer does not escape names.

use crate::json_pull::{JsonFault, JsonPull};
use crate::{Error, Format};

use super::{Profile, Segment};

/// Bytes of a name beyond which it cannot be one.
const NAME_LIMIT: usize = 64 << 10;

/// Reads a whole text; what is cut off or broken beyond repair is left out and counted.
pub(super) fn read(text: &[u8]) -> Result<Profile, Error> {
    let mut reader = JsonReader {
        json: JsonPull::new(text)?,
        profile: Profile::default(),
        key: Vec::new(),
        value: Vec::new(),
    };
    match reader.executors() {
        Ok(()) => {}
        Err(JsonFault::End) => reader.note_truncated(),
        Err(JsonFault::Syntax) => {
            let at = reader.json.offset();
            let left = (text.len() as u64).saturating_sub(at);
            let place = || Some(format!("byte {at}"));
            reader.profile.report.add("skipped_bytes", left, place);
            reader.profile.is_truncated = true;
        }
        Err(JsonFault::Input(error)) => return Err(error),
    }
    if reader.profile.segments.is_empty() && reader.profile.is_truncated {
        let at = format!("byte {}", reader.json.offset());
        let reason = "no segment stands before the text ends or breaks";
        return Err(Error::malformed(Format::Taskflow, at, reason));
    }
    Ok(reader.profile)
}

struct JsonReader<'a> {
    json: JsonPull<&'a [u8]>,
    profile: Profile,
    key: Vec<u8>,
    value: Vec<u8>,
}

impl JsonReader<'_> {
    fn executors(&mut self) -> Result<(), JsonFault> {
        self.json.require(b'[')?;
        while self.json.has_member(b']')? {
            let executor = self.profile.executors;
            self.profile.executors += 1;
            self.json.require(b'{')?;
            while self.json.has_member(b'}')? {
                self.json.key(&mut self.key)?;
                if self.key == b"data" {
                    self.json.require(b'[')?;
                    while self.json.has_member(b']')? {
                        self.block(executor)?;
                    }
                } else {
                    self.json.skip()?;
                }
            }
        }
        Ok(())
    }

    /// The segments of one worker and level, which may be named before or after them.
    fn block(&mut self, executor: u32) -> Result<(), JsonFault> {
        let first = self.profile.segments.len();
        let (mut worker, mut level) = (None, None);
        self.json.require(b'{')?;
        let result = self.block_members(executor, &mut worker, &mut level);
        let at = self.json.offset();
        let (Some(worker), Some(level)) = (worker, level) else {
            let lost = (self.profile.segments.len() - first) as u64;
            self.profile.segments.truncate(first);
            let place = || Some(format!("byte {at}"));
            self.profile.report.add("skipped_segments", lost, place);
            return result;
        };
        for segment in self.profile.segments.iter_mut().skip(first) {
            (segment.worker, segment.level) = (worker, level);
            // The writer's stand-in for a missing name.
            let stand_in = format!("{worker}_{}", segment.index);
            segment.name.take_if(|name| *name == stand_in);
        }
        result
    }

    fn block_members(
        &mut self,
        executor: u32,
        worker: &mut Option<u32>,
        level: &mut Option<u32>,
    ) -> Result<(), JsonFault> {
        while self.json.has_member(b'}')? {
            self.json.key(&mut self.key)?;
            match self.key.as_slice() {
                b"worker" => *worker = self.number()?.and_then(|it| u32::try_from(it).ok()),
                b"level" => *level = self.number()?.and_then(|it| u32::try_from(it).ok()),
                b"data" => self.segments(executor)?,
                _ => self.json.skip()?,
            }
        }
        Ok(())
    }

    fn segments(&mut self, executor: u32) -> Result<(), JsonFault> {
        self.json.require(b'[')?;
        let mut index = 0;
        while self.json.has_member(b']')? {
            let at = self.json.offset();
            match self.segment(executor, index) {
                Err(JsonFault::Syntax) => {
                    let place = || Some(format!("byte {at}"));
                    self.profile.report.add("skipped_segments", 1, place);
                    self.json.find(b'{', b'"')?;
                }
                result => result?,
            }
            index += 1;
        }
        Ok(())
    }

    fn segment(&mut self, executor: u32, index: u32) -> Result<(), JsonFault> {
        let at = self.json.offset();
        let (mut span, mut name, mut kind) = (None, None, String::new());
        self.json.require(b'{')?;
        while self.json.has_member(b'}')? {
            self.json.key(&mut self.key)?;
            match self.key.as_slice() {
                b"span" => span = self.span()?,
                b"name" => name = Some(self.name()?),
                b"type" => {
                    self.json.string(&mut self.value, NAME_LIMIT)?;
                    kind = String::from_utf8_lossy(&self.value).into_owned();
                }
                _ => self.json.skip()?,
            }
        }
        let place = || Some(format!("byte {at}"));
        let Some((begin, end)) = span else {
            self.profile.report.add("skipped_segments", 1, place);
            return Ok(());
        };
        if end < begin {
            self.profile.report.add("skipped_times", 1, place);
            return Ok(());
        }
        self.profile.segments.push(Segment {
            executor,
            worker: 0,
            level: 0,
            index,
            begin,
            end,
            name,
            kind,
        });
        Ok(())
    }

    fn number(&mut self) -> Result<Option<i64>, JsonFault> {
        let is_there = self.json.scalar(&mut self.value, NAME_LIMIT)?;
        let text = std::str::from_utf8(&self.value).ok();
        Ok(text.filter(|_| is_there).and_then(|text| text.parse().ok()))
    }

    fn span(&mut self) -> Result<Option<(i64, i64)>, JsonFault> {
        self.json.require(b'[')?;
        let mut times = Vec::new();
        while self.json.has_member(b']')? {
            let time = self.number()?;
            if times.len() < 3 {
                times.push(time);
            }
        }
        Ok(match times.as_slice() {
            &[Some(begin), Some(end)] => Some((begin, end)),
            _ => None,
        })
    }

    /// A name, which ends at the quote that is followed by another member or by the segment's
    /// end. It is decoded where it is valid JSON, and else taken as it stands.
    fn name(&mut self) -> Result<String, JsonFault> {
        let at = self.json.offset();
        self.json.require(b'"')?;
        self.value.clear();
        loop {
            let ahead = self.json.ahead(AHEAD)?;
            let Some(&byte) = ahead.first() else {
                return Err(JsonFault::End);
            };
            if byte == b'"' && ends_name(ahead.get(1..).unwrap_or_default()) {
                self.json.take();
                break;
            }
            if self.value.len() == NAME_LIMIT {
                return Err(JsonFault::Syntax);
            }
            self.value.push(byte);
            self.json.take();
        }
        let quoted = [b"\"", self.value.as_slice(), b"\""].concat();
        if let Ok(name) = serde_json::from_slice(&quoted) {
            return Ok(name);
        }
        let place = || Some(format!("byte {at}"));
        self.profile.report.add("repaired_names", 1, place);
        Ok(String::from_utf8_lossy(&self.value).into_owned())
    }

    fn note_truncated(&mut self) {
        let at = self.json.offset();
        let place = || Some(format!("byte {at}"));
        self.profile.report.add("repaired_truncated_tail", 1, place);
        self.profile.is_truncated = true;
    }
}

/// Bytes that show whether a quote ends a name.
const AHEAD: usize = 64;

/// Whether text can follow the name of a segment.
fn ends_name(text: &[u8]) -> bool {
    let rest = text.trim_ascii_start();
    if let Some(rest) = rest.strip_prefix(b"}") {
        let rest = rest.trim_ascii_start();
        return rest.is_empty() || rest.starts_with(b",") || rest.starts_with(b"]");
    }
    let Some(rest) = rest.strip_prefix(b",") else {
        return rest.is_empty();
    };
    let rest = rest.trim_ascii_start();
    [b"\"type\"", b"\"span\""]
        .iter()
        .filter_map(|key| rest.strip_prefix(*key))
        .any(|rest| rest.trim_ascii_start().starts_with(b":"))
}
