//! Reads a recording as a stream; nothing is allocated before the bytes for it are there.

use std::io::{BufRead, Read};

use sheaf_model::{Progress, Report};

use super::dag::{Dag, NONE, Node, NodeKind, Position};
use super::layout::{
    EDGE_LEN, HEADER_LEN, Header, MAGIC_OF_ALL, NodeLayout, Numbers, RawNode, Totals, malformed,
};
use crate::{Error, Input, SNIFF_LEN};
use rustc_hash::FxHashMap;

/// Nodes that are read at a time; together more than the stream's buffer, so that nothing is
/// copied twice.
const PORTION: usize = 1024;

/// Most bytes of the string table.
const MAX_STRINGS: u64 = 64 << 20;

/// Recognises recordings of any version, and text dumps.
pub(super) fn recognises(start: &[u8]) -> bool {
    start.starts_with(MAGIC_OF_ALL) || is_text_dump(start)
}

/// A text dump: a line of three counts, then nodes with 41 fields.
fn is_text_dump(start: &[u8]) -> bool {
    let mut lines = start.split(|&byte| byte == b'\n');
    let (Some(counts), Some(node)) = (lines.next(), lines.next()) else {
        return false;
    };
    let is_counts = counts
        .iter()
        .all(|byte| byte.is_ascii_digit() || *byte == b'|');
    let bars = |line: &[u8]| line.split(|&byte| byte == b'|').count() - 1;
    is_counts && bars(counts) == 2 && bars(node) == 40 && node.starts_with(b"0|")
}

impl Dag {
    /// Reads a recording.
    ///
    /// # Errors
    /// When it is cut, of another version, or its hierarchy is not a tree.
    pub(super) fn read(input: &Input<'_>, progress: &Progress) -> Result<(Self, Report), Error> {
        let start = input.start()?;
        if is_text_dump(&start) {
            return Err(malformed(
                "line 1",
                "this is a text dump, which lacks the hierarchy of tasks; add the `.dag` file of the same run",
            ));
        }
        let header = Header::read(&start)?;
        let layout = header.node_layout(&start, start.len() < SNIFF_LEN);
        let mut stream = input.open(progress)?;
        stream.read_exact(&mut [0; HEADER_LEN])?;
        let mut report = Report::default();
        let mut reader = Reader::new(header, layout);
        reader.read_nodes(&mut stream, progress)?;
        skip_edges(&mut stream, &header, &layout)?;
        let strings = read_strings(&mut stream, &header, &layout, &mut report)?;
        let mut dag = Self {
            nodes: reader.nodes,
            collapsed: reader.collapsed,
            positions: reader.positions,
            strings,
            root: reader.root,
            num_workers: header.num_workers,
            start_clock: header.start_clock,
            workers: input.hints.workers.unwrap_or(header.num_workers),
        };
        let derived = dag.check_hierarchy(&mut report)?;
        report.add("repaired_negative_intervals", reader.negative.0, || {
            reader.negative.1.map(|node| format!("node {node}"))
        });
        let differing = derived.abs_diff(header.num_edges);
        report.add("repaired_edges", differing, || {
            Some(format!("byte {}", layout.edges_at(&header)))
        });
        Ok((dag, report))
    }

    /// Checks that the hierarchy is a tree below node 0, marks what belongs to it, and counts the
    /// edges that follow from it.
    fn check_hierarchy(&mut self, report: &mut Report) -> Result<u64, Error> {
        let is_task = self
            .nodes
            .first()
            .is_some_and(|root| root.kind == NodeKind::Task);
        if !is_task {
            return Err(malformed("node 0", "the root is not a task"));
        }
        self.mark(0, 0)?;
        let mut num_edges = 0;
        for at in 0..self.nodes.len() {
            let Some(&node) = self.nodes.get(at).filter(|node| node.is_used) else {
                continue;
            };
            let children = self.children(at);
            num_edges += children.len().saturating_sub(1) as u64;
            for child in children {
                let creates = match self.nodes.get(child).map(|child| child.kind) {
                    Some(NodeKind::Task) => {
                        let reason = format!("task `{child}` stands among the children of a node");
                        return Err(malformed(format!("node {at}"), reason));
                    }
                    Some(NodeKind::Create) => 1,
                    _ => 0,
                };
                // The created task begins after the creation and ends before the wait.
                num_edges += if node.kind == NodeKind::Section {
                    2 * creates
                } else {
                    creates
                };
                self.mark(child, at)?;
            }
            if let Some(task) = self.created(at) {
                if self
                    .nodes
                    .get(task)
                    .is_none_or(|task| task.kind != NodeKind::Task)
                {
                    let reason = format!("node `{task}`, which it creates, is not a task");
                    return Err(malformed(format!("node {at}"), reason));
                }
                self.mark(task, at)?;
            }
        }
        let unused = self.nodes.iter().position(|node| !node.is_used);
        let count = self.nodes.iter().filter(|node| !node.is_used).count();
        report.add("skipped_nodes", count as u64, || {
            unused.map(|node| format!("node {node}"))
        });
        Ok(num_edges)
    }

    fn mark(&mut self, node: usize, parent: usize) -> Result<(), Error> {
        match self.nodes.get_mut(node) {
            Some(node) if !node.is_used => {
                node.is_used = true;
                Ok(())
            }
            _ => {
                let reason = format!("node `{node}` is not there or has two parents");
                Err(malformed(format!("node {parent}"), reason))
            }
        }
    }
}

/// Gathers nodes.
struct Reader {
    header: Header,
    layout: NodeLayout,
    nodes: Vec<Node>,
    collapsed: Vec<Totals>,
    root: Totals,
    positions: Vec<Position>,
    known: FxHashMap<(i64, i64), u32>,
    recent: [(Position, u32); 8],
    /// Nodes that end before they start, and the first of them.
    negative: (u64, Option<usize>),
}

impl Reader {
    fn new(header: Header, layout: NodeLayout) -> Self {
        let nowhere = Position { file: -1, line: -1 };
        Self {
            header,
            layout,
            nodes: Vec::new(),
            collapsed: Vec::new(),
            root: Totals::default(),
            positions: Vec::new(),
            known: FxHashMap::default(),
            recent: [(nowhere, NONE); 8],
            negative: (0, None),
        }
    }

    fn read_nodes(&mut self, stream: &mut impl Read, progress: &Progress) -> Result<(), Error> {
        let len = self.layout.len;
        let mut buffer = vec![0; PORTION * len];
        let mut left = usize::try_from(self.header.num_nodes).unwrap_or(usize::MAX);
        while left > 0 {
            let portion = left.min(PORTION);
            let bytes = buffer.get_mut(..portion * len).unwrap_or_default();
            self.fill(stream, bytes)?;
            self.nodes.reserve(portion);
            for bytes in bytes.chunks_exact(len) {
                let raw = RawNode::new(bytes, self.header.order, self.layout);
                self.add(raw)?;
            }
            left -= portion;
            progress.report(
                "read nodes",
                self.nodes.len() as u64,
                Some(self.header.num_nodes),
            );
        }
        // Half of what growing took ahead may be unused.
        self.nodes.shrink_to_fit();
        Ok(())
    }

    fn fill(&self, stream: &mut impl Read, bytes: &mut [u8]) -> Result<(), Error> {
        let mut filled = 0;
        while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match stream.read(rest)? {
                0 => {
                    let at = HEADER_LEN + self.nodes.len() * self.layout.len + filled;
                    let wanted = self.header.num_nodes;
                    let reason = format!(
                        "the file ends, but its header counts `{wanted}` nodes; copy it again or record the run again"
                    );
                    return Err(malformed(format!("byte {at}"), reason));
                }
                read => filled += read,
            }
        }
        Ok(())
    }

    #[inline]
    fn add(&mut self, raw: RawNode<'_>) -> Result<(), Error> {
        let at = self.nodes.len();
        let damaged = |what: &str, value: String| {
            let reason = format!("{what} `{value}` cannot be; the file is damaged");
            Err(malformed(format!("node {at}"), reason))
        };
        let Some(kind) = NodeKind::from_code(raw.kind()) else {
            return damaged("kind", raw.kind().to_string());
        };
        if raw.in_edge() > 4 {
            return damaged("kind of edge", raw.in_edge().to_string());
        }
        let Some([start, end]) = raw.times() else {
            return damaged("time", "beyond 2^60".to_owned());
        };
        let mut node = Node::new(kind, raw.worker());
        (node.start, node.end) = (start, end.max(start));
        if end < start {
            self.negative.0 += 1;
            self.negative.1.get_or_insert(at);
        }
        match kind {
            NodeKind::Create | NodeKind::Wait => {
                let (file, line) = raw.end_position();
                node.position = self.position(Position { file, line });
            }
            NodeKind::Task => {
                let (file, line) = raw.start_position();
                node.position = self.position(Position { file, line });
            }
            _ => {}
        }
        let (first, end) = raw.children();
        let is_collapsed = kind.is_collective() && first == end;
        if is_collapsed || at == 0 {
            let Some(totals) = raw.totals() else {
                return damaged("a sum", "negative or beyond 2^60".to_owned());
            };
            if at == 0 {
                self.root = totals;
            }
            if is_collapsed {
                let row = u32::try_from(self.collapsed.len()).unwrap_or(NONE);
                node.set_collapsed(row);
                self.collapsed.push(totals);
            }
        }
        if kind == NodeKind::Create || (kind.is_collective() && !is_collapsed) {
            let end = if kind == NodeKind::Create {
                first.saturating_add(1)
            } else {
                end
            };
            let Some((first, count)) = self.range(at, first, end) else {
                return damaged("children", format!("{first}..{end}"));
            };
            node.set_children(first, count);
        }
        self.nodes.push(node);
        Ok(())
    }

    /// Absolute number of the first child and number of children, from relative numbers.
    #[inline]
    fn range(&self, at: usize, first: i64, end: i64) -> Option<(u32, u32)> {
        let first = u64::try_from(first).ok().filter(|&first| first > 0)?;
        let end = u64::try_from(end).ok().filter(|&end| end > first)?;
        let last = (at as u64).checked_add(end)?;
        if last > self.header.num_nodes {
            return None;
        }
        let count = u32::try_from(end - first).ok()?;
        Some((u32::try_from(at as u64 + first).ok()?, count))
    }

    #[inline]
    fn position(&mut self, position: Position) -> u32 {
        let slot = usize::try_from(position.line).unwrap_or(0) % self.recent.len();
        if let Some((known, number)) = self.recent.get(slot)
            && *known == position
        {
            return *number;
        }
        let next = u32::try_from(self.positions.len()).unwrap_or(NONE);
        let key = (position.file, position.line);
        let number = *self.known.entry(key).or_insert(next);
        if number == next {
            self.positions.push(position);
        }
        if let Some(recent) = self.recent.get_mut(slot) {
            *recent = (position, number);
        }
        number
    }
}

/// Skips the edges: they follow from the hierarchy.
fn skip_edges(
    stream: &mut impl BufRead,
    header: &Header,
    layout: &NodeLayout,
) -> Result<(), Error> {
    let mut left = EDGE_LEN * header.num_edges;
    while left > 0 {
        let here = stream.fill_buf()?.len();
        if here == 0 {
            let at = layout.edges_at(header) + EDGE_LEN * header.num_edges - left;
            let reason = format!(
                "the file ends, but its header counts `{}` edges",
                header.num_edges
            );
            return Err(malformed(format!("byte {at}"), reason));
        }
        let skipped = usize::try_from(left).unwrap_or(usize::MAX).min(here);
        stream.consume(skipped);
        left -= skipped as u64;
    }
    Ok(())
}

/// The names of source files.
fn read_strings(
    stream: &mut impl Read,
    header: &Header,
    layout: &NodeLayout,
    report: &mut Report,
) -> Result<Vec<String>, Error> {
    const TABLE_HEADER: usize = 32;
    let at = layout.edges_at(header) + EDGE_LEN * header.num_edges;
    let mut bytes = Vec::new();
    stream.take(MAX_STRINGS).read_to_end(&mut bytes)?;
    let numbers = Numbers::new(&bytes, header.order);
    let (count, size) = (numbers.u64(0), numbers.u64(8));
    let is_there = usize::try_from(size).is_ok_and(|size| size <= bytes.len());
    let offsets_len = count.saturating_mul(8).saturating_add(TABLE_HEADER as u64);
    if bytes.len() < TABLE_HEADER || !is_there || offsets_len > size {
        let reason = format!(
            "no table of `{count}` strings in `{size}` bytes fits the `{}` bytes that are left; the file is cut or damaged",
            bytes.len()
        );
        return Err(malformed(format!("byte {at}"), reason));
    }
    let size = usize::try_from(size).unwrap_or(bytes.len());
    report.add("skipped_bytes", (bytes.len() - size) as u64, || {
        Some(format!("byte {}", at + size as u64))
    });
    let offsets_len = usize::try_from(offsets_len).unwrap_or(size);
    let text = bytes.get(offsets_len..size).unwrap_or_default();
    let offsets = (TABLE_HEADER..offsets_len).step_by(8);
    let mut strings = Vec::new();
    let mut left = text.len();
    for at in offsets {
        let offset = usize::try_from(numbers.u64(at)).unwrap_or(usize::MAX);
        let string = text.get(offset..).unwrap_or_default();
        let string = string.split(|&byte| byte == 0).next().unwrap_or_default();
        // Strings do not overlap; many offsets of one long string would.
        let Some(rest) = left.checked_sub(string.len()) else {
            return Err(malformed(format!("byte {at}"), "strings overlap"));
        };
        left = rest;
        strings.push(String::from_utf8_lossy(string).into_owned());
    }
    Ok(strings)
}
