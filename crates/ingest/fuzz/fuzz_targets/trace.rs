//! Any bytes: reading ends with valid tables or with an error, never with a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sheaf_ingest::trace::{Trace, build};
use sheaf_ingest::{NoModules, Symbols};
use sheaf_model::Progress;

fuzz_target!(|bytes: &[u8]| {
    let Ok(trace) = Trace::parse(bytes) else { return };
    let symbols = Symbols::new(NoModules);
    if let Ok((run, _)) = build(&[trace], &symbols, &Progress::silent()) {
        if let Err(error) = run.validate() {
            panic!("{error}");
        }
    }
});
