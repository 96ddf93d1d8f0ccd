//! The one answer of a command, as JSON, as comma-separated values or as text.

use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use sheaf_ensemble::Caller;
use sheaf_model::visible_json;
use sheaf_server::DataForm;

use crate::cli::Global;
use crate::console::Console;
use crate::failure::Failure;
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
            form,
            layout: terminal::layout(global),
            caller: caller(global),
        }
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
        json: impl FnOnce() -> serde_json::Result<String>,
        text: impl FnOnce(Layout) -> String,
    ) -> Result<(), Failure> {
        self.refuse_csv()?;
        match self.form {
            Form::Json => write_json(json()),
            Form::Text | Form::Csv => write(&text(self.layout)),
        }
    }

    /// Prints an answer that is a table.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub(crate) fn print_table(
        &self,
        json: impl FnOnce() -> serde_json::Result<String>,
        csv: impl FnOnce() -> String,
        text: impl FnOnce(Layout) -> String,
    ) -> Result<(), Failure> {
        match self.form {
            Form::Json => write_json(json()),
            Form::Csv => write(&csv()),
            Form::Text => write(&text(self.layout)),
        }
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
