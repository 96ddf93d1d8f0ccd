//! Reads files again and again and prints how fast that was: `read_speed TIMES FILE…`.

#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::time::Instant;

use sheaf_ingest::{Input, NoModules, Symbols, read};
use sheaf_model::Progress;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let times: u32 = arguments.next().ok_or("how often?")?.parse()?;
    let symbols = Symbols::new(NoModules);
    for path in arguments {
        let content = std::fs::read(&path)?;
        let inputs = [Input::new(&path, &content)];
        let start = Instant::now();
        let mut values = 0;
        for _ in 0..times {
            let reading = read(&inputs, &symbols, &Progress::silent())?;
            let runs = reading.runs.iter();
            values = runs.map(|run| run.tables.summary.values.len()).sum();
        }
        let each = start.elapsed() / times;
        let rate = content.len() as f64 / each.as_secs_f64() / 1e6;
        println!("{path}: {rate:.0} MB/s, {each:?} each, {values} values");
    }
    Ok(())
}
