//! A task-stats table in columns.

use std::borrow::Cow;
use std::collections::HashMap;

use sheaf_model::table::GrainKind;

use super::column::{Integers, Numbers};
use crate::lossy;

/// No row, no text.
pub(crate) const NONE: u32 = u32::MAX;

/// The tasks and loop chunks of a profile, a row each; columns that the source lacks are empty.
#[derive(Debug, Clone, Default)]
pub(crate) struct Table {
    /// Number of rows.
    pub(crate) rows: usize,
    /// Whether the last row ends before its last column: the file is the beginning of a longer one.
    pub(crate) is_cut: bool,
    /// Run-local number of the task.
    pub(crate) task: Integers,
    /// Number of the task that created it; 0 where none did.
    pub(crate) parent: Integers,
    /// Row of that task; see [`Table::parent_row`].
    pub(crate) parent_rows: Vec<u32>,
    /// Number of the parent's wait that collects it, from 0.
    pub(crate) joins_at: Integers,
    /// Processor that finished it.
    pub(crate) cpu_id: Integers,
    /// Place among all children of its parent, from 1.
    pub(crate) child_number: Integers,
    /// Time in its own context, overhead included.
    pub(crate) exec_cycles: Integers,
    /// Cost of creating it, part of its parent's overhead.
    pub(crate) creation_cycles: Integers,
    /// Cost of creating and waiting for its children.
    pub(crate) overhead_cycles: Integers,
    /// When it was created, in its parent's own execution time.
    pub(crate) create_instant: Integers,
    /// When it ended, from the start of the runtime system.
    pub(crate) exec_end_instant: Integers,
    /// When it was created, from there; the profiler does not state, other writers of graphs do.
    pub(crate) created: Integers,
    /// When it began, likewise.
    pub(crate) start: Integers,
    /// Time in waits while its worker ran nothing else, likewise.
    pub(crate) waiting: Integers,
    /// Whether times are in nanoseconds, as the names of their columns state.
    pub(crate) is_in_nanoseconds: bool,
    /// Entry point of its body.
    pub(crate) outline_function: Integers,
    /// Its name.
    pub(crate) tag: Vec<Tag>,
    /// Whether it is a task, a chunk, or a loop's book-keeping.
    pub(crate) role: Vec<Role>,
    /// What sort of grain it is, where a writer of graphs states it.
    pub(crate) kind: Vec<Option<GrainKind>>,
    /// First iteration of a chunk.
    pub(crate) first_iteration: Integers,
    /// End of a chunk's iterations, exclusive.
    pub(crate) end_iteration: Integers,
    /// Text `file:line` of its body, a number in `texts`.
    pub(crate) source_line: Vec<u32>,
    /// When its waits ended in its own execution time, ascending; see [`Table::waits`].
    pub(crate) wait_instants: Vec<i64>,
    /// Where each row's waits end in `wait_instants`.
    pub(crate) wait_ends: Vec<usize>,
    /// When the wait that collects it ended, in its parent's own execution time.
    pub(crate) join_instant: Integers,
    /// Own work, as the source states it or as execution without overhead.
    pub(crate) work_cycles: Integers,
    /// Further columns of numbers, by the source's names, in the source's order.
    pub(crate) measured: Vec<(String, Numbers)>,
    /// Cells of these columns that were made absent because a later one has a value.
    pub(crate) num_padding: usize,
    /// Texts of tags and source lines.
    pub(crate) texts: Texts,
}

/// What a row stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Role {
    /// A task.
    #[default]
    Task,
    /// Iterations of a loop.
    Chunk,
    /// What a member of a team does around its chunks.
    Bookkeeping,
}

/// The name of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Tag {
    /// There is none.
    #[default]
    Absent,
    /// An address that the runtime made up a name from; differs between runs.
    Pointer(u64),
    /// A text of the table; see [`Table::text`].
    Text(u32),
}

impl Table {
    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are no rows.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Row of the parent; absent for tasks created outside any.
    pub(crate) fn parent_row(&self, row: usize) -> Option<usize> {
        let parent = *self.parent_rows.get(row)?;
        (parent != NONE).then_some(parent as usize)
    }

    /// When a row's waits ended, in its own execution time, ascending.
    pub(crate) fn waits(&self, row: usize) -> &[i64] {
        let end = self.wait_ends.get(row).copied().unwrap_or_default();
        let start = match row.checked_sub(1) {
            Some(before) => self.wait_ends.get(before).copied().unwrap_or_default(),
            None => 0,
        };
        self.wait_instants.get(start..end).unwrap_or_default()
    }

    /// The text of a tag that has one.
    pub(crate) fn text(&self, tag: Tag) -> Option<&str> {
        match tag {
            Tag::Text(text) => self.texts.get(text),
            Tag::Absent | Tag::Pointer(_) => None,
        }
    }

    /// A further column of numbers, by the source's name.
    #[cfg(test)]
    pub(crate) fn measured(&self, name: &str) -> Option<&Numbers> {
        let mut columns = self.measured.iter();
        columns
            .find(|(column, _)| column == name)
            .map(|(_, numbers)| numbers)
    }

    /// What a row stands for.
    pub(crate) fn role(&self, row: usize) -> Role {
        self.role.get(row).copied().unwrap_or_default()
    }

    /// The name of a row.
    pub(crate) fn tag(&self, row: usize) -> Tag {
        self.tag.get(row).copied().unwrap_or_default()
    }

    /// Whether the profile is of work-sharing loops.
    pub(crate) fn has_loops(&self) -> bool {
        self.role.iter().any(|&role| role != Role::Task)
    }
}

/// Texts that occur many times, each kept once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Texts {
    list: Vec<Box<str>>,
    numbers: HashMap<Box<str>, u32>,
    num_repaired: u64,
    first_repaired: Option<String>,
}

impl Texts {
    pub(crate) fn get(&self, number: u32) -> Option<&str> {
        self.list.get(number as usize).map(|text| &**text)
    }

    pub(crate) fn intern(&mut self, text: &str) -> u32 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let Ok(number) = u32::try_from(self.list.len()) else {
            return NONE;
        };
        self.list.push(text.into());
        self.numbers.insert(text.into(), number);
        number
    }

    /// The number of a text in a table; `NA` and nothing have none.
    pub(crate) fn intern_field(&mut self, field: &[u8]) -> u32 {
        let field = field.trim_ascii();
        if field.is_empty() || field == b"NA" {
            return NONE;
        }
        let text = lossy::decode(field);
        let before = self.list.len();
        let number = self.intern(&text);
        if matches!(text, Cow::Owned(_)) && self.list.len() > before {
            self.num_repaired += 1;
            self.first_repaired.get_or_insert_with(|| {
                let shown: String = text.chars().take(40).collect();
                format!("name `{shown}`")
            });
        }
        number
    }

    /// How many texts are not UTF-8, and the first of them.
    pub(crate) fn repaired(&self) -> (u64, Option<String>) {
        (self.num_repaired, self.first_repaired.clone())
    }

    /// The tag in a field; addresses are not kept as texts.
    pub(crate) fn tag(&mut self, field: &[u8]) -> Tag {
        let field = field.trim_ascii();
        if let Some(digits) = field.strip_prefix(b"0x") {
            let digits = std::str::from_utf8(digits).unwrap_or_default();
            if let Ok(address) = u64::from_str_radix(digits, 16) {
                return Tag::Pointer(address);
            }
        }
        match self.intern_field(field) {
            NONE => Tag::Absent,
            number => Tag::Text(number),
        }
    }
}
