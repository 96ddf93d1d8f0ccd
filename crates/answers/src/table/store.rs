//! Tables about what a store was given: recorded runs, and pairs of definitions.

use super::{NANOSECONDS, SHARE, Table, Tabular, columns, option, some};
use crate::{MappedPair, Mapping, Record, RecordedRun};

columns! {
    pub(super) fn recorded(row: RecordedRun) {
        Text run: "Run id" = some(&row.run);
        Integer threads: "Threads asked for" = row.threads.map(i64::from);
        Count repeat: "Which repeat, from 1" = Some(row.repeat.into());
        Count grains: "Tasks and chunks" = Some(row.grains);
        Integer elapsed_ns [NANOSECONDS]: "Wall time of the whole process, with its start and end" = row.elapsed_ns;
        Integer reference_elapsed_ns [NANOSECONDS]: "Wall time of a launch without the recorder"
            = row.reference_elapsed_ns;
        Number cost [SHARE]: "How much longer the recorded launch took than that one" = relative_cost(row);
        Truth is_complete: "Whether the program ended by itself" = Some(row.is_complete);
    }
}

fn relative_cost(run: &RecordedRun) -> Option<f64> {
    let reference = run
        .reference_elapsed_ns
        .filter(|&reference| reference > 0)?;
    Some((run.elapsed_ns? - reference) as f64 / reference as f64)
}

impl Tabular for Record {
    fn table(&self) -> Table<'_> {
        Table::new(self.runs.as_slice(), recorded())
    }
}

columns! {
    pub(super) fn mapping(row: MappedPair) {
        Text a: "Name or id of a definition" = some(&row.a);
        Text b: "Name or id of another" = some(&row.b);
        Truth same: "Whether they are compared as one; they never are otherwise" = Some(row.same);
        Text note: "Remark of the user" = option(row.note.as_deref());
    }
}

impl Tabular for Mapping {
    fn table(&self) -> Table<'_> {
        Table::new(self.pairs.as_slice(), mapping())
    }
}
