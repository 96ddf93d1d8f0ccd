//! Where things are in a file: header, nodes of either size, order of bytes.

use crate::{Error, Format};

/// What every version begins with.
pub(super) const MAGIC_OF_ALL: &[u8] = b"DAG_RECORDER FORMAT VERSION";

/// What the one version that is read begins with.
const MAGIC: &[u8] = b"DAG_RECORDER FORMAT VERSION  1.24 2014/09/18\n";

/// Bytes before the first node.
pub(super) const HEADER_LEN: usize = 77;

pub(super) const EDGE_LEN: u64 = 24;

/// Times and sums of times beyond this are damage: a century of a fast clock.
const LARGEST_TIME: u64 = 1 << 60;

/// Refuses a file.
pub(super) fn malformed(at: impl Into<String>, reason: impl Into<String>) -> Error {
    Error::malformed(Format::DagRecorder, at, reason)
}

/// The order of bytes of the machine that wrote a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
}

/// Reads numbers at offsets; what lies after the end is zero, so lengths are checked before.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbers<'a> {
    bytes: &'a [u8],
    order: Order,
}

impl<'a> Numbers<'a> {
    pub(super) fn new(bytes: &'a [u8], order: Order) -> Self {
        Self { bytes, order }
    }

    #[inline]
    pub(super) fn u64(self, at: usize) -> u64 {
        let bytes = self.bytes.get(at..at + 8);
        let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
        match (bytes, self.order) {
            (Some(bytes), Order::Little) => u64::from_le_bytes(bytes),
            (Some(bytes), Order::Big) => u64::from_be_bytes(bytes),
            (None, _) => 0,
        }
    }

    #[inline]
    pub(super) fn i64(self, at: usize) -> i64 {
        self.u64(at).cast_signed()
    }

    #[inline]
    pub(super) fn u32(self, at: usize) -> u32 {
        let bytes = self.bytes.get(at..at + 4);
        let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
        match (bytes, self.order) {
            (Some(bytes), Order::Little) => u32::from_le_bytes(bytes),
            (Some(bytes), Order::Big) => u32::from_be_bytes(bytes),
            (None, _) => 0,
        }
    }

    #[inline]
    pub(super) fn i32(self, at: usize) -> i32 {
        self.u32(at).cast_signed()
    }

    fn i64s<const N: usize>(self, at: usize) -> [i64; N] {
        std::array::from_fn(|number| self.i64(at + 8 * number))
    }
}

/// The numbers before the first node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    pub(super) order: Order,
    pub(super) num_nodes: u64,
    pub(super) num_edges: u64,
    pub(super) start_clock: u64,
    pub(super) num_workers: i64,
}

impl Header {
    /// Reads the beginning of a file.
    pub(super) fn read(start: &[u8]) -> Result<Self, Error> {
        if !start.starts_with(MAGIC) {
            let line = start.split(|&byte| byte == b'\n').next();
            let line = line.unwrap_or_default();
            let line = line.get(..line.len().min(64)).unwrap_or_default();
            return Err(malformed(
                "byte 0",
                format!(
                    "version is `{}`, but only 1.24 of 2014/09/18 is read; record it again with a newer DAG Recorder",
                    String::from_utf8_lossy(line)
                ),
            ));
        }
        if start.len() < HEADER_LEN {
            let at = format!("byte {}", start.len());
            return Err(malformed(at, "the file ends inside its header"));
        }
        let counts = |order| {
            let numbers = Numbers::new(start, order);
            (numbers.u64(45), numbers.u64(53))
        };
        // Written in the other order, any count is beyond what a file can hold.
        let order = if counts(Order::Little) <= counts(Order::Big) {
            Order::Little
        } else {
            Order::Big
        };
        let (num_nodes, num_edges) = counts(order);
        let numbers = Numbers::new(start, order);
        let header = Self {
            order,
            num_nodes,
            num_edges,
            start_clock: numbers.u64(61),
            num_workers: numbers.i64(69),
        };
        if num_nodes == 0 {
            return Err(Error::Empty {
                format: Format::DagRecorder,
            });
        }
        if num_nodes > u64::from(u32::MAX) - 2 || num_edges > 2 * u64::from(u32::MAX) {
            let counts = format!("header counts `{num_nodes}` nodes and `{num_edges}` edges");
            return Err(malformed(
                "byte 45",
                format!("{counts}, more than are read"),
            ));
        }
        Ok(header)
    }

    /// Length of a node. Files state nothing about it: their size does, and where only the beginning
    /// of a large file is known, its first nodes.
    pub(super) fn node_layout(&self, start: &[u8], is_whole: bool) -> NodeLayout {
        let layouts = [NodeLayout::NEW, NodeLayout::OLD];
        let by_size = layouts.iter().find(|layout| {
            let strings = layout.edges_at(self) + EDGE_LEN * self.num_edges;
            let Ok(at) = usize::try_from(strings) else {
                return false;
            };
            let rest = start.len().checked_sub(at);
            let size = Numbers::new(start, self.order).u64(at.saturating_add(8));
            is_whole && rest.is_some_and(|rest| rest >= 32 && rest as u64 == size)
        });
        let by_nodes = || {
            layouts
                .iter()
                .max_by_key(|layout| (layout.plausible_nodes(self, start), layout.len))
        };
        by_size
            .or_else(by_nodes)
            .copied()
            .unwrap_or(NodeLayout::NEW)
    }
}

/// Length of a node, and where its last four numbers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NodeLayout {
    pub(super) len: usize,
    children: usize,
}

impl NodeLayout {
    /// With counters of the critical path, from 2015 on.
    const NEW: Self = Self {
        len: 432,
        children: 416,
    };
    const OLD: Self = Self {
        len: 368,
        children: 352,
    };

    pub(super) fn edges_at(&self, header: &Header) -> u64 {
        HEADER_LEN as u64 + self.len as u64 * header.num_nodes
    }

    /// Nodes from the first on that can be nodes in this layout, as a share of 1000.
    fn plausible_nodes(&self, header: &Header, start: &[u8]) -> u64 {
        let nodes = start.get(HEADER_LEN..).unwrap_or_default();
        let limit = usize::try_from(header.num_nodes).unwrap_or(usize::MAX);
        let nodes = nodes.chunks_exact(self.len).take(limit);
        let (mut all, mut plausible) = (0, 0);
        for bytes in nodes {
            let node = RawNode::new(bytes, header.order, *self);
            all += 1;
            plausible += u64::from(node.is_plausible());
        }
        1000 * plausible / u64::max(all, 1)
    }
}

/// One node as it stands in the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct RawNode<'a> {
    numbers: Numbers<'a>,
    layout: NodeLayout,
}

/// The totals that the recorder stores with a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Totals {
    /// Sum of the lengths of leaves.
    pub(super) work: i64,
    /// Length of the critical path.
    pub(super) span: i64,
    /// Leaves by kind.
    pub(super) nodes: [i64; 4],
    /// Creations among the children.
    pub(super) creations: i64,
    /// Worker that started it.
    pub(super) start_worker: i32,
}

impl<'a> RawNode<'a> {
    pub(super) fn new(bytes: &'a [u8], order: Order, layout: NodeLayout) -> Self {
        let numbers = Numbers::new(bytes, order);
        Self { numbers, layout }
    }

    #[inline]
    pub(super) fn kind(self) -> u32 {
        self.numbers.u32(328)
    }

    #[inline]
    pub(super) fn in_edge(self) -> u32 {
        self.numbers.u32(332)
    }

    /// Start and end; `None` if one, or the time at which the node became ready, is damaged.
    #[inline]
    pub(super) fn times(self) -> Option<[i64; 2]> {
        let times = [0, 72, 168].map(|at| self.numbers.u64(at));
        let is_sound = times.iter().all(|&time| time < LARGEST_TIME);
        let [start, end, _] = times.map(u64::cast_signed);
        is_sound.then_some([start, end])
    }

    #[inline]
    pub(super) fn worker(self) -> i32 {
        self.numbers.i32(320)
    }

    /// File and line of its begin.
    #[inline]
    pub(super) fn start_position(self) -> (i64, i64) {
        (self.numbers.i64(56), self.numbers.i64(64))
    }

    /// File and line of its end.
    #[inline]
    pub(super) fn end_position(self) -> (i64, i64) {
        (self.numbers.i64(128), self.numbers.i64(136))
    }

    /// Relative numbers of the children: first, and after the last; the child task of a
    /// creation is the first.
    #[inline]
    pub(super) fn children(self) -> (i64, i64) {
        let at = self.layout.children;
        (self.numbers.i64(at), self.numbers.i64(at + 8))
    }

    /// `None` if a sum is damaged, also one of those that are not kept: the time at which the last
    /// leaf started, waiting and edges by kind, nodes below.
    pub(super) fn totals(self) -> Option<Totals> {
        let numbers = self.numbers;
        let totals = Totals {
            work: numbers.i64(152),
            span: numbers.i64(160),
            nodes: numbers.i64s(224),
            creations: numbers.i64(312),
            start_worker: numbers.i32(40),
        };
        let sums: [i64; 19] = numbers.i64s(152);
        let is_sound = |sum: &i64| (0..LARGEST_TIME.cast_signed()).contains(sum);
        (sums.iter().all(is_sound) && is_sound(&totals.creations)).then_some(totals)
    }

    fn is_plausible(self) -> bool {
        let is_known = self.kind() <= 5 && self.in_edge() <= 4;
        let is_unset = self.numbers.u64(48) == 0 && self.numbers.u64(120) == 0;
        is_known && is_unset && self.times().is_some()
    }
}
