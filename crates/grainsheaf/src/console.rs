//! Standard error: errors, warnings, notes and progress, none of which disturb each other.

use std::io::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sheaf_model::{Progress, Step};

use crate::cli::Global;
use crate::failure::Failure;
use crate::render::{Tone, plain};
use crate::terminal;

/// Writes to standard error. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Console {
    is_quiet: bool,
    has_colour: bool,
    bar: ProgressBar,
}

impl Console {
    /// A console without progress.
    pub(crate) fn new(global: &Global) -> Self {
        Self {
            is_quiet: global.quiet,
            has_colour: terminal::has_colour_on_stderr(global.color),
            bar: ProgressBar::hidden(),
        }
    }

    /// The same console with a progress bar of `total` steps, drawn on terminals only.
    pub(crate) fn with_bar(mut self, global: &Global, total: u64, what: &str) -> Self {
        let target = if terminal::shows_progress(global) {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        self.bar = ProgressBar::with_draw_target(Some(total), target);
        let template = format!("{{bar:24}} {{pos}}/{{len}} {what}, {{eta}} left  {{wide_msg}}");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            self.bar.set_style(style.progress_chars("━╸─"));
        }
        self
    }

    /// Whether a bar is drawn, which output of others would tear.
    pub(crate) fn has_bar(&self) -> bool {
        !self.bar.is_hidden()
    }

    /// Whether only answers and errors are wanted.
    pub(crate) fn is_quiet(&self) -> bool {
        self.is_quiet
    }

    /// Says what is being done.
    pub(crate) fn step(&self, what: &str) {
        self.bar.set_message(plain(what));
    }

    /// Counts finished steps.
    pub(crate) fn advance(&self, count: u64) {
        self.bar.inc(count);
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// A failure, its hint on a line of its own.
    pub(crate) fn failure(&self, failure: &Failure) {
        let word = Tone::Bad.paint("error:", self.has_colour);
        self.line(&format!("{word} {}", lines(&failure.message)));
        if let Some(hint) = &failure.hint {
            self.line(&format!("hint: {}", lines(hint)));
        }
    }

    /// Something that the user should know.
    pub(crate) fn warning(&self, text: &str) {
        if !self.is_quiet {
            let word = Tone::Notable.paint("warning:", self.has_colour);
            self.line(&format!("{word} {}", lines(text)));
        }
    }

    /// Something that the user may want to know.
    pub(crate) fn note(&self, text: &str) {
        if !self.is_quiet {
            self.line(&lines(text));
        }
    }

    /// A line as it is, such as one that a program wrote.
    pub(crate) fn line(&self, text: &str) {
        self.bar.suspend(|| {
            // If standard error is closed, the message cannot be delivered anywhere.
            let _ = writeln!(std::io::stderr(), "{text}");
        });
    }

    /// A handle for long work of the engine, shown as a bar on a terminal.
    pub(crate) fn progress(&self, global: &Global) -> Progress {
        if !terminal::shows_progress(global) {
            return Progress::silent();
        }
        let bar = self.bar.clone();
        bar.set_draw_target(ProgressDrawTarget::stderr());
        bar.enable_steady_tick(Duration::from_millis(120));
        let shown = Mutex::new(String::new());
        Progress::watched(move |step| {
            let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
            if *shown != step.name {
                shown.clone_from(&step.name);
                bar.set_style(style_of(step));
                bar.reset();
            }
            if let Some(total) = step.total {
                bar.set_length(total);
            }
            // Threads report in any order.
            bar.set_position(step.done.max(bar.position()));
            bar.set_message(plain(&step.name));
        })
    }
}

/// Bytes are shown with a rate, other steps are counted.
fn style_of(step: &Step) -> ProgressStyle {
    let template = match (step.name.as_str(), step.total) {
        ("reading", Some(_)) => {
            "{bar:24} {decimal_bytes}/{decimal_total_bytes}, {decimal_bytes_per_sec}, {eta} left  {wide_msg}"
        }
        (_, Some(_)) => "{bar:24} {pos}/{len}, {eta} left  {wide_msg}",
        (_, None) => "{spinner} {wide_msg}",
    };
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("━╸─")
}

/// The text with its line ends kept and everything else made harmless.
fn lines(text: &str) -> String {
    text.lines().map(plain).collect::<Vec<_>>().join("\n")
}
