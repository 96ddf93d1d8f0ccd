//! Any bytes, read as Caliper's text records: reading ends with valid tables or with a refusal, never with a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sheaf_ingest::{Format, Input, NoModules, Symbols, read};
use sheaf_model::Progress;

fuzz_target!(|bytes: &[u8]| {
    let content = bytes.to_vec();
    let input = Input {
        format: Some(Format::Caliper),
        ..Input::new("caliper", &content)
    };
    let reading = read(&[input], &Symbols::new(NoModules), &Progress::silent());
    for run in reading.into_iter().flat_map(|reading| reading.runs) {
        if let Err(error) = run.tables.validate() {
            panic!("{error}");
        }
    }
});
