//! One event: the members that mean something to us.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Read;

use super::number;
use crate::json_pull::{JsonFault, JsonPull};
use crate::lossy;

/// Bytes of a name that are kept.
pub(super) const NAME_LIMIT: usize = 64 << 10;

/// Bytes of the arguments of an event of our own.
const ARGS_LIMIT: usize = 1 << 20;

/// An id as number or text; texts are numbers of a [`Names`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Key {
    Number(i64),
    Text(u32),
}

/// Texts, each once.
#[derive(Debug, Default)]
pub(super) struct Names {
    known: HashMap<String, u32>,
    list: Vec<String>,
    num_repaired: u64,
    first_repaired: Option<String>,
}

impl Names {
    pub(super) fn add(&mut self, bytes: &[u8]) -> u32 {
        let text = lossy::decode(bytes);
        if let Some(&at) = self.known.get(text.as_ref()) {
            return at;
        }
        if matches!(text, Cow::Owned(_)) {
            self.num_repaired += 1;
            self.first_repaired.get_or_insert_with(|| {
                let shown: String = text.chars().take(40).collect();
                format!("name `{shown}`")
            });
        }
        let at = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.known.insert(text.clone().into_owned(), at);
        self.list.push(text.into_owned());
        at
    }

    pub(super) fn get(&self, at: u32) -> &str {
        self.list.get(at as usize).map_or("", String::as_str)
    }

    /// How many texts are not UTF-8, and the first of them.
    pub(super) fn repaired(&self) -> (u64, Option<String>) {
        (self.num_repaired, self.first_repaired.clone())
    }

    /// An integer where the text prints one.
    fn key(&mut self, bytes: &[u8]) -> Key {
        number::integer(bytes).map_or_else(|| Key::Text(self.add(bytes)), Key::Number)
    }
}

/// A time as the event has it, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Time {
    #[default]
    Absent,
    /// No number, or one that no clock shows.
    Unusable,
    At(i64),
}

/// An event; its buffers are used again for the next.
#[derive(Debug, Default)]
pub(super) struct Event {
    pub(super) name: Vec<u8>,
    pub(super) category: Vec<u8>,
    /// 0 where there is none.
    pub(super) phase: u8,
    pub(super) time: Time,
    pub(super) duration: Time,
    pub(super) process: Option<Key>,
    pub(super) thread: Option<Key>,
    pub(super) id: Option<Key>,
    /// Whether the id means something within its process only.
    pub(super) is_local: bool,
    /// Whether the end of a flow is bound to the slice around it.
    pub(super) binds_around: bool,
    /// Id of an arrow that begins or ends at this event (`bind_id`).
    pub(super) bind: Option<Key>,
    /// Whether the arrow ends at the event (`flow_in`), and whether it begins there (`flow_out`).
    pub(super) flow: [bool; 2],
    pub(super) args: Args,
    /// Arguments as they stand, where the trace is an export of ours.
    pub(super) own_args: Vec<u8>,
    scratch: Vec<u8>,
    key: Vec<u8>,
}

/// Arguments that mean something.
#[derive(Debug, Default)]
pub(super) struct Args {
    pub(super) id: Option<Key>,
    pub(super) parent: Option<Key>,
    /// `file:line`.
    pub(super) source: Vec<u8>,
    /// Name of a process or thread.
    pub(super) name: Vec<u8>,
    pub(super) sort_index: Option<i64>,
    /// Whether there is a mean of several events, as compilers add it to totals.
    pub(super) has_mean: bool,
}

impl Event {
    fn clear(&mut self) {
        for text in [
            &mut self.name,
            &mut self.category,
            &mut self.args.source,
            &mut self.args.name,
            &mut self.own_args,
        ] {
            text.clear();
        }
        (self.phase, self.time, self.duration) = (0, Time::Absent, Time::Absent);
        (self.process, self.thread, self.id) = (None, None, None);
        (self.is_local, self.binds_around) = (false, false);
        (self.bind, self.flow) = (None, [false; 2]);
        (self.args.id, self.args.parent, self.args.sort_index) = (None, None, None);
        self.args.has_mean = false;
    }

    /// Takes an event, of which a part may be there when the text breaks off.
    pub(super) fn read<R: Read>(
        &mut self,
        json: &mut JsonPull<R>,
        names: &mut Names,
        is_own: bool,
    ) -> Result<(), JsonFault> {
        self.clear();
        json.require(b'{')?;
        let mut key = std::mem::take(&mut self.key);
        let result = self.members(json, names, is_own, &mut key);
        self.key = key;
        result
    }

    fn members<R: Read>(
        &mut self,
        json: &mut JsonPull<R>,
        names: &mut Names,
        is_own: bool,
        key: &mut Vec<u8>,
    ) -> Result<(), JsonFault> {
        while json.has_member(b'}')? {
            json.key(key)?;
            match key.as_slice() {
                b"name" => text(json, &mut self.name)?,
                b"cat" => text(json, &mut self.category)?,
                b"ph" => {
                    let is_there = json.scalar(&mut self.scratch, NAME_LIMIT)?;
                    self.phase = match self.scratch.as_slice() {
                        &[phase] if is_there => phase,
                        _ => 0,
                    };
                }
                b"ts" => self.time = self.time_of(json)?,
                b"dur" => self.duration = self.time_of(json)?,
                b"pid" => self.process = self.key_of(json, names)?,
                b"tid" => self.thread = self.key_of(json, names)?,
                b"id" => self.id = self.key_of(json, names)?,
                b"id2" => self.second_id(json, names)?,
                b"bp" => {
                    let is_there = json.scalar(&mut self.scratch, NAME_LIMIT)?;
                    self.binds_around = is_there && self.scratch == b"e";
                }
                b"bind_id" => self.bind = self.key_of(json, names)?,
                b"flow_in" => self.flow[0] = self.is_true(json)?,
                b"flow_out" => self.flow[1] = self.is_true(json)?,
                b"args" if is_own => {
                    if !json.raw(&mut self.own_args, ARGS_LIMIT)? {
                        self.own_args.clear();
                    }
                }
                b"args" => self.arguments(json, names, key)?,
                _ => json.skip()?,
            }
        }
        Ok(())
    }

    fn arguments<R: Read>(
        &mut self,
        json: &mut JsonPull<R>,
        names: &mut Names,
        key: &mut Vec<u8>,
    ) -> Result<(), JsonFault> {
        if json.token()? != b'{' {
            return json.skip();
        }
        json.take();
        while json.has_member(b'}')? {
            json.key(key)?;
            match key.as_slice() {
                b"id" => self.args.id = self.key_of(json, names)?,
                b"parent" => self.args.parent = self.key_of(json, names)?,
                b"src" => text(json, &mut self.args.source)?,
                b"name" => text(json, &mut self.args.name)?,
                b"avg ms" => {
                    self.args.has_mean = true;
                    json.skip()?;
                }
                b"sort_index" => {
                    let is_there = json.scalar(&mut self.scratch, NAME_LIMIT)?;
                    let found = number::integer(&self.scratch);
                    self.args.sort_index = found.filter(|_| is_there);
                }
                _ => json.skip()?,
            }
        }
        Ok(())
    }

    /// `{"local": …}` or `{"global": …}`.
    fn second_id<R: Read>(
        &mut self,
        json: &mut JsonPull<R>,
        names: &mut Names,
    ) -> Result<(), JsonFault> {
        if json.token()? != b'{' {
            return json.skip();
        }
        json.take();
        let mut key = Vec::new();
        while json.has_member(b'}')? {
            json.key(&mut key)?;
            self.is_local = key == b"local";
            self.id = self.key_of(json, names)?;
        }
        Ok(())
    }

    fn is_true<R: Read>(&mut self, json: &mut JsonPull<R>) -> Result<bool, JsonFault> {
        Ok(json.scalar(&mut self.scratch, NAME_LIMIT)? && self.scratch == b"true")
    }

    fn time_of<R: Read>(&mut self, json: &mut JsonPull<R>) -> Result<Time, JsonFault> {
        let is_there = json.scalar(&mut self.scratch, NAME_LIMIT)?;
        Ok(match number::nanos(&self.scratch) {
            Some(time) if is_there => Time::At(time),
            _ => Time::Unusable,
        })
    }

    fn key_of<R: Read>(
        &mut self,
        json: &mut JsonPull<R>,
        names: &mut Names,
    ) -> Result<Option<Key>, JsonFault> {
        let is_there = json.scalar(&mut self.scratch, NAME_LIMIT)?;
        let is_there = is_there && !self.scratch.is_empty();
        Ok(is_there.then(|| names.key(&self.scratch)))
    }
}

fn text<R: Read>(json: &mut JsonPull<R>, out: &mut Vec<u8>) -> Result<(), JsonFault> {
    if !json.scalar(out, NAME_LIMIT)? {
        out.clear();
    }
    Ok(())
}
