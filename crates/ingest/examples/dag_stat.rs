//! Prints the statistics of a recording of DAG Recorder, as the recorder does; with `--tables`
//! the sizes of the tables that it becomes, too.
//!
//! `cargo run --release -p sheaf-ingest --example dag_stat -- run.dag [--tables]`

use std::fs::File;
use std::io::{self, Read, Write as _};

use sheaf_ingest::dag_recorder::{Dag, statistics};
use sheaf_ingest::{Content, Input, NoModules, Symbols, read};
use sheaf_model::Progress;

/// A file that is read as a stream.
struct Path(String);

impl Content for Path {
    fn open(&self) -> io::Result<Box<dyn Read + Send + '_>> {
        Ok(Box::new(File::open(&self.0)?))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("name a recording")?;
    let content = Path(path.clone());
    let input = Input::new(&path, &content);
    let progress = Progress::silent();
    let (dag, _) = Dag::read(&input, &progress)?;
    let mut out = io::stdout().lock();
    let statistics = statistics(&dag);
    write!(out, "{}", statistics.to_text())?;
    let per_node = dag.memory() as f64 / dag.num_nodes() as f64;
    writeln!(out, "bytes per node        = {per_node:.1}")?;
    drop(dag);
    if arguments.next().as_deref() == Some("--tables") {
        let reading = read(&[input], &Symbols::new(NoModules), &progress)?;
        for run in &reading.runs {
            let (grains, fragments) = (run.tables.grains.len(), run.tables.fragments.len());
            writeln!(out, "grains                = {grains}")?;
            writeln!(out, "fragments             = {fragments}")?;
        }
        for (_, error) in &reading.refused {
            writeln!(out, "refused: {error}")?;
        }
    }
    Ok(())
}
