//! What a column or attribute means, and how its fields get into a table.

use super::column::Integers;
use super::number::{Number, address, number};
use super::table::{Role, Table, Tag};
use super::{columns, fields};
use crate::limits;

/// What a column of a task-stats table, or an attribute of a grain graph, means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    Task,
    Parent,
    JoinsAt,
    Cpu,
    ChildNumber,
    Exec,
    Creation,
    Overhead,
    CreateInstant,
    JoinInstant,
    EndInstant,
    Created,
    Start,
    Waiting,
    Outline,
    Work,
    Tag,
    Kind,
    Metadata,
    Waits,
    SourceLine,
    /// A number of its place among the further columns.
    Measured(usize),
    /// Nothing of the program.
    Ignored,
}

impl Meaning {
    /// What the name means by itself; further columns have no place yet.
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "task" => Self::Task,
            "parent" => Self::Parent,
            "joins_at" => Self::JoinsAt,
            "cpu_id" => Self::Cpu,
            "child_number" => Self::ChildNumber,
            "exec_cycles" | "exec_ns" => Self::Exec,
            "creation_cycles" | "creation_ns" => Self::Creation,
            "overhead_cycles" => Self::Overhead,
            "create_instant" => Self::CreateInstant,
            "join_instant" => Self::JoinInstant,
            "exec_end_instant" | "end_ns" => Self::EndInstant,
            "created_cycles" | "created_ns" => Self::Created,
            "start_cycles" | "start_ns" => Self::Start,
            "waiting_cycles" | "waiting_ns" => Self::Waiting,
            "outline_function" => Self::Outline,
            "work_cycles" | "work_ns" => Self::Work,
            "tag" => Self::Tag,
            "kind" => Self::Kind,
            "metadata" => Self::Metadata,
            "wait_instants" => Self::Waits,
            "source_line" => Self::SourceLine,
            _ if columns::is_ignored(name) => Self::Ignored,
            _ => return None,
        })
    }
}

impl Table {
    /// What a column means, which may state something about the whole table; further columns have no place
    /// yet.
    pub(crate) fn declare(&mut self, name: &str) -> Option<Meaning> {
        let meaning = Meaning::of(name);
        self.is_in_nanoseconds |= meaning.is_some() && name.ends_with("_ns");
        meaning
    }

    /// Adds a column for further numbers.
    pub(crate) fn add_measured(&mut self, name: &str) -> Meaning {
        self.measured.push((name.to_owned(), columns::empty(name)));
        Meaning::Measured(self.measured.len() - 1)
    }

    /// Takes a field into a row; false when it is not what its meaning asks for, and left out.
    /// Rows come in ascending order.
    pub(crate) fn set(&mut self, row: usize, meaning: Meaning, field: &[u8]) -> bool {
        match meaning {
            Meaning::Task => set_count(&mut self.task, row, field),
            Meaning::Parent => set_count(&mut self.parent, row, field),
            Meaning::JoinsAt => set_count(&mut self.joins_at, row, field),
            Meaning::Cpu => set_cpu(&mut self.cpu_id, row, field),
            Meaning::ChildNumber => set_count(&mut self.child_number, row, field),
            Meaning::Exec => set_count(&mut self.exec_cycles, row, field),
            Meaning::Creation => set_count(&mut self.creation_cycles, row, field),
            Meaning::Overhead => set_count(&mut self.overhead_cycles, row, field),
            Meaning::CreateInstant => set_count(&mut self.create_instant, row, field),
            Meaning::JoinInstant => set_count(&mut self.join_instant, row, field),
            Meaning::EndInstant => set_count(&mut self.exec_end_instant, row, field),
            Meaning::Created => set_count(&mut self.created, row, field),
            Meaning::Start => set_count(&mut self.start, row, field),
            Meaning::Waiting => set_count(&mut self.waiting, row, field),
            Meaning::Work => set_count(&mut self.work_cycles, row, field),
            Meaning::Outline => self.set_outline(row, field),
            Meaning::Waits => self.set_waits(row, field),
            Meaning::Metadata => self.set_metadata(row, field),
            Meaning::Measured(column) => self.set_measured(row, column, field),
            Meaning::Tag => {
                let tag = self.texts.tag(field);
                set(&mut self.tag, row, tag, Tag::Absent)
            }
            Meaning::Kind => set(&mut self.kind, row, fields::kind(field), None),
            Meaning::SourceLine => {
                let text = self.texts.intern_field(field);
                set(&mut self.source_line, row, text, super::table::NONE)
            }
            Meaning::Ignored => true,
        }
    }

    fn set_outline(&mut self, row: usize, field: &[u8]) -> bool {
        match address(field).map(|address| address.map(i64::try_from)) {
            Ok(Some(Ok(address))) => self.outline_function.set(row, address),
            Ok(None) => {}
            Ok(Some(Err(_))) | Err(()) => return false,
        }
        true
    }

    fn set_waits(&mut self, row: usize, field: &[u8]) -> bool {
        let before = self.wait_instants.len();
        if self.wait_ends.len() < row {
            self.wait_ends.resize(row, before);
        }
        let is_list = fields::waits(field, &mut self.wait_instants);
        self.wait_ends.push(self.wait_instants.len());
        is_list
    }

    fn set_metadata(&mut self, row: usize, field: &[u8]) -> bool {
        let (role, iterations) = fields::role(field);
        if let Some([first, end]) = iterations {
            if end < first {
                return false;
            }
            self.first_iteration.set(row, first);
            self.end_iteration.set(row, end);
        }
        set(&mut self.role, row, role, Role::Task)
    }

    fn set_measured(&mut self, row: usize, column: usize, field: &[u8]) -> bool {
        let Some((_, numbers)) = self.measured.get_mut(column) else {
            return true;
        };
        let value = number(field);
        if matches!(value, Number::Integer(_) | Number::Float(_)) {
            // A column whose only value is in the last row is as long as the table.
            self.num_padding += row.saturating_sub(numbers.len());
            let most = row.saturating_mul(limits::PADDING_PER_ROW);
            if self.num_padding > most.saturating_add(limits::FREE_PADDING) {
                return false;
            }
        }
        match value {
            Number::Absent => {}
            Number::Integer(value) => numbers.set_integer(row, value),
            Number::Float(value) => numbers.set_float(row, value),
            Number::Invalid => return false,
        }
        true
    }
}

fn set_count(column: &mut Integers, row: usize, field: &[u8]) -> bool {
    match number(field) {
        Number::Absent => true,
        Number::Integer(value) if value >= 0 => {
            column.set(row, value);
            true
        }
        _ => false,
    }
}

fn set_cpu(column: &mut Integers, row: usize, field: &[u8]) -> bool {
    match number(field) {
        Number::Absent => true,
        Number::Integer(value) if i32::try_from(value).is_ok_and(|cpu| cpu >= 0) => {
            column.set(row, value);
            true
        }
        _ => false,
    }
}

/// Sets the value of a row, with absent ones before it; a column of absent values stays empty.
fn set<T: Copy + PartialEq>(column: &mut Vec<T>, row: usize, value: T, absent: T) -> bool {
    if value != absent {
        column.resize(row, absent);
        column.push(value);
    }
    true
}
