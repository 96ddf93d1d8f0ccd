//! Answers of the command line and the service as the types of answers, and where the samples are.

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use sheaf_answers::{ErrorBody, ParamValue};

use crate::{Answer, Outcome, Service, run, workspace_root};

/// The answer of a command that must succeed; `--json` is added to `words`.
#[track_caller]
pub fn ask<T: DeserializeOwned>(store: &Path, words: &[&str]) -> T {
    let words = [words, &["--json"]].concat();
    run(store, words).expect_code(0).read()
}

impl Outcome {
    /// Standard output as an answer; fails the test with everything that was printed if it is not.
    #[track_caller]
    pub fn read<T: DeserializeOwned>(&self) -> T {
        match serde_json::from_str(&self.stdout) {
            Ok(answer) => answer,
            Err(error) => panic!("not the answer: {error}\n{}\n{}", self.stdout, self.stderr),
        }
    }
}

impl Answer {
    /// The body as an answer; fails the test with the body if it is not.
    #[track_caller]
    pub fn read<T: DeserializeOwned>(&self) -> T {
        match serde_json::from_slice(&self.body) {
            Ok(answer) => answer,
            Err(error) => panic!("not the answer: {error}\n{}", self.text()),
        }
    }

    /// The code of an error.
    #[track_caller]
    pub fn code(&self) -> String {
        word(&self.read::<ErrorBody>().code)
    }

    /// The message of an error.
    #[track_caller]
    pub fn message(&self) -> String {
        self.read::<ErrorBody>().message
    }
}

impl Service {
    /// The answer to a request that must succeed.
    #[track_caller]
    pub fn read<T: DeserializeOwned>(&self, path: &str) -> T {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.read()
    }
}

/// The first item for which `is_it` holds; fails the test with all items if there is none.
#[track_caller]
pub fn find<T: Debug>(items: &[T], is_it: impl Fn(&T) -> bool) -> &T {
    let found = items.iter().find(|item| is_it(item));
    found.unwrap_or_else(|| panic!("not found in {items:#?}"))
}

/// A parameter's number.
#[track_caller]
pub fn number(value: &ParamValue) -> f64 {
    match value {
        ParamValue::Number(number) => *number,
        other => panic!("not a number: {other:?}"),
    }
}

/// A parameter as people write it.
pub fn text(value: &ParamValue) -> String {
    value.shown()
}

/// A part of an answer as JSON text, to look for words in.
pub fn as_json(part: &impl Serialize) -> String {
    serde_json::to_string(part).unwrap()
}

/// A choice as it is written in JSON; `null` if it is absent.
pub fn word(choice: &impl Serialize) -> String {
    as_json(choice).trim_matches('"').to_owned()
}

/// One of the sample stores.
pub fn sample(name: &str) -> PathBuf {
    workspace_root().join("data/ensembles").join(name)
}

/// A folder or file of the shared reference data; prints that nothing is tested if it does not exist.
pub fn reference(path: &str) -> Option<PathBuf> {
    let path = workspace_root().join("../shared/data").join(path);
    if !path.exists() {
        println!("not tested: there are no reference data at ../shared/data");
        return None;
    }
    Some(path)
}

/// Copies a folder with everything in it.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).unwrap();
        }
    }
}
