//! Writes recordings: trees of nodes, run by one worker in the order of the program.

/// A node of the hierarchy.
#[derive(Clone)]
pub(crate) struct Tree {
    kind: u32,
    /// String and line at its end.
    position: (i64, i64),
    children: Vec<Tree>,
    task: Option<Box<Tree>>,
    is_folded: bool,
}

fn node(kind: u32, position: (i64, i64)) -> Tree {
    Tree {
        kind,
        position,
        children: Vec::new(),
        task: None,
        is_folded: false,
    }
}

pub(crate) fn create(position: (i64, i64), task: Tree) -> Tree {
    Tree {
        task: Some(Box::new(task)),
        ..node(0, position)
    }
}

/// What a wait closes.
pub(crate) fn section(children: impl IntoIterator<Item = Tree>) -> Tree {
    let mut children: Vec<Tree> = children.into_iter().collect();
    children.push(node(1, (0, 90)));
    Tree {
        children,
        ..node(4, (0, 90))
    }
}

/// A task, with its end.
pub(crate) fn task(children: impl IntoIterator<Item = Tree>) -> Tree {
    let mut children: Vec<Tree> = children.into_iter().collect();
    children.push(node(3, (0, 99)));
    Tree {
        children,
        ..node(5, (0, 99))
    }
}

impl Tree {
    /// Of which nothing below is kept.
    pub(crate) fn folded(self) -> Self {
        Self {
            is_folded: true,
            ..self
        }
    }
}

/// The numbers of a node that the writer fills in.
#[derive(Clone, Default)]
pub(crate) struct Raw {
    pub(crate) kind: u32,
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) position: (i64, i64),
    /// Relative numbers of the children.
    pub(crate) children: (i64, i64),
    /// Of collective nodes: work, creations and waits below, and creations among the children.
    pub(crate) sums: [u64; 4],
}

impl Raw {
    /// A node of 432 bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; 432];
        let mut put = |at: usize, value: u64| {
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        };
        put(0, self.start);
        put(72, self.end);
        for (at, (file, line)) in [(56, self.position), (128, self.position)] {
            put(at, file.cast_unsigned());
            put(at + 8, line.cast_unsigned());
        }
        let [work, creations, waits, own] = self.sums;
        put(152, work);
        put(160, work);
        put(168, self.start);
        put(176, self.start);
        put(224, creations);
        put(232, waits);
        put(248, creations + 1);
        put(312, own);
        put(416, self.children.0.cast_unsigned());
        put(424, self.children.1.cast_unsigned());
        bytes[328..332].copy_from_slice(&self.kind.to_le_bytes());
        bytes[332..336].copy_from_slice(&1_u32.to_le_bytes());
        bytes
    }
}

/// The header of a recording.
pub(crate) fn header(num_nodes: u64, num_edges: u64) -> Vec<u8> {
    let mut bytes = b"DAG_RECORDER FORMAT VERSION  1.24 2014/09/18\n".to_vec();
    for number in [num_nodes, num_edges, 5, 1] {
        bytes.extend(number.to_le_bytes());
    }
    bytes
}

/// The table of strings at the end.
pub(crate) fn strings(strings: &[&str]) -> Vec<u8> {
    let text: Vec<u8> = strings
        .iter()
        .flat_map(|s| [s.as_bytes(), b"\0"].concat())
        .collect();
    let size = 32 + 8 * strings.len() + text.len();
    let mut bytes = Vec::new();
    for number in [strings.len(), size, 1, 1] {
        bytes.extend((number as u64).to_le_bytes());
    }
    let mut offset = 0_u64;
    for string in strings {
        bytes.extend(offset.to_le_bytes());
        offset += string.len() as u64 + 1;
    }
    bytes.extend(text);
    bytes
}

/// The recording of a task.
pub(crate) fn recording(root: &Tree, files: &[&str]) -> Vec<u8> {
    let mut nodes = Vec::new();
    let mut clock = 0;
    place(root, (0, 1), &mut nodes, &mut clock);
    // Creations, edges to what follows: not needed to be right, they follow from the hierarchy.
    let mut bytes = header(nodes.len() as u64, 0);
    for node in &nodes {
        bytes.extend(node.bytes());
    }
    bytes.extend(strings(files));
    bytes
}

/// Adds a tree whose root begins at a position: its nodes, in the order of their numbers.
fn place(root: &Tree, begin: (i64, i64), nodes: &mut Vec<Raw>, clock: &mut u64) {
    nodes.push(Raw::default());
    fill(root, begin, 0, nodes, clock);
}

/// Fills in a node and adds what is below it; returns work, creations and waits below.
fn fill(
    tree: &Tree,
    begin: (i64, i64),
    at: usize,
    nodes: &mut Vec<Raw>,
    clock: &mut u64,
) -> [u64; 3] {
    let start = *clock;
    let mut sums = [0, 0, 0];
    let mut raw = Raw {
        kind: tree.kind,
        start,
        position: if tree.kind == 5 { begin } else { tree.position },
        ..Raw::default()
    };
    let first = nodes.len();
    if tree.children.is_empty() {
        *clock += 10;
        sums = [10, u64::from(tree.kind == 0), u64::from(tree.kind == 1)];
    } else {
        // What is folded is laid out, summed up and taken away again.
        nodes.resize(first + tree.children.len(), Raw::default());
        for (number, child) in tree.children.iter().enumerate() {
            let below = fill(child, begin, first + number, nodes, clock);
            add(&mut sums, below);
        }
        let end = first + tree.children.len();
        raw.children = (relative(at, first), relative(at, end));
    }
    raw.end = *clock;
    if let Some(task) = &tree.task {
        let child = nodes.len();
        nodes.push(Raw::default());
        add(&mut sums, fill(task, tree.position, child, nodes, clock));
        raw.children = (relative(at, child), 0);
    }
    if tree.is_folded {
        nodes.truncate(first);
        raw.children = (1, 1);
    }
    let own = tree.children.iter().filter(|child| child.kind == 0).count();
    raw.sums = [sums[0], sums[1], sums[2], own as u64];
    nodes[at] = raw;
    sums
}

fn add(sums: &mut [u64; 3], below: [u64; 3]) {
    for (sum, more) in sums.iter_mut().zip(below) {
        *sum += more;
    }
}

fn relative(at: usize, child: usize) -> i64 {
    i64::try_from(child).unwrap() - i64::try_from(at).unwrap()
}
