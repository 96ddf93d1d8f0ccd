//! What a comparison needs of the grains of one run, column by column.

use arrow::array::{Array, AsArray, Int32Array, Int64Array, RecordBatch};
use arrow::datatypes::{Int32Type, Int64Type};
use sheaf_model::table::{Contexts, Definitions, Dependences, Grains};
use sheaf_model::{DefinitionId, RunId, RunTables};

use super::renamed::Through;
use sheaf_grains::grain_metric::{delays, integer_at};

/// Columns of the grains of one run, all of one length, in any order of rows.
#[derive(Debug, Clone)]
pub struct GrainColumns {
    /// The run.
    pub run: RunId,
    /// Definition of each context.
    pub definitions: Vec<DefinitionId>,
    /// Context of each grain.
    pub context: Int32Array,
    /// Key of its path.
    pub path_key: Int64Array,
    /// Kind, as stored.
    pub kind: Int32Array,
    /// Flags, as stored.
    pub flags: Int32Array,
    /// Work, in the run's time unit.
    pub work: Int64Array,
    /// Time from the first begin to the end.
    pub lifetime: Int64Array,
    /// Time from when it could run to its first begin.
    pub delay: Int64Array,
    /// Of each context how its path is found under other names; empty where no path has any.
    pub through: Vec<Option<Through>>,
}

impl GrainColumns {
    /// Columns of the table of grains that [`GrainColumns::read`] takes.
    pub const NEEDED: [&'static str; 8] = [
        "path_key", "context", "kind", "flags", "created", "start", "end", "work",
    ];

    /// Of a whole run.
    pub fn of(run: &RunTables) -> Self {
        let summary = &run.summary;
        let definitions = definitions(&summary.definitions, &summary.contexts);
        Self::from_grains(summary.meta.id, definitions, &run.grains, &run.dependences)
    }

    /// From the needed columns of a table of grains, its dependences and the run's contexts; absent
    /// when a column is missing or of another type.
    pub fn read(
        run: RunId,
        tables: (&Definitions, &Contexts),
        grains: &RecordBatch,
        dependences: &Dependences,
    ) -> Option<Self> {
        let wide = |name| grains.column_by_name(name)?.as_primitive_opt::<Int64Type>();
        let narrow = |name| grains.column_by_name(name)?.as_primitive_opt::<Int32Type>();
        let [created, start, end] = [wide("created")?, wide("start")?, wide("end")?];
        Some(Self {
            run,
            definitions: definitions(tables.0, tables.1),
            context: narrow("context")?.clone(),
            path_key: wide("path_key")?.clone(),
            kind: narrow("kind")?.clone(),
            flags: narrow("flags")?.clone(),
            work: wide("work")?.clone(),
            lifetime: lifetime(start, end),
            delay: delays(created, start, |row| integer_at(end, row), dependences),
            through: Vec::new(),
        })
    }

    fn from_grains(
        run: RunId,
        definitions: Vec<DefinitionId>,
        grains: &Grains,
        dependences: &Dependences,
    ) -> Self {
        let (start, end) = (&grains.start, &grains.end);
        let delay = delays(&grains.created, start, |row| end.get(row), dependences);
        Self {
            run,
            definitions,
            context: grains.context.to_arrow(),
            path_key: grains.path_key.to_arrow(),
            kind: grains.kind.to_arrow(),
            flags: grains.flags.to_arrow(),
            work: grains.work.to_arrow(),
            lifetime: lifetime(start, end),
            delay,
            through: Vec::new(),
        }
    }

    /// Number of grains.
    pub fn len(&self) -> usize {
        self.path_key.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.path_key.is_empty()
    }

    /// Definition of a grain.
    pub fn definition(&self, row: u32) -> Option<DefinitionId> {
        let context = usize::try_from(*self.context.values().get(row as usize)?).ok()?;
        self.definitions.get(context).copied()
    }

    /// Number of the definition of a grain, given those of the contexts.
    pub(super) fn definition_number(&self, row: usize, of_context: &[u32]) -> u32 {
        let context = self.context.values().get(row);
        let context = context.and_then(|&context| usize::try_from(context).ok());
        let number = context.and_then(|context| of_context.get(context));
        number.copied().unwrap_or(0)
    }
}

fn definitions(definitions: &Definitions, contexts: &Contexts) -> Vec<DefinitionId> {
    let id = |row: &i32| {
        let row = usize::try_from(*row).unwrap_or(usize::MAX);
        let bytes = (row < definitions.id.len()).then(|| definitions.id.value(row));
        let bytes = bytes.and_then(|bytes| <[u8; 16]>::try_from(bytes).ok());
        DefinitionId(bytes.unwrap_or_default())
    };
    contexts.definition.values().iter().map(id).collect()
}

fn lifetime(
    start: impl IntoIterator<Item = Option<i64>>,
    end: impl IntoIterator<Item = Option<i64>>,
) -> Int64Array {
    let both = start.into_iter().zip(end);
    both.map(|(start, end)| end?.checked_sub(start?)).collect()
}
