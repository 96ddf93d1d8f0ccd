//! Large recordings that are made while they are read.

use std::io::{self, Read};

use sheaf_ingest::Content;

use super::write::{Raw, header, strings};

/// A recording of `num_nodes` nodes; the node of each number is computed when it is read.
pub(crate) struct Generated {
    pub(crate) num_nodes: u64,
    pub(crate) node: fn(u64, u64) -> Raw,
}

impl Content for Generated {
    fn open(&self) -> io::Result<Box<dyn Read + Send + '_>> {
        Ok(Box::new(Stream {
            content: self,
            next: 0,
            bytes: header(self.num_nodes, 0),
            read: 0,
        }))
    }
}

struct Stream<'a> {
    content: &'a Generated,
    next: u64,
    bytes: Vec<u8>,
    read: usize,
}

impl Read for Stream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read == self.bytes.len() {
            let num_nodes = self.content.num_nodes;
            let portion = self.next..num_nodes.min(self.next + 256);
            self.bytes = match self.next.cmp(&num_nodes) {
                std::cmp::Ordering::Less => portion
                    .clone()
                    .flat_map(|at| (self.content.node)(at, num_nodes).bytes())
                    .collect(),
                std::cmp::Ordering::Equal => strings(&["a.c"]),
                std::cmp::Ordering::Greater => return Ok(0),
            };
            self.next = if portion.is_empty() {
                num_nodes + 1
            } else {
                portion.end
            };
            self.read = 0;
        }
        let len = buffer.len().min(self.bytes.len() - self.read);
        buffer[..len].copy_from_slice(&self.bytes[self.read..self.read + len]);
        self.read += len;
        Ok(len)
    }
}

const CREATE: u32 = 0;
const WAIT: u32 = 1;
const END: u32 = 3;
const SECTION: u32 = 4;
const TASK: u32 = 5;

fn leaf(kind: u32, at: u64, child: i64) -> Raw {
    Raw {
        kind,
        start: 20 * at,
        end: 20 * at + 7,
        position: (0, 3),
        children: (child, 0),
        ..Raw::default()
    }
}

fn collective(kind: u32, at: u64, children: (i64, i64)) -> Raw {
    Raw {
        children,
        ..leaf(kind, at, 0)
    }
}

/// Sections in sections: the root, then pairs of a section and the wait (or end) behind it.
pub(crate) fn nested_sections(at: u64, num_nodes: u64) -> Raw {
    let is_last = at + 3 > num_nodes;
    match at {
        0 => collective(TASK, at, (1, 3)),
        2 => leaf(END, at, 0),
        _ if at.is_multiple_of(2) => leaf(WAIT, at, 0),
        _ if is_last => collective(SECTION, at, (1, 1)),
        _ => collective(SECTION, at, (2, 4)),
    }
}

/// Tasks that create one task each: task, section, end, creation, wait, and so on.
pub(crate) fn chain_of_tasks(at: u64, num_nodes: u64) -> Raw {
    let is_last = at + 6 > num_nodes;
    match at % 5 {
        0 if is_last => collective(TASK, at, (1, 1)),
        0 => collective(TASK, at, (1, 3)),
        1 => collective(SECTION, at, (2, 4)),
        2 => leaf(END, at, 0),
        3 => leaf(CREATE, at, 2),
        _ => leaf(WAIT, at, 0),
    }
}

/// One section that creates all tasks: root, section, end, creations, wait, tasks, their ends.
pub(crate) fn fork(at: u64, num_nodes: u64) -> Raw {
    let width = (num_nodes - 4) / 3;
    let signed = |number: u64| i64::try_from(number).unwrap();
    match at {
        0 => collective(TASK, at, (1, 3)),
        1 => collective(SECTION, at, (2, 3 + signed(width))),
        2 => leaf(END, at, 0),
        _ if at < 3 + width => leaf(CREATE, at, 1 + signed(width)),
        _ if at == 3 + width => leaf(WAIT, at, 0),
        _ if at < 4 + 2 * width => collective(TASK, at, (signed(width), 1 + signed(width))),
        _ => leaf(END, at, 0),
    }
}
