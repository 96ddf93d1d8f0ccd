//! Stores of made-up call profiles, whose times a test chooses.

use std::path::PathBuf;

use serde_json::json;
use sheaf_statistics::Random;
use sheaf_tests::run;
use tempfile::TempDir;

/// A run to be made: its parameters and the time of each function that `main` calls.
pub struct Made<'a> {
    pub params: Vec<(&'a str, String)>,
    pub times: Vec<(&'a str, f64)>,
}

/// A store of its own, removed with the value.
pub struct MadeStore {
    folder: TempDir,
}

impl MadeStore {
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// Adds the runs one by one in the order given, or backwards.
pub fn store(runs: &[Made<'_>], is_backwards: bool) -> MadeStore {
    let made = MadeStore {
        folder: tempfile::tempdir().unwrap(),
    };
    let mut words = Vec::new();
    for (number, one) in runs.iter().enumerate() {
        let child = |(name, time): &(&str, f64)| {
            let metrics = json!({"time": time, "time (inc)": time});
            json!({"frame": {"name": name, "type": "function"}, "metrics": metrics, "children": []})
        };
        let children: Vec<_> = one.times.iter().map(child).collect();
        let all: f64 = one.times.iter().map(|(_, time)| time).sum();
        // A little of its own, so that no two runs are the same content.
        let own = 1e-6 * (1.0 + number as f64);
        let metrics = json!({"time": own, "time (inc)": all + own});
        let root = json!([{
            "frame": {"name": "main", "type": "function"}, "metrics": metrics, "children": children
        }]);
        let file = made.file(&format!("run-{number:03}.json"));
        std::fs::write(&file, root.to_string()).unwrap();
        let params = one.params.iter();
        let params: Vec<String> = params
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        words.push((file, params));
    }
    if is_backwards {
        words.reverse();
    }
    for (file, params) in words {
        let mut arguments = vec!["add".to_owned(), file.display().to_string()];
        arguments.extend(
            params
                .into_iter()
                .flat_map(|one| ["--param".to_owned(), one]),
        );
        run(&made.path(), arguments).expect_code(0);
    }
    made
}

/// Times that vary by about `noise` from run to run, from a seed.
pub fn noisy(seed: u64, time: f64, noise: f64) -> f64 {
    let unit = Random::new(seed).unit();
    time * (1.0 + noise * (2.0 * unit - 1.0))
}
