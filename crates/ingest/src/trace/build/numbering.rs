//! From the numbers of tasks and regions in a trace to rows.

use std::collections::HashMap;

use super::records::{NONE, Slot};
use crate::trace::ThreadId;

/// Finds rows by number. Numbers of one stream are consecutive, so a list per stream serves;
/// numbers that jump, as in damaged traces, go to a map.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    streams: Vec<Vec<Slot>>,
    far: HashMap<u64, Slot>,
}

const COUNTER_MASK: u64 = (1 << crate::trace::format::ID_SHIFT) - 1;
const MAX_STREAMS: usize = 1 << 16;
const LARGEST_JUMP: usize = 1 << 12;

impl Numbering {
    /// The row of a number, for reading and setting; [`NONE`] when it is new.
    pub(super) fn row(&mut self, id: u64, creator: ThreadId) -> &mut Slot {
        let stream = creator.0 as usize;
        let counter = usize::try_from(id & COUNTER_MASK).unwrap_or(usize::MAX);
        if stream < MAX_STREAMS {
            if stream >= self.streams.len() {
                self.streams.resize_with(stream + 1, Vec::new);
            }
            let list = &mut self.streams[stream];
            if counter < list.len().saturating_add(LARGEST_JUMP) {
                if counter >= list.len() {
                    list.resize(counter + 1, NONE);
                }
                return &mut list[counter];
            }
        }
        self.far.entry(id).or_insert(NONE)
    }
}
