//! The one answer of a command, as JSON, as comma-separated values or as text.

use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use sheaf_answers::{Table, Tabular};
use sheaf_ensemble::Caller;
use sheaf_model::visible_json;
use sheaf_server::{DataForm, csv};

use crate::cli::Global;
use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::interrupt::begin_last_output;
use crate::render::{DEFAULT_ROWS, Layout};
use crate::stdout::write;
use crate::terminal;

/// Form of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    Json,
    Csv,
}

/// Where answers go.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    global: Global,
    form: Form,
    layout: Layout,
    caller: Caller,
}

impl Output {
    /// The form that the options select.
    pub(crate) fn new(global: &Global) -> Self {
        let form = match (global.json, global.csv) {
            (true, _) => Form::Json,
            (false, true) => Form::Csv,
            (false, false) => Form::Text,
        };
        Self {
            global: global.clone(),
            form,
            layout: terminal::layout(global),
            caller: caller(global),
        }
    }

    /// The options of every command.
    pub(crate) fn global(&self) -> &Global {
        &self.global
    }

    /// Whether text for people is wanted.
    pub(crate) fn is_text(&self) -> bool {
        self.form == Form::Text
    }

    /// The form of data that is wanted; none for text.
    pub(crate) fn data_form(&self) -> Option<DataForm> {
        match self.form {
            Form::Text => None,
            Form::Json => Some(DataForm::Json),
            Form::Csv => Some(DataForm::Csv),
        }
    }

    /// The caller, from the environment; standard error names the import that `@new` selects.
    pub(crate) fn caller(&self) -> Caller {
        self.caller.clone()
    }

    /// What the terminal can show.
    pub(crate) fn layout(&self) -> Layout {
        self.layout
    }

    /// Number of rows to show: `asked`, or by default some in text and all in data. 0 is all.
    pub(crate) fn limit(&self, asked: Option<usize>) -> usize {
        asked.unwrap_or(if self.form == Form::Text {
            DEFAULT_ROWS
        } else {
            0
        })
    }

    /// Prints an answer that has no table of its own.
    ///
    /// # Errors
    /// When comma-separated values are asked for, or standard output cannot be written.
    pub(crate) fn print(
        &self,
        answer: &impl Serialize,
        text: impl FnOnce(Layout) -> String,
    ) -> Result<Exit, Failure> {
        self.refuse_csv()?;
        self.print_table_of(answer, Table::default, text)
    }

    /// Prints an answer that is a table.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub(crate) fn print_table(
        &self,
        answer: &(impl Serialize + Tabular),
        text: impl FnOnce(Layout) -> String,
    ) -> Result<Exit, Failure> {
        self.print_table_of(answer, || answer.table(), text)
    }

    /// Prints an answer, one of whose tables was asked for.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub(crate) fn print_table_of<'a>(
        &self,
        answer: &impl Serialize,
        table: impl FnOnce() -> Table<'a>,
        text: impl FnOnce(Layout) -> String,
    ) -> Result<Exit, Failure> {
        match self.form {
            Form::Json => write_json(serde_json::to_string(answer))?,
            Form::Csv => write(&csv::to_text(&table()))?,
            Form::Text => write(&text(self.layout))?,
        }
        Ok(Exit::Done)
    }

    /// Fails if `--json` or `--csv` is combined with `option`.
    ///
    /// # Errors
    /// Then.
    pub(crate) fn refuse_other_than(&self, option: &str) -> Result<(), Failure> {
        match self.form {
            Form::Text => Ok(()),
            Form::Json => Err(Failure::usage(format!(
                "`{option}` and `--json` exclude each other"
            ))),
            Form::Csv => Err(Failure::usage(format!(
                "`{option}` and `--csv` exclude each other"
            ))),
        }
    }

    /// Fails if `--csv` is given for an answer without a table.
    ///
    /// # Errors
    /// Then.
    pub(crate) fn refuse_csv(&self) -> Result<(), Failure> {
        if self.form == Form::Csv {
            return Err(
                Failure::usage("this command has no table for `--csv`").with_hint("use `--json`")
            );
        }
        Ok(())
    }
}

fn caller(global: &Global) -> Caller {
    let console = Console::new(global);
    let has_informed = AtomicBool::new(false);
    Caller::of_environment(|name| std::env::var(name).ok()).informed_by(move |meaning| {
        if !has_informed.swap(true, Ordering::Relaxed) {
            console.note(meaning);
        }
    })
}

fn write_json(json: serde_json::Result<String>) -> Result<(), Failure> {
    let mut text =
        json.map_err(|error| Failure::internal("cannot write the answer as JSON", &error))?;
    text.push('\n');
    write(&visible_json(&text))
}

/// Writes a file, which is there when it is whole; one of that name is replaced.
///
/// # Errors
/// When it cannot be written.
pub(crate) fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    begin_last_output();
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // As for any new file; the user's mask applies.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let file = builder
        .prefix(".grainsheaf-report")
        .tempfile_in(folder.unwrap_or(Path::new(".")));
    let written = file.and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.persist(path).map_err(|error| error.error)
    });
    written
        .map(drop)
        .map_err(|error| Failure::file("cannot write output", &error, path))
}
