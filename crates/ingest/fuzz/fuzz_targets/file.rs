//! Any bytes, read as a file of the format that the target is named after: reading ends with valid
//! tables or with a refusal, never with a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sheaf_ingest::{Format, Input, NoModules, Symbols, read};
use sheaf_model::Progress;

fuzz_target!(|bytes: &[u8]| {
    let format = Format::ALL
        .iter()
        .find(|format| format.as_str() == env!("CARGO_BIN_NAME"));
    assert!(format.is_some(), "no format has the name of the target");
    let content = bytes.to_vec();
    let input = Input {
        format: format.copied(),
        // The form that TAU's reader asks for; other readers take any name.
        ..Input::new("profile.0.0.0", &content)
    };
    let reading = read(&[input], &Symbols::new(NoModules), &Progress::silent());
    for run in reading.into_iter().flat_map(|reading| reading.runs) {
        if let Err(error) = run.tables.validate() {
            panic!("{error}");
        }
    }
});
