//! Every example of every command's `--help` runs on a sample ensemble, and the text of `scale` is what was read.

use std::path::Path;
use std::process::Command;

use sheaf_answers::Runs;
use sheaf_tests::{ask, grainsheaf, run, workspace_root};

use crate::studies::words;

const SAMPLES: [&str; 3] = ["threads", "versions", "runtimes"];

/// Commands whose examples need what no sample has: programs, files, a browser, or a store to be changed.
const ELSEWHERE: [&str; 7] = [
    "record",
    "add",
    "serve",
    "compact",
    "remove",
    "set",
    "completions",
];

/// What samples do not have, in examples of commands that ask.
const NOT_IN_SAMPLES: [&str; 12] = [
    "--store results",
    "'started > 2026-01-31 and not exists exit_status'",
    "threads,OMP_PLACES,commit",
    "'branch == main' 'branch == mine'",
    "'branch = main'",
    "--baseline A --candidate B",
    "--metric 'Total time'",
    "--by commit",
    "'copy (task) = flush (task)'",
    "'solve (loop) = solve_blocked (loop)'",
    "host like 'node*'",
    "'ranks == 64'",
];

fn commands(store: &Path) -> Vec<String> {
    let help = run(store, ["--help"]).expect_code(0).stdout;
    let listed = help.split("Commands:").nth(1).unwrap();
    let listed = listed.lines().skip(1).take_while(|line| !line.is_empty());
    let names = listed.filter_map(|line| line.strip_prefix("  "));
    let names = names.filter(|line| !line.starts_with(' '));
    let names = names.filter_map(|line| line.split(' ').next());
    let is_asking = |name: &&str| *name != "help" && !ELSEWHERE.contains(name);
    names.filter(is_asking).map(str::to_owned).collect()
}

/// Examples of a command, each on one line.
fn examples(store: &Path, command: &str) -> Vec<String> {
    let help = run(store, [command, "--help"]).expect_code(0).stdout;
    let lines = help
        .lines()
        .skip_while(|line| !line.starts_with("Examples"));
    let lines = lines.skip(1).take_while(|line| !line.is_empty());
    let mut examples: Vec<String> = Vec::new();
    for line in lines {
        if let Some(example) = line.trim().strip_prefix("grainsheaf ") {
            examples.push(example.to_owned());
        } else {
            // The rest of a long one.
            let example = examples.last_mut().unwrap();
            example.push(' ');
            example.push_str(line.trim());
        }
    }
    examples
}

/// Beginnings of the ids of two runs, for those that examples make up.
fn ids(store: &Path) -> [String; 2] {
    let runs: Runs = ask(store, &["runs"]);
    [0, 1].map(|place| runs.runs[place].run[..8].to_owned())
}

/// Exit status on a copy of a sample, in a folder that takes what is written; without what a shell does with
/// the output.
fn status(folder: &Path, sample: &str, example: &str) -> (Option<i32>, String) {
    let store = folder.join(sample);
    let [first, second] = ids(&store);
    let example = example
        .replace("3f2a91c0", &first)
        .replace("91c03f2a", &second);
    let words = words(&example).into_iter();
    let words = words.take_while(|word| word != ">" && word != "|");
    let output = grainsheaf(&store).args(words).current_dir(folder).output();
    let output = output.unwrap();
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), printed)
}

#[test]
fn examples_of_help_run_on_the_samples() {
    let folder = tempfile::tempdir().unwrap();
    for sample in SAMPLES {
        let from = workspace_root().join("data/ensembles").join(sample);
        let copied = Command::new("cp")
            .arg("-r")
            .arg(from)
            .arg(folder.path())
            .status();
        assert!(copied.unwrap().success());
    }
    let any = folder.path().join(SAMPLES[0]);
    let mut failed = Vec::new();
    let (mut ran, mut unused) = (0, NOT_IN_SAMPLES.to_vec());
    for command in commands(&any) {
        for example in examples(&any, &command) {
            let excuse = NOT_IN_SAMPLES.iter().find(|text| example.contains(*text));
            if let Some(excuse) = excuse {
                unused.retain(|text| text != excuse);
                continue;
            }
            let outcomes = SAMPLES.map(|sample| status(folder.path(), sample, &example));
            // A gate may fail; wrong options, or names that are nowhere, may not.
            let is_run = |code: Option<i32>| matches!(code, Some(0 | 1 | 4));
            if outcomes.iter().any(|(code, _)| is_run(*code)) {
                ran += 1;
            } else {
                failed.push(format!("{example}\n  {}", outcomes[0].1.trim()));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert_eq!(unused, [""; 0], "excuses for no example");
    assert!(ran >= 40, "{ran} examples");
}

/// Text that was read before it was accepted; `UPDATE_GOLDEN=1` accepts the present one.
fn check_text(sample: &str, words: &[&str], golden: &str) {
    let store = workspace_root().join("data/ensembles").join(sample);
    let text = run(&store, words).expect_code(0).stdout;
    let path = workspace_root().join("tests/ensembles/golden").join(golden);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, expected, "{golden}");
}

#[test]
fn the_text_of_scale_is_the_one_that_was_read() {
    check_text(
        "threads",
        &["scale", "--by", "threads"],
        "scale-threads.txt",
    );
    check_text(
        "versions",
        &["scale", "--by", "version"],
        "scale-version.txt",
    );
    check_text(
        "runtimes",
        &["scale", "--by", "threads"],
        "scale-runtimes.txt",
    );
    let laws = [
        "scale",
        "--by",
        "threads",
        "--fit",
        "usl_free,gustafson,log2,power",
    ];
    check_text("threads", &laws, "scale-laws.txt");
}
