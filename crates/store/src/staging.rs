//! Writing a segment aside and publishing it by a rename.

use arrow::array::RecordBatch;
use arrow::compute::concat_batches;
use arrow::datatypes::Schema;
use sheaf_model::{RunId, RunMeta};

use crate::catalogue;
use crate::disk::Place;
use crate::layout::{Layout, MANIFEST, TABLE_COUNT, TableRows, content_hash, imported_name, table};
use crate::manifest::{FileEntry, Manifest, RunEntry};
use crate::row_groups::{MAX_GROUP_ROWS, Part, row_groups};
use crate::table_file::{
    TableFile, stored_schema, stored_table_schema, with_row_numbers, with_run,
};
use crate::{Error, disk};

/// A segment whose tables are written, but which has no metadata and manifest yet.
pub(crate) struct Staged {
    folder: Place,
    files: Vec<FileEntry>,
}

/// A complete segment outside of the store's segments.
pub(crate) struct Sealed {
    folder: Place,
    /// Hash of the manifest, and through its checksums of everything in the segment.
    hash: String,
}

/// Where the rows of a segment to be written come from.
pub(crate) trait RowSource: Send {
    /// The rows of a table for each part; parts are in the order of the segment's runs.
    fn rows(&mut self, table_place: usize, parts: &[Part]) -> Result<Vec<RecordBatch>, Error>;
}

impl Staged {
    /// Writes the tables of `runs`, which are sorted by id, into the new folder `folder`.
    pub(crate) fn write(
        folder: &Place,
        runs: &[(RunId, TableRows)],
        source: &mut impl RowSource,
    ) -> Result<Self, Error> {
        disk::create_folders(folder)?;
        let mut files = Vec::new();
        for place in 0..TABLE_COUNT {
            let groups = row_groups(runs.iter().map(|(_, rows)| rows[place]));
            if groups.is_empty() {
                continue;
            }
            let columns = (table(place).schema)();
            let name = table(place).name;
            let schema = stored_table_schema(name, &columns);
            let mut file = TableFile::create(folder, name, &schema)?;
            let mut groups = groups.into_iter().map(|parts| {
                let batches = source.rows(place, &parts)?;
                let owners = owners(runs, &parts);
                let batch = with_row_numbers(name, &parts, join(&columns, batches)?)?;
                with_run(&schema, &owners, &batch)
            });
            let mut group = groups.next().transpose()?;
            while let Some(batch) = group {
                // The rows of the next row group are gathered while this one is encoded.
                let (written, next) = rayon::join(|| file.write_group(&batch), || groups.next());
                written?;
                group = next.transpose()?;
            }
            files.push(file.finish()?);
        }
        Ok(Self {
            folder: folder.clone(),
            files,
        })
    }

    /// Adds metadata and manifest. `runs` are those that were written, in their order.
    pub(crate) fn seal(mut self, runs: &[(RunMeta, TableRows)]) -> Result<Sealed, Error> {
        let batch = catalogue::run_batch(runs)?;
        let owners: Vec<_> = runs.iter().map(|(meta, _)| (meta.id, 1)).collect();
        self.write_catalogue(catalogue::RUNS, &owners, &batch)?;
        let params = catalogue::param_batch(runs.iter().map(|(meta, _)| meta))?;
        if params.num_rows() > 0 {
            let owners: Vec<_> = runs
                .iter()
                .map(|(meta, _)| (meta.id, meta.params.len()))
                .collect();
            self.write_catalogue(catalogue::PARAMS, &owners, &params)?;
        }
        let entries = runs
            .iter()
            .map(|(meta, rows)| RunEntry::new(meta, rows))
            .collect();
        let bytes = Manifest::new(entries, self.files).to_bytes()?;
        disk::write(&self.folder.join(MANIFEST), &bytes)?;
        disk::sync_folder(&self.folder)?;
        Ok(Sealed {
            folder: self.folder,
            hash: content_hash(&bytes),
        })
    }

    fn write_catalogue(
        &mut self,
        name: &str,
        owners: &[(RunId, usize)],
        batch: &RecordBatch,
    ) -> Result<(), Error> {
        let schema = stored_schema(batch.schema_ref());
        let batch = with_run(&schema, owners, batch)?;
        let mut file = TableFile::create(&self.folder, name, &schema)?;
        let group = usize::try_from(MAX_GROUP_ROWS).unwrap_or(usize::MAX);
        for first in (0..batch.num_rows()).step_by(group) {
            file.write_group(&batch.slice(first, group.min(batch.num_rows() - first)))?;
        }
        self.files.push(file.finish()?);
        Ok(())
    }
}

impl Sealed {
    /// The folder to rename.
    pub(crate) fn folder(&self) -> &Place {
        &self.folder
    }

    /// The name that only the segment's content determines.
    pub(crate) fn hash(&self) -> &str {
        &self.hash
    }

    /// Makes the segment visible under a name that only import `import` gives.
    pub(crate) fn publish(self, layout: &Layout, import: &str) -> Result<String, Error> {
        let name = imported_name(&self.hash, import);
        disk::create_folders(&layout.segments())?;
        // A segment of this name has this content: being there already is as good.
        disk::rename(&self.folder, &layout.segment(&name))?;
        disk::sync_folder(&layout.segments())?;
        Ok(name)
    }
}

fn owners(runs: &[(RunId, TableRows)], parts: &[Part]) -> Vec<(RunId, usize)> {
    parts
        .iter()
        .filter_map(|part| {
            let (id, _) = runs.get(part.run)?;
            Some((*id, usize::try_from(part.len()).ok()?))
        })
        .collect()
}

fn join(schema: &Schema, batches: Vec<RecordBatch>) -> Result<RecordBatch, Error> {
    match <[RecordBatch; 1]>::try_from(batches) {
        Ok([batch]) => Ok(batch),
        Err(batches) => concat_batches(&std::sync::Arc::new(schema.clone()), &batches)
            .map_err(|source| Error::internal("join the rows of runs", source)),
    }
}
