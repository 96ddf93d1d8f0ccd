//! Arguments of `export`.

use std::path::PathBuf;

use clap::Args;
use sheaf_ensemble::{ExportFormat, GraphForm};
use sheaf_model::Lens;

/// Which run or ensemble to export, and how.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = "\
Formats:
  graphml  the grain graph with the attributes of the grain-graphs prototype, for networkx, igraph,
           Gephi and ggraph; `grainsheaf add` reads reduced graphs back
  graphml-nested
           the aggregation tree in GraphML for yEd: a folder per group, with its values
  dot      the grain graph for Graphviz
  csv      a row per grain: path, definition, parent, worker, times, metrics;
           for a call profile a row per context, metric and location
  parquet  the same table in one file, with the definitions of columns in their metadata
  chrome   trace events in JSON, for Perfetto (ui.perfetto.dev) and chrome://tracing: a slice per
           fragment, arrows from creations to first fragments, waits; `grainsheaf add` reads them
           back as the same run
  html     a report: one file with pictures, tables and data, of RUN, of the runs of --lens, or of all runs;
           with a diff clause, of the comparison

Call profiles have no grains, so graph formats and chrome refuse them. Integers are exact. Absent values have
no attribute, or an empty cell. An existing file is not overwritten, and no file is left if the export fails.

Examples:
  grainsheaf export sort-t8-r1 --as chrome -o sort.json
  grainsheaf export sort-t8-r1 --as graphml --form unreduced -o sort.graphml
  grainsheaf export 3f2a91c0 --as dot | dot -Tsvg -o run.svg
  grainsheaf export 3f2a91c0 --as csv | gzip > run.csv.gz
  grainsheaf export --as html -o store.html
  grainsheaf export --as html --lens 'where threads >= 4 | by threads' -o threads.html")]
pub(crate) struct ExportArguments {
    /// Run id, unique prefix of one, or name; only `html` also exports several runs.
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// Format to write.
    #[arg(long = "as", value_name = "FORMAT", value_parser = format)]
    pub(crate) format: Format,
    /// With `--as html`, the question that the report answers, instead of RUN.
    #[arg(long, value_name = "TEXT", conflicts_with = "run", value_parser = super::pointed::<Lens>)]
    pub(crate) lens: Option<Lens>,
    /// Form of the grain graph in `graphml` and `dot`: a node per grain (reduced) or per fragment
    /// (unreduced).
    #[arg(long, value_name = "FORM", default_value_t, value_parser = form)]
    pub(crate) form: GraphForm,
    /// File to write; standard output if missing or `-`.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Form of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// A run in a format of other tools.
    Run(ExportFormat),
    /// An answer for people.
    Report,
}

fn format(text: &str) -> Result<Format, String> {
    if text == "html" {
        return Ok(Format::Report);
    }
    let format: Result<ExportFormat, String> = text.parse();
    format
        .map(Format::Run)
        .map_err(|reason| format!("{reason}, html"))
}

fn form(text: &str) -> Result<GraphForm, String> {
    text.parse()
}
