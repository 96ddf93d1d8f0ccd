//! Tables of grains as data, written page by page, so that four million rows need no more memory than one page.

use std::io::{self, Write};

use arrow::error::ArrowError;
use arrow::ipc::writer::StreamWriter;
use serde::Serialize;
use sheaf_answers::{self as api, Tabular};
use sheaf_ensemble::{Error, GrainDiffQuestion, GrainsQuestion};
use sheaf_model::Lens;

use crate::{Answers, csv, json, stream};

/// Rows that are at hand at once.
const PAGE: usize = 8_192;

/// Form of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataForm {
    /// One JSON object.
    Json,
    /// Comma-separated values with a header line.
    Csv,
    /// An Arrow IPC stream, a batch per page.
    Arrow,
}

impl Answers {
    /// Writes all grains that a question selects.
    ///
    /// # Errors
    /// As for [`Answers::grains`], and what the writer says.
    pub fn write_grains(
        &self,
        run: &str,
        question: &GrainsQuestion,
        form: DataForm,
        out: &mut dyn Write,
    ) -> Result<(), Error> {
        let most = question.limit.unwrap_or(usize::MAX);
        // All pages are of one moment: runs that are removed meanwhile are still written.
        let view = self.view().map_err(|error| error.named(self.progress()))?;
        let page = |done: usize| {
            let question = GrainsQuestion {
                offset: question.offset.saturating_add(done),
                limit: Some(PAGE.min(most - done)),
                ..question.clone()
            };
            match view.grains(run, &question) {
                Err(error) if error.is_changed() => self.grains(run, &question),
                answer => answer,
            }
        };
        write_pages(page, most, form, out).map_err(|error| error.named(self.progress()))
    }

    /// Writes all grains of a comparison that a question selects.
    ///
    /// # Errors
    /// As for [`Answers::grain_diff`], and what the writer says.
    pub fn write_grain_diff(
        &self,
        lens: &Lens,
        question: &GrainDiffQuestion,
        form: DataForm,
        out: &mut dyn Write,
    ) -> Result<(), Error> {
        let most = question.limit.unwrap_or(usize::MAX);
        let view = self.view().map_err(|error| error.named(self.progress()))?;
        let page = |done: usize| {
            let question = GrainDiffQuestion {
                offset: question.offset.saturating_add(done),
                limit: Some(PAGE.min(most - done)),
                ..*question
            };
            match view.grain_diff(lens, &question) {
                Err(error) if error.is_changed() => self.grain_diff(lens, &question),
                answer => answer,
            }
        };
        write_pages(page, most, form, out).map_err(|error| error.named(self.progress()))
    }
}

/// An answer that is one page of a table; its rows are the last key.
trait Page: Serialize + Tabular {
    type Rows: Serialize;

    fn num_rows(&self) -> usize;

    /// Moves the rows out of the answer.
    fn take_rows(&mut self) -> Self::Rows;
}

impl Page for api::Grains {
    type Rows = api::GrainRows;

    fn num_rows(&self) -> usize {
        self.rows.len()
    }

    fn take_rows(&mut self) -> Self::Rows {
        std::mem::take(&mut self.rows)
    }
}

impl Page for api::GrainDiff {
    type Rows = Vec<api::GrainDiffRow>;

    fn num_rows(&self) -> usize {
        self.rows.len()
    }

    fn take_rows(&mut self) -> Self::Rows {
        std::mem::take(&mut self.rows)
    }
}

fn write_pages<P: Page>(
    page: impl Fn(usize) -> Result<P, Error>,
    most: usize,
    form: DataForm,
    out: &mut dyn Write,
) -> Result<(), Error> {
    match form {
        DataForm::Json => write_json(page, most, out),
        DataForm::Csv => write_csv(page, most, out),
        DataForm::Arrow => write_arrow(page, most, out),
    }
}

/// Asks for page after page, and hands each on.
fn pages<P: Page>(
    page: impl Fn(usize) -> Result<P, Error>,
    most: usize,
    mut write: impl FnMut(P) -> io::Result<()>,
) -> Result<(), Error> {
    let mut done = 0;
    loop {
        let answer = page(done)?;
        let rows = answer.num_rows();
        done += rows;
        write(answer).map_err(|source| Error::Export { source })?;
        if rows < PAGE || done >= most {
            return Ok(());
        }
    }
}

fn write_json<P: Page>(
    page: impl Fn(usize) -> Result<P, Error>,
    most: usize,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let mut is_first = true;
    pages(page, most, |mut answer| {
        let rows = answer.take_rows();
        let mut bytes = Vec::new();
        if is_first {
            // The rows are the last key of the answer.
            json::write_part(&answer, &mut bytes)?;
            out.write_all(bytes.strip_suffix(b"]}").unwrap_or(&bytes))?;
            bytes.clear();
        }
        json::write_part(&rows, &mut bytes)?;
        let inner = bytes
            .strip_prefix(b"[")
            .and_then(|it| it.strip_suffix(b"]"));
        let inner = inner.unwrap_or(&bytes);
        if !inner.is_empty() && !std::mem::take(&mut is_first) {
            out.write_all(b",")?;
        }
        out.write_all(inner)
    })?;
    out.write_all(b"]}\n")
        .map_err(|source| Error::Export { source })
}

fn write_csv<P: Page>(
    page: impl Fn(usize) -> Result<P, Error>,
    most: usize,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let mut is_first = true;
    pages(page, most, |answer| {
        csv::write(&answer.table(), std::mem::take(&mut is_first), out)
    })
}

fn write_arrow<P: Page>(
    page: impl Fn(usize) -> Result<P, Error>,
    most: usize,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let mut writer: Option<StreamWriter<&mut dyn Write>> = None;
    let mut out = Some(out);
    pages(page, most, |answer| {
        let batch = stream::to_batch(&answer.table()).map_err(failed)?;
        if let Some(out) = out.take() {
            writer = Some(StreamWriter::try_new(out, &batch.schema()).map_err(failed)?);
        }
        match &mut writer {
            Some(writer) => writer.write(&batch).map_err(failed),
            None => Ok(()),
        }
    })?;
    let finished = writer.map_or(Ok(()), |mut writer| writer.finish().map_err(failed));
    finished.map_err(|source| Error::Export { source })
}

fn failed(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        error => io::Error::other(error),
    }
}
