//! Any bytes in the place of each member of a small database: reading ends with valid tables or with
//! an error, never with a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sheaf_ingest::{Input, NoModules, Symbols, read};
use sheaf_model::Progress;

const MEMBERS: [(&str, &[u8]); 3] = [
    ("meta.db", include_bytes!("../../../../data/samples/hpctoolkit-4/ranks/meta.db")),
    ("profile.db", include_bytes!("../../../../data/samples/hpctoolkit-4/ranks/profile.db")),
    ("cct.db", include_bytes!("../../../../data/samples/hpctoolkit-4/ranks/cct.db")),
];

fuzz_target!(|bytes: &[u8]| {
    for replaced in 0..MEMBERS.len() {
        let mut contents = MEMBERS.map(|(_, bytes)| bytes.to_vec());
        contents[replaced] = bytes.to_vec();
        let inputs: Vec<_> = MEMBERS
            .iter()
            .zip(&contents)
            .map(|((name, _), content)| Input::new(name, content))
            .collect();
        let Ok(reading) = read(&inputs, &Symbols::new(NoModules), &Progress::silent()) else {
            return;
        };
        for run in &reading.runs {
            if let Err(error) = run.tables.validate() {
                panic!("{error}");
            }
        }
    }
});
