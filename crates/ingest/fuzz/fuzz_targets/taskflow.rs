//! Any bytes, most of which begin like a Taskflow profile: reading ends with valid tables or with
//! an error, never with a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sheaf_ingest::{Input, NoModules, Symbols, read};
use sheaf_model::Progress;

fuzz_target!(|bytes: &[u8]| {
    let content = bytes.to_vec();
    let inputs = [Input::new("fuzz", &content)];
    let Ok(reading) = read(&inputs, &Symbols::new(NoModules), &Progress::silent()) else {
        return;
    };
    for run in &reading.runs {
        if let Err(error) = run.tables.validate() {
            panic!("{error}");
        }
    }
});
