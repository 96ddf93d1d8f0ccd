//! Any bytes as the tree of a database, or as the values of a rank of a small one: reading ends with
//! valid tables or with an error, never with a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sheaf_ingest::{Input, NoModules, Symbols, read};
use sheaf_model::Progress;

const TREE: &[u8] = include_bytes!("../../../../data/samples/hpctoolkit-3/ranks/experiment.xml");

fuzz_target!(|bytes: &[u8]| {
    let (content, tree) = (bytes.to_vec(), TREE.to_vec());
    let of_rank = "1.app-000000-000-7f000001-1-0.metric-db";
    let databases = [
        [Input::new("a/experiment.xml", &content), Input::new("b/x", &content)],
        [Input::new("experiment.xml", &tree), Input::new(of_rank, &content)],
    ];
    for inputs in &databases {
        let Ok(reading) = read(inputs, &Symbols::new(NoModules), &Progress::silent()) else {
            return;
        };
        for run in &reading.runs {
            if let Err(error) = run.tables.validate() {
                panic!("{error}");
            }
        }
    }
});
