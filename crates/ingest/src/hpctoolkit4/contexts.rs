//! The tree of contexts of `meta.db`, walked without recursion.
//!
//! Contexts point to their children. Whatever pointers state, each record is read at most once and
//! each context id counts once, so cycles end and shared children are the first parent's.

use std::collections::{HashMap, HashSet};

use sheaf_model::Report;

use super::bytes::{DatabaseFault, View};
use super::texts::Texts;
use crate::hpctoolkit::frames::{self, Part, PartIdx, Procedure, ProcedureIdx, Procedures};
use crate::hpctoolkit::scopes::{NONE, Place, Scope, Scopes};
use crate::profile::{Frame, NodeIdx, Profile};

/// Section of the tree.
const CONTEXT: u64 = 3;

/// Bytes of a context before its flexible words.
const HEADER: u64 = 0x20;

/// Relation of an inlined call to its caller.
const INLINED: u8 = 2;

/// The tree as the source has it.
#[derive(Default)]
pub(super) struct Tree {
    pub(super) procedures: Procedures,
    pub(super) scopes: Scopes,
    /// Place in `scopes` of each context.
    pub(super) scope_of: HashMap<u32, u32>,
}

/// Reads the tree and adds its nodes to `profile`.
pub(super) fn read<'v>(
    view: View<'v>,
    texts: &mut Texts<'v>,
    profile: &mut Profile,
    report: &mut Report,
) -> Result<Tree, DatabaseFault> {
    let at = view.section(CONTEXT)?;
    let count = u64::from(view.u16(at + 8)?);
    let stride = u64::from(view.u8(at + 0xa)?);
    let entries = view.records(view.u64(at)?, count, stride, 0x20)?;
    let mut walk = Walk {
        view,
        texts,
        profile,
        report,
        tree: Tree::default(),
        known_procedures: HashMap::new(),
        is_read: HashSet::new(),
        pending: Vec::new(),
    };
    for entry in entries.iter() {
        walk.entry(entry)?;
    }
    while let Some(children) = walk.pending.pop() {
        walk.children(children);
    }
    Ok(walk.tree)
}

/// Where a context stands.
#[derive(Clone, Copy)]
struct Around {
    scope: u32,
    node: NodeIdx,
    procedure: ProcedureIdx,
    /// The statement whose instructions these are.
    statement: Option<PartIdx>,
}

/// Children that are still to be read.
#[derive(Clone, Copy)]
struct Children {
    begin: u64,
    size: u64,
    around: Around,
}

/// A context's record.
struct Record {
    at: u64,
    children: (u64, u64),
    id: u32,
    relation: u8,
    kind: u8,
    propagation: u16,
    function: Option<u64>,
    /// Pointer to the file, and the line.
    line: Option<(u64, u32)>,
    len: u64,
}

struct Walk<'a, 'v> {
    view: View<'v>,
    texts: &'a mut Texts<'v>,
    profile: &'a mut Profile,
    report: &'a mut Report,
    tree: Tree,
    /// By the pointer to the function.
    known_procedures: HashMap<u64, ProcedureIdx>,
    is_read: HashSet<u64>,
    pending: Vec<Children>,
}

impl Walk<'_, '_> {
    /// A thread's outermost context.
    fn entry(&mut self, at: u64) -> Result<(), DatabaseFault> {
        let view = self.view;
        let (size, begin, id) = (view.u64(at)?, view.u64(at + 8)?, view.u32(at + 0x10)?);
        let kind = view.u16(at + 0x14)?;
        let name = self.texts.get(view.u64(at + 0x18)?);
        let name = name.unwrap_or("unknown entry").to_owned();
        let definition = self.profile.definition(Frame {
            kind: "entry",
            name: &name,
            identity: Some(&format!("{kind}\0{name}")),
            ..Frame::default()
        });
        let node = self.profile.node(None, definition);
        let procedure = self.tree.procedures.add(Procedure {
            name: &name,
            ..Procedure::default()
        });
        let place = Place::Node(node);
        let Some(scope) = self.scope(id, at, NONE, (0, place)) else {
            return Ok(());
        };
        let around = Around {
            scope,
            node,
            procedure,
            statement: None,
        };
        self.pending.push(Children {
            begin,
            size,
            around,
        });
        Ok(())
    }

    /// Adds the scope of a context, unless there is one already.
    fn scope(&mut self, id: u32, at: u64, parent: u32, rest: (u16, Place)) -> Option<u32> {
        if self.tree.scope_of.contains_key(&id) {
            let first = || Some(format!("context {id} again at byte {at}"));
            self.report.add("skipped_contexts", 1, first);
            return None;
        }
        let (propagation, place) = rest;
        let scope = self.tree.scopes.push(Scope {
            parent,
            propagation,
            place,
        });
        self.tree.scope_of.insert(id, scope);
        Some(scope)
    }

    /// Reads a list of contexts; what is after a bad one is skipped, as its length is not known.
    fn children(&mut self, children: Children) {
        let Children {
            begin,
            size,
            around,
        } = children;
        let Some(end) = begin
            .checked_add(size)
            .filter(|end| *end <= self.view.len())
        else {
            let first = || Some(format!("children at byte {begin}"));
            self.report.add("skipped_contexts", 1, first);
            return;
        };
        let mut at = begin;
        while at < end {
            if !self.is_read.insert(at) {
                let first = || Some(format!("byte {at} again"));
                self.report.add("skipped_contexts", 1, first);
                return;
            }
            let record = match self.record(at) {
                Ok(record) if record.len <= end - at => record,
                _ => {
                    let first = || Some(format!("byte {at}"));
                    self.report.add("skipped_contexts", 1, first);
                    return;
                }
            };
            at += record.len;
            self.context(&record, around);
        }
    }

    fn record(&self, at: u64) -> Result<Record, DatabaseFault> {
        let view = self.view;
        let flags = view.u8(at + 0x14)?;
        let num_words = u64::from(view.u8(at + 0x17)?);
        let mut word = 0;
        let mut next = |count: u64| {
            let begin = at + HEADER + 8 * word;
            word += count;
            if word > num_words {
                return Err(DatabaseFault::new(
                    at,
                    "flags ask for more words than there are",
                ));
            }
            Ok(begin)
        };
        let (mut function, mut line) = (None, None);
        if flags & 1 != 0 {
            function = Some(view.u64(next(1)?)?);
        }
        if flags & 2 != 0 {
            let begin = next(2)?;
            line = Some((view.u64(begin)?, view.u32(begin + 8)?));
        }
        if flags & 4 != 0 {
            next(2)?;
        }
        Ok(Record {
            at,
            children: (view.u64(at + 8)?, view.u64(at)?),
            id: view.u32(at + 0x10)?,
            relation: view.u8(at + 0x15)?,
            kind: view.u8(at + 0x16)?,
            propagation: view.u16(at + 0x18)?,
            function,
            line,
            len: HEADER + 8 * num_words,
        })
    }

    fn context(&mut self, record: &Record, around: Around) {
        let is_leaf = record.children.1 == 0;
        let (place, inner) = match record.kind {
            0 => self.function(record, around),
            1 => self.part(record, around, Part::Loop),
            2 if is_leaf => self.part(record, around, Part::Statement),
            2 => self.site(record, around),
            3 => {
                let place = match around.statement {
                    Some(statement) => Place::Site(around.node, statement),
                    None => Place::Node(around.node),
                };
                (place, around)
            }
            kind => {
                let first = || Some(format!("kind {kind} of context {}", record.id));
                self.report.add("skipped_kinds_of_contexts", 1, first);
                (Place::Node(around.node), around)
            }
        };
        let rest = (record.propagation, place);
        let Some(scope) = self.scope(record.id, record.at, around.scope, rest) else {
            return;
        };
        if !is_leaf {
            self.pending.push(Children {
                begin: record.children.0,
                size: record.children.1,
                around: Around { scope, ..inner },
            });
        }
    }

    fn function(&mut self, record: &Record, around: Around) -> (Place, Around) {
        let pointer = record.function.unwrap_or(0);
        let known = self.known_procedures.get(&pointer).copied();
        let procedure = known.unwrap_or_else(|| {
            let procedure = self.procedure(pointer);
            self.known_procedures.insert(pointer, procedure);
            procedure
        });
        let kind = match record.relation {
            INLINED => "inlined function",
            _ => "function",
        };
        let definition = self
            .tree
            .procedures
            .definition(self.profile, procedure, kind);
        let node = definition.map_or(around.node, |definition| {
            self.profile.node(Some(around.node), definition)
        });
        let inner = Around {
            node,
            procedure,
            statement: None,
            ..around
        };
        (Place::Node(node), inner)
    }

    /// A function; what of it does not lie in the file is left out, and counted.
    fn procedure(&mut self, at: u64) -> ProcedureIdx {
        let view = self.view;
        let fields = || -> Result<_, DatabaseFault> {
            let names = (view.u64(at)?, view.u64(at + 8)?, view.u64(at + 0x18)?);
            Ok((names, view.u32(at + 0x20)?))
        };
        let fields = (at != 0).then(fields);
        let ((name, module, file), line) = match fields {
            Some(Ok(fields)) => fields,
            Some(Err(_)) => {
                let first = || Some(format!("byte {at}"));
                self.report.add("skipped_functions", 1, first);
                Default::default()
            }
            None => Default::default(),
        };
        let name = self.texts.get(name).unwrap_or_default().to_owned();
        let (file, module) = (self.path(file), self.path(module));
        self.tree.procedures.add(Procedure {
            name: &name,
            file: &file,
            module: &module,
            line: frames::line(line),
        })
    }

    /// The path of a file or module.
    fn path(&mut self, at: u64) -> String {
        if at == 0 {
            return String::new();
        }
        let text = at.checked_add(8).and_then(|at| self.view.u64(at).ok());
        let text = text.and_then(|text| self.texts.get(text));
        text.unwrap_or_default().to_owned()
    }

    fn part_of(&mut self, record: &Record, around: Around, part: Part) -> Option<PartIdx> {
        let (file, line) = record.line.unwrap_or((0, 0));
        let file = self.path(file);
        let file = Some(file.as_str()).filter(|file| !file.is_empty());
        let line = frames::line(line);
        let procedures = &mut self.tree.procedures;
        procedures.part(around.procedure, part, file, line)
    }

    fn part(&mut self, record: &Record, around: Around, part: Part) -> (Place, Around) {
        let definition = self
            .part_of(record, around, part)
            .and_then(|part| self.tree.procedures.definition_of(self.profile, part));
        let node = definition.map_or(around.node, |definition| {
            self.profile.node(Some(around.node), definition)
        });
        let inner = Around {
            node,
            statement: None,
            ..around
        };
        (Place::Node(node), inner)
    }

    /// A line with contexts in it, most of them calls: its callees are the procedure's.
    fn site(&mut self, record: &Record, around: Around) -> (Place, Around) {
        let statement = self.part_of(record, around, Part::Statement);
        let place = match statement {
            Some(statement) => Place::Site(around.node, statement),
            None => Place::Node(around.node),
        };
        (
            place,
            Around {
                statement,
                ..around
            },
        )
    }
}
