//! Tables of grains as data, written page by page, so that four million rows need no more memory than one page.

use std::io::{self, Write};

use arrow::error::ArrowError;
use arrow::ipc::writer::StreamWriter;
use serde::Serialize;
use sheaf_answers::{self as api, Tabular};
use sheaf_ensemble::{Error, GrainDiffQuestion, GrainsQuestion};
use sheaf_model::{Lens, visible_json};

use crate::{Answers, csv, stream, wire};

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
                answer => answer.map(wire::grains),
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
                answer => answer.map(|answer| wire::grain_diff(lens, answer)),
            }
        };
        write_pages(page, most, form, out).map_err(|error| error.named(self.progress()))
    }
}

/// An answer that is one page of a table; its rows are the last key.
trait Page: Serialize + Tabular {
    type Row: Serialize;
    fn rows(&mut self) -> &mut Vec<Self::Row>;
}

impl Page for api::Grains {
    type Row = api::GrainRow;

    fn rows(&mut self) -> &mut Vec<Self::Row> {
        &mut self.rows
    }
}

impl Page for api::GrainDiff {
    type Row = api::GrainDiffRow;

    fn rows(&mut self) -> &mut Vec<Self::Row> {
        &mut self.rows
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
        let mut answer = page(done)?;
        let rows = answer.rows().len();
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
        let rows = std::mem::take(answer.rows());
        if is_first {
            // The rows are the last key of the answer.
            let text = serde_json::to_string(&answer)?;
            let text = visible_json(&text);
            out.write_all(text.strip_suffix("]}").unwrap_or(&text).as_bytes())?;
        }
        for row in rows {
            if !std::mem::take(&mut is_first) {
                out.write_all(b",")?;
            }
            out.write_all(visible_json(&serde_json::to_string(&row)?).as_bytes())?;
        }
        Ok(())
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
        let text = csv::to_text(&answer.table());
        let rows = if std::mem::take(&mut is_first) {
            text.as_str()
        } else {
            text.split_once('\n').map_or("", |(_, rows)| rows)
        };
        out.write_all(rows.as_bytes())
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
