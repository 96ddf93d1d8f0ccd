//! Chrome trace events of a run.
//!
//! One complete event per fragment, on its rank's worker, with the grain's id, its parent's, the
//! path of definitions and the source line; arrows from creations to first fragments and along
//! dependences; waits. The grain's own row stands in its first event and the other tables behind
//! all events, so that our reader gives the run back as it was.

mod tables;

use std::io::{self, BufWriter, Write};
use std::ops::Range;

use sheaf_model::table::{FragmentRow, GrainRow, WaitRow};
use sheaf_model::{Progress, RunTables, TimeUnit, visible_json};

use super::check;
use super::names::{self, Names};
use super::ranges::Ranges;

/// Writes the trace; `out` need not be buffered.
pub(super) fn chrome(
    tables: &RunTables,
    progress: &Progress,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut writer = Writer {
        out: BufWriter::with_capacity(1 << 16, out),
        tables,
        names: Names::new(&tables.summary),
        places: places(tables),
        is_first: true,
    };
    writer.head()?;
    writer.workers()?;
    writer.grains(progress)?;
    writer.waits()?;
    writer.dependences()?;
    writer.out.write_all(b"\n],\n\"grainsheaf\":")?;
    tables::write(tables, &mut writer.out)?;
    writer.out.write_all(b"}\n")?;
    writer.out.flush()
}

/// Rank and thread of each location.
fn places(tables: &RunTables) -> Vec<Place> {
    let locations = tables.summary.locations.rows();
    locations.map(|row| (row.rank, row.thread)).collect()
}

type Place = (i32, i32);

struct Writer<'a> {
    out: BufWriter<&'a mut dyn Write>,
    tables: &'a RunTables,
    names: Names,
    places: Vec<Place>,
    is_first: bool,
}

/// Writes an optional member with its comma.
macro_rules! members {
    ($out:expr, $($name:literal: $value:expr),+ $(,)?) => {
        $(if let Some(value) = $value {
            write!($out, concat!(",\"", $name, "\":{}"), value)?;
        })+
    };
}

impl Writer<'_> {
    fn head(&mut self) -> io::Result<()> {
        let meta = &self.tables.summary.meta;
        let unit = match meta.time_unit {
            TimeUnit::Nanoseconds => "us",
            // The format has microseconds only; a tick stands where a nanosecond would.
            TimeUnit::Ticks => "1000 ticks",
        };
        self.out
            .write_all(b"{\"otherData\":{\"exporter\":\"grainsheaf\",\"program\":")?;
        write_text(&mut self.out, &meta.program)?;
        self.out.write_all(b",\"run\":")?;
        write_text(&mut self.out, &meta.name)?;
        write!(self.out, ",\"time_unit\":\"{unit}\"}},")?;
        self.out
            .write_all(b"\"displayTimeUnit\":\"ns\",\n\"traceEvents\":[")
    }

    /// Begins an event.
    fn begin(&mut self) -> io::Result<()> {
        self.out
            .write_all(if self.is_first { b"\n" } else { b",\n" })?;
        self.is_first = false;
        Ok(())
    }

    /// Names of processes and threads.
    fn workers(&mut self) -> io::Result<()> {
        let mut last = None;
        for (rank, thread) in self.places.clone() {
            if last.replace(rank) != Some(rank) {
                self.begin()?;
                write!(
                    self.out,
                    "{{\"ph\":\"M\",\"pid\":{rank},\"name\":\"process_name\",\"args\":{{\"name\":"
                )?;
                write_text(&mut self.out, &self.tables.summary.meta.program)?;
                self.out.write_all(b"}}")?;
            }
            let members = [
                ("thread_name", "name", format!("\"worker {thread}\"")),
                ("thread_sort_index", "sort_index", thread.to_string()),
            ];
            for (event, member, value) in members {
                self.begin()?;
                write!(
                    self.out,
                    "{{\"ph\":\"M\",\"pid\":{rank},\"tid\":{thread},\"name\":\"{event}\",\
                     \"args\":{{\"{member}\":{value}}}}}"
                )?;
            }
        }
        Ok(())
    }

    fn grains(&mut self, progress: &Progress) -> io::Result<()> {
        let tables = self.tables;
        let fragments = Ranges::new(tables.fragments.grain.values().iter(), tables.grains.len());
        let counters = Ranges::new(
            tables.counters.grain.values().iter().copied(),
            tables.grains.len(),
        );
        for (id, grain) in (0..).zip(tables.grains.rows()) {
            let row = usize::try_from(id).unwrap_or(0);
            check(progress, row, tables.grains.len())?;
            let own = fragments.of(id);
            if own.is_empty() {
                let at = grain.start.or(grain.created).unwrap_or(0);
                let place = self.place(grain.location);
                self.event("i", id, &grain, place, at)?;
                self.out.write_all(b",\"s\":\"t\"")?;
                self.arguments(id, &grain, None, Some(counters.of(id)))?;
            }
            for at in own.clone() {
                let fragment = tables.fragments.row(at);
                let place = self.place(Some(fragment.location));
                self.event("X", id, &grain, place, fragment.start)?;
                write!(self.out, ",\"dur\":{}", Micros(fragment.duration))?;
                let is_first = at == own.start;
                let counters = is_first.then(|| counters.of(id));
                self.arguments(id, &grain, Some(&fragment), counters)?;
            }
            if let Some(first) = own.clone().next() {
                self.creation(id, &grain, &tables.fragments.row(first), &fragments)?;
            }
        }
        Ok(())
    }

    fn place(&self, location: Option<i32>) -> Place {
        let row = location.and_then(|row| usize::try_from(row).ok());
        row.and_then(|row| self.places.get(row).copied())
            .unwrap_or((0, 0))
    }

    /// The part of an event before its duration and arguments.
    fn event(
        &mut self,
        phase: &str,
        id: i32,
        grain: &GrainRow,
        (rank, thread): Place,
        time: i64,
    ) -> io::Result<()> {
        self.begin()?;
        let category = Names::category(grain.kind);
        write!(
            self.out,
            "{{\"ph\":\"{phase}\",\"pid\":{rank},\"tid\":{thread},\"ts\":{},\"cat\":\"{category}\",\"name\":",
            Micros(time)
        )?;
        debug_assert!(id >= 0, "rows are not negative");
        write_text(&mut self.out, self.names.definition(grain.context))
    }

    /// The arguments, which end the event; `counters` are given at the grain's first event.
    fn arguments(
        &mut self,
        id: i32,
        grain: &GrainRow,
        fragment: Option<&FragmentRow>,
        counters: Option<Range<usize>>,
    ) -> io::Result<()> {
        write!(self.out, ",\"args\":{{\"id\":{id}")?;
        members!(self.out, "parent": grain.parent);
        self.out.write_all(b",\"path\":")?;
        write_text(&mut self.out, &self.names.path(grain.context))?;
        if let Some(source) = self.names.source(grain.context) {
            self.out.write_all(b",\"src\":")?;
            write_text(&mut self.out, source)?;
        }
        members!(self.out, "end": fragment.map(|fragment| fragment.ended_by));
        if let Some(counters) = counters {
            self.row(grain, counters)?;
        }
        self.out.write_all(b"}}")
    }

    /// The grain's columns that no event has.
    fn row(&mut self, grain: &GrainRow, counters: Range<usize>) -> io::Result<()> {
        write!(
            self.out,
            ",\"grain\":{{\"key\":\"{}\",\"context\":{},\"kind\":{},\"flags\":{},\"index\":{}",
            grain.path_key, grain.context, grain.kind, grain.flags, grain.index
        )?;
        members!(
            self.out,
            "sequence": grain.sequence,
            "joined_by": grain.joined_by,
            "first_iteration": grain.first_iteration,
            "iterations": grain.iterations,
            "location": grain.location,
            "created": grain.created,
            "start": grain.start,
            "end": grain.end,
            "work": grain.work,
            "creation": grain.creation,
            "waiting": grain.waiting,
        );
        if !counters.is_empty() {
            self.out.write_all(b",\"counters\":[")?;
            for (number, at) in counters.enumerate() {
                let counter = self.tables.counters.row(at);
                let comma = if number == 0 { "" } else { "," };
                write!(self.out, "{comma}[{},", counter.metric)?;
                match (counter.value, counter.value_float) {
                    (Some(value), _) => write!(self.out, "{value}]")?,
                    (None, value) => write!(self.out, "\"{:?}\"]", value.unwrap_or(f64::NAN))?,
                }
            }
            self.out.write_all(b"]")?;
        }
        self.out.write_all(b"}")
    }

    /// The arrow from the parent's fragment that created a grain to the grain's first one.
    fn creation(
        &mut self,
        id: i32,
        grain: &GrainRow,
        first: &FragmentRow,
        fragments: &Ranges,
    ) -> io::Result<()> {
        let (Some(parent), Some(created)) = (grain.parent, grain.created) else {
            return Ok(());
        };
        let Some(from) = self.fragment_at(&fragments.of(parent), created) else {
            return Ok(());
        };
        self.arrow("creation", id, &from, created, first, "")
    }

    /// The last of some fragments that began by a time, else the first.
    fn fragment_at(&self, own: &Range<usize>, time: i64) -> Option<FragmentRow> {
        let starts = self.tables.fragments.start.values().slice(own.clone());
        let next = starts.partition_point(|start| start <= time);
        (!own.is_empty()).then(|| {
            let at = own.start + next.saturating_sub(1);
            self.tables.fragments.row(at)
        })
    }

    /// Viewers bind an arrow to the slice that is open at its time, which excludes its end.
    fn arrow(
        &mut self,
        name: &str,
        id: i32,
        from: &FragmentRow,
        time: i64,
        to: &FragmentRow,
        args: &str,
    ) -> io::Result<()> {
        let last = from.start + (from.duration - 1).max(0);
        let start = time.clamp(from.start, last);
        let ends = [
            ("s", from, start, args),
            ("f", to, to.start, ",\"bp\":\"e\""),
        ];
        for (phase, fragment, time, more) in ends {
            let (rank, thread) = self.place(Some(fragment.location));
            self.begin()?;
            write!(
                self.out,
                "{{\"ph\":\"{phase}\",\"pid\":{rank},\"tid\":{thread},\"ts\":{},\"cat\":\"{name}\",\
                 \"name\":\"{name}\",\"id\":{id}{more}}}",
                Micros(time)
            )?;
        }
        Ok(())
    }

    /// Waits, on the worker of the fragment that they follow.
    fn waits(&mut self) -> io::Result<()> {
        let tables = self.tables;
        let fragments = Ranges::new(tables.fragments.grain.values().iter(), tables.grains.len());
        for wait in tables.waits.rows() {
            let WaitRow {
                grain,
                kind,
                start,
                duration,
                line,
            } = wait;
            let before = self.fragment_at(&fragments.of(grain), start);
            let location = before.map(|fragment| fragment.location);
            let (rank, thread) = self.place(location.or_else(|| self.location_of(grain)));
            self.begin()?;
            write!(
                self.out,
                "{{\"ph\":\"X\",\"pid\":{rank},\"tid\":{thread},\"ts\":{},\"dur\":{},\"cat\":\"wait\",\
                 \"name\":\"{}\",\"args\":{{\"waiter\":{grain},\"wait\":{kind}",
                Micros(start),
                Micros(duration),
                names::wait(kind)
            )?;
            members!(self.out, "line": line);
            self.out.write_all(b"}}")?;
        }
        Ok(())
    }

    fn location_of(&self, grain: i32) -> Option<i32> {
        let row = usize::try_from(grain).ok()?;
        (row < self.tables.grains.len()).then(|| self.tables.grains.row(row).location)?
    }

    fn dependences(&mut self) -> io::Result<()> {
        let tables = self.tables;
        let fragments = Ranges::new(tables.fragments.grain.values().iter(), tables.grains.len());
        for (id, edge) in (0..).zip(tables.dependences.rows()) {
            let args = format!(
                ",\"args\":{{\"predecessor\":{},\"successor\":{}}}",
                edge.predecessor, edge.successor
            );
            let before = fragments.of(edge.predecessor).last();
            let after = fragments.of(edge.successor).next();
            if let (Some(before), Some(after)) = (before, after) {
                let (before, after) = (tables.fragments.row(before), tables.fragments.row(after));
                let end = before.start + before.duration;
                self.arrow("dependence", id, &before, end, &after, &args)?;
            } else {
                // Nothing to draw between; only our own reader looks at it.
                self.begin()?;
                write!(
                    self.out,
                    "{{\"ph\":\"i\",\"ts\":0,\"cat\":\"dependence\",\"name\":\"dependence\",\"s\":\"g\"{args}}}"
                )?;
            }
        }
        Ok(())
    }
}

/// Nanoseconds as exact decimal microseconds.
struct Micros(i64);

impl std::fmt::Display for Micros {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let nanos = self.0.unsigned_abs();
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}{}", nanos / 1000)?;
        match nanos % 1000 {
            0 => Ok(()),
            rest => write!(f, ".{rest:03}"),
        }
    }
}

/// Writes a JSON string.
fn write_text(out: &mut impl Write, text: &str) -> io::Result<()> {
    let text = serde_json::to_string(text)?;
    out.write_all(visible_json(&text).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nanoseconds_are_printed_exactly() {
        let found = [0, 1, 999, 1000, 1_234_567, -1, -1500].map(|nanos| Micros(nanos).to_string());
        let expected = ["0", "0.001", "0.999", "1", "1234.567", "-0.001", "-1.500"];
        assert_eq!(found, expected);
    }
}
