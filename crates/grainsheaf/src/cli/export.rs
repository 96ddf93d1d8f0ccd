//! Arguments of `export`.

use std::path::PathBuf;

use clap::Args;
use sheaf_ensemble::ExportFormat;

/// Which run to export, and how.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Formats:
  chrome  trace events in JSON, for Perfetto (ui.perfetto.dev) and chrome://tracing: a slice per
          fragment, arrows from creations to first fragments, waits; `grainsheaf add` reads them
          back as the same run

A file that is there already is not overwritten.

Examples:
  grainsheaf export sort-t8-r1 --as chrome -o sort.json
  grainsheaf export 3f2a91c0 --as chrome | gzip > run.json.gz")]
pub(crate) struct ExportArguments {
    /// Run id, unique beginning of an id, or name.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// Format to write.
    #[arg(long = "as", value_name = "FORMAT", value_parser = format)]
    pub(crate) format: ExportFormat,
    /// File to write; standard output when missing or `-`.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

fn format(text: &str) -> Result<ExportFormat, String> {
    text.parse()
}
