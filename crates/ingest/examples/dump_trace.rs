//! Reads the trace files given and prints their tables as text, with the time it took.
#![allow(clippy::print_stdout, reason = "it prints")]

use sheaf_ingest::{Input, ModuleFile, ModuleSource, NoSymbols, Symbols, read};
use sheaf_model::Progress;

struct Files;

impl ModuleSource for Files {
    fn module(&self, path: &str) -> Result<Box<dyn ModuleFile>, NoSymbols> {
        let file = std::fs::File::open(path).map_err(|_| NoSymbols::Missing)?;
        Ok(Box::new(file))
    }
}

fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let files: Vec<Vec<u8>> = names
        .iter()
        .map(|name| std::fs::read(name).unwrap_or_default())
        .collect();
    let inputs: Vec<Input<'_>> = names
        .iter()
        .zip(&files)
        .map(|(name, bytes)| Input::new(name, bytes))
        .collect();
    let begin = std::time::Instant::now();
    let Ok(reading) = read(&inputs, &Symbols::new(Files), &Progress::silent()) else {
        return;
    };
    let took = begin.elapsed();
    for (at, error) in &reading.refused {
        println!("refused {}: {error}", names[*at]);
    }
    for run in &reading.runs {
        println!("{:#?}", run.tables.summary.meta);
        for definition in run.tables.summary.definitions.rows() {
            println!("{definition:?}");
        }
        for context in run.tables.summary.contexts.rows().take(40) {
            println!("{context:?}");
        }
        for total in run.tables.summary.totals.rows().take(40) {
            println!("{total:?}");
        }
        for grain in run.tables.grains.rows().take(40) {
            println!("{grain:?}");
        }
        for finding in &run.report.findings {
            println!("{finding:?}");
        }
        println!(
            "{} grains, {} fragments, {took:?}",
            run.tables.grains.len(),
            run.tables.fragments.len()
        );
    }
}
