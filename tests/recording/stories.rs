//! What the sample programs are written to show, told by the commands.
//!
//! Recordings of a busy machine vary, so a story is a comparison of two recordings whose causes differ by
//! far, or what follows from the structure alone.

use std::path::Path;

use serde_json::Value;
use sheaf_tests::{program, run};

/// Records one run; answers of commands about it come from [`Story::ask`].
struct Story<'a> {
    store: &'a Path,
    run: String,
}

impl<'a> Story<'a> {
    #[track_caller]
    fn record(store: &'a Path, threads: &str, name: &str, args: &[&str]) -> Self {
        let program = program(name);
        let mut words = vec!["record", "--json", "--quiet", "--threads", threads];
        words.extend(["--", program.to_str().unwrap()]);
        words.extend(args);
        let answer = run(store, words).expect_code(0).json();
        let run = answer["runs"][0]["run"].as_str().unwrap().to_owned();
        Self { store, run }
    }

    #[track_caller]
    fn ask(&self, command: &str, options: &[&str]) -> Value {
        let mut words = vec![command, &self.run, "--json"];
        words.extend(options);
        run(self.store, words).expect_code(0).json()
    }

    /// Share of the work of tasks and chunks for which a condition holds.
    #[track_caller]
    fn share(&self, condition: &str) -> f64 {
        let answer = self.ask("problems", &["--threshold", condition]);
        let problem = &answer["problems"][0];
        assert!(problem["checked"].as_u64().unwrap() > 0, "{answer}");
        problem["share_of_work"].as_f64().unwrap()
    }

    /// The greatest value of a metric.
    #[track_caller]
    fn worst(&self, metric: &str) -> f64 {
        let options = ["--sort", metric, "--limit", "1", "--metrics", metric];
        let answer = self.ask("grains", &options);
        answer["rows"][0][metric].as_f64().unwrap()
    }
}

/// Iteration i of `imbalance` costs i, so of four equal blocks the last has 7 of 16 parts of the work: the
/// loop takes as long as that one, and the blocks of 1, 3 and 5 parts fit on two more workers. The team has
/// four. On dynamic chunks of 64 iterations the same work is spread as workers come free.
#[test]
fn the_imbalanced_loop_shows_its_imbalance_and_the_workers_that_it_needs() {
    let folder = tempfile::tempdir().unwrap();
    let record = |schedule: &str| {
        let args = ["32768", "64", schedule];
        Story::record(folder.path(), "4", "imbalance", &args)
    };
    let fixed = [(); 3].map(|()| record("static"));
    let mut needs = Vec::new();
    for story in &fixed {
        let loops = story.ask("loops", &[]);
        let row = &loops["rows"][0];
        assert_eq!(loops["rows"].as_array().unwrap().len(), 1);
        assert_eq!(row["chunks"], 4, "{loops}");
        assert_eq!(row["workers"], 4, "{loops}");
        needs.push(row["least_workers"].as_u64().unwrap());
    }
    needs.sort_unstable();
    assert!((2..4).contains(&needs[1]), "{needs:?}");
    // The largest chunk by what the worker in the middle did: 7 by 4 were all workers alike, and next to
    // nothing where every worker has many chunks. Of three recordings the one in the middle counts.
    let middle = |stories: &[Story<'_>]| {
        let mut found: Vec<f64> = stories
            .iter()
            .map(|story| story.worst("chunk_chain_balance"))
            .collect();
        found.sort_unstable_by(f64::total_cmp);
        found[1]
    };
    let (fixed, spread) = (middle(&fixed), middle(&[(); 3].map(|()| record("dynamic"))));
    assert!(fixed > 1.1, "{fixed}");
    assert!(fixed > spread, "{fixed} {spread}");
}

/// `fib 20 0` makes a task of every call, down to those that only return: creating one costs more than it
/// runs. With a cut-off at 22 its leaves compute some 28,000 calls each.
#[test]
fn too_fine_tasks_show_low_parallel_benefit() {
    let folder = tempfile::tempdir().unwrap();
    let fine = Story::record(folder.path(), "2", "fib", &["20", "0"]);
    let coarse = Story::record(folder.path(), "2", "fib", &["34", "26"]);
    let condition = "parallel_benefit_of_creation < 5";
    let (fine, coarse) = (fine.share(condition), coarse.share(condition));
    assert!(fine > 0.5, "{fine}");
    assert!(coarse < 0.2, "{coarse}");
}

/// Every call on the way down is a fork and a join around one call less, two levels of the tree each:
/// with 17 calls more the tree is 34 levels deeper.
#[test]
fn a_missing_cut_off_shows_as_depth() {
    let folder = tempfile::tempdir().unwrap();
    let depth = |args: &[&str]| {
        let story = Story::record(folder.path(), "2", "fib", args);
        story.ask("tree", &[])["depth"].as_u64().unwrap()
    };
    assert_eq!(depth(&["20", "0"]) - depth(&["20", "18"]), 34);
}
