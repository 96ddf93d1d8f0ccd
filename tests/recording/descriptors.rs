//! Programs that close descriptors which they did not open, as daemons do, and get their numbers for files of their own.

use std::fs;
use std::path::{Path, PathBuf};

use sheaf_answers::{Record, Runs};
use sheaf_tests::{ask, run};

use crate::launching::compile;

/// `closing LAST FILE [COMMAND]`: runs tasks, closes the descriptors from 3 to LAST, executes COMMAND, writes a line to FILE,
/// opens it on as many descriptors as it can up to LAST, and runs many more tasks.
const CLOSING: &str = r#"
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
static void tasks(int count) {
    #pragma omp parallel num_threads(2)
    #pragma omp single
    for (int i = 0; i < count; i++) {
        #pragma omp task
        { __asm__ volatile(""); }
    }
}
int main(int count, char **words) {
    tasks(100);
    int last = atoi(words[1]);
    for (int fd = 3; fd <= last; fd++) close(fd);
    if (count > 3 && system(words[3])) return 9;
    int file = open(words[2], O_RDWR | O_CREAT, 0644);
    if (write(file, "mine\n", 5) != 5) return 9;
    while (file >= 0 && file < last) file = open(words[2], O_RDWR);
    tasks(100000);
    return 0;
}
"#;

/// `low`: fails with the number of a low descriptor that leads to a file of the recording.
const LOW: &str = r#"
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(void) {
    int found = 0;
    #pragma omp parallel
    #pragma omp single
    for (int fd = 0; fd < 256; fd++) {
        char link[64], name[4096] = "";
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        if (readlink(link, name, sizeof name - 1) > 0 && (strstr(name, ".in-use") || strstr(name, ".gstrace")))
            found = fd + 1;
    }
    return found;
}
"#;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn own(&self) -> PathBuf {
        self.path().join("own")
    }

    /// Records `closing` and returns the words of the command.
    fn words(&self, last: u32, more: &[&str]) -> Vec<String> {
        let closing = compile(self.path(), "closing", CLOSING);
        let (closing, own, last) = (closing.display(), self.own(), last.to_string());
        let words = ["record", "--json", "--", &closing.to_string(), &last]
            .map(str::to_owned)
            .into_iter()
            .chain([own.display().to_string()]);
        words
            .chain(more.iter().map(|&word| word.to_owned()))
            .collect()
    }

    #[track_caller]
    fn check_own(&self) {
        let content = fs::read(self.own()).unwrap();
        assert_eq!(content.len(), 5, "the recorder wrote to the program's file");
        assert_eq!(content, b"mine\n");
    }
}

#[test]
fn the_recorder_writes_to_its_own_file_only() {
    let folder = Folder::new();
    // The recorder's descriptor is among the higher numbers only; it opens its file again.
    for last in [255, 1_100] {
        let store = folder.path().join(last.to_string());
        let answer: Record = run(&store, folder.words(last, &[])).expect_code(0).read();
        folder.check_own();
        assert_eq!(answer.runs.len(), 1);
        assert!(answer.runs[0].is_complete, "{answer:?}");
        assert_eq!(answer.runs[0].grains, 100_100, "{answer:?}");
    }
}

#[test]
fn a_recorder_that_lost_its_file_stops_and_says_so() {
    let folder = Folder::new();
    let store = folder.path().join("store");
    let moved = "cd $GRAINSHEAF_TRACE_DIR && mv *.gstrace moved";
    let outcome = run(&store, folder.words(1_100, &[moved])).expect_code(3);
    folder.check_own();
    let expected = "the program closed the recorder's file";
    assert!(outcome.stderr.contains(expected), "{}", outcome.stderr);
    assert!(
        !outcome.stderr.contains("refused space"),
        "{}",
        outcome.stderr
    );
    let answer: Record = outcome.read();
    assert!(
        answer.runs[0]
            .warnings
            .iter()
            .any(|it| it.contains(expected)),
        "{answer:?}"
    );
    let stored: Runs = ask(&store, &["runs"]);
    assert!(!stored.runs[0].is_complete, "{stored:?}");
}

#[test]
fn files_of_the_recording_have_no_low_descriptors() {
    let folder = Folder::new();
    let low = compile(folder.path(), "low", LOW);
    let words = ["record", "--", low.to_str().unwrap()];
    run(&folder.path().join("store"), words).expect_code(0);
}
