//! Grains of a run as data, written page by page, so that four million of them need no more memory than one page.

use std::io::{self, Write};

use arrow::error::ArrowError;
use arrow::ipc::writer::StreamWriter;
use sheaf_api as api;
use sheaf_ensemble::{Error, GrainsQuestion};

use crate::{Answers, csv, stream};

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
        let page = |done: usize| {
            let question = GrainsQuestion {
                offset: question.offset.saturating_add(done),
                limit: Some(PAGE.min(most - done)),
                ..question.clone()
            };
            self.grains(run, &question)
        };
        match form {
            DataForm::Json => write_json(page, most, out),
            DataForm::Csv => write_csv(page, most, out),
            DataForm::Arrow => write_arrow(page, most, out),
        }
    }
}

/// Asks for page after page, and hands each on.
fn pages(
    page: impl Fn(usize) -> Result<api::Grains, Error>,
    most: usize,
    mut write: impl FnMut(api::Grains) -> io::Result<()>,
) -> Result<(), Error> {
    let mut done = 0;
    loop {
        let answer = page(done)?;
        let rows = answer.rows.len();
        done += rows;
        write(answer).map_err(|source| Error::Export { source })?;
        if rows < PAGE || done >= most {
            return Ok(());
        }
    }
}

fn write_json(
    page: impl Fn(usize) -> Result<api::Grains, Error>,
    most: usize,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let mut is_first = true;
    pages(page, most, |mut answer| {
        let rows = std::mem::take(&mut answer.rows);
        if is_first {
            // The rows are the last key of the answer.
            let text = serde_json::to_string(&answer)?;
            out.write_all(text.strip_suffix("]}").unwrap_or(&text).as_bytes())?;
        }
        for row in rows {
            if !std::mem::take(&mut is_first) {
                out.write_all(b",")?;
            }
            serde_json::to_writer(&mut *out, &row)?;
        }
        Ok(())
    })?;
    out.write_all(b"]}\n")
        .map_err(|source| Error::Export { source })
}

fn write_csv(
    page: impl Fn(usize) -> Result<api::Grains, Error>,
    most: usize,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let mut is_first = true;
    pages(page, most, |answer| {
        let text = csv::grains(&answer);
        let rows = if std::mem::take(&mut is_first) {
            text.as_str()
        } else {
            text.split_once('\n').map_or("", |(_, rows)| rows)
        };
        out.write_all(rows.as_bytes())
    })
}

fn write_arrow(
    page: impl Fn(usize) -> Result<api::Grains, Error>,
    most: usize,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let mut writer: Option<StreamWriter<&mut dyn Write>> = None;
    let mut out = Some(out);
    pages(page, most, |answer| {
        let batch = stream::grains(&answer).map_err(failed)?;
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
