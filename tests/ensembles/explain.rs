//! `explain` on the sample ensembles and on reference profiles, through the command line and the service.

use std::collections::BTreeMap;

use serde_json::json;
use sheaf_answers::{Cause, CauseKind, ExplainedBy, Explanation, Verdict};
use sheaf_tests::{Service, ask, reference, run, sample, workspace_root};

use super::add;

/// The causes of a view.
pub(super) fn of_view(answer: &Explanation, by: ExplainedBy) -> Vec<&Cause> {
    answer
        .causes
        .iter()
        .filter(|cause| cause.by == by)
        .collect()
}

/// The innermost name of what a cause concerns.
fn name(cause: &Cause) -> &str {
    cause.path.last().map_or("", String::as_str)
}

/// Exact parts of a view add up to the difference.
fn adds_up(answer: &Explanation) {
    for view in &answer.views {
        let causes = of_view(answer, view.by);
        let Some(divisor) = &view.divisor else {
            let sum: f64 = causes.iter().map(|cause| cause.delta).sum();
            assert!(
                (sum - view.delta).abs() <= 1e-9 * view.a.abs(),
                "{sum} {}",
                view.delta
            );
            continue;
        };
        let whole = |text: &String| text.parse::<i128>().unwrap();
        let sum: i128 = causes
            .iter()
            .filter_map(|cause| cause.exact.as_ref().map(whole))
            .sum();
        // The quotient of two rounded numbers may be off by one unit in the last place.
        let quotient = sum as f64 / whole(divisor) as f64;
        assert!(
            (quotient - view.delta).abs() <= view.delta.abs() * f64::EPSILON,
            "{}: {quotient} {}",
            view.by,
            view.delta
        );
        assert!(
            causes
                .iter()
                .all(|cause| cause.kind != CauseKind::NotExplained)
        );
    }
}

#[test]
fn a_renamed_and_slower_task_is_the_first_cause() {
    let store = sample("versions");
    let [a, b] = ["version == 1", "version == 2"];
    let answer: Explanation = ask(&store, &["explain", a, b]);
    assert_eq!(answer.schema, "explain/1");
    adds_up(&answer);
    let first = &answer.causes[0];
    assert_eq!(first.kind, CauseKind::Inflation);
    assert_eq!(first.path, ["sort_range (task) → sort_block:139 (task)"]);
    assert_eq!(first.verdict, Verdict::Slower);
    assert_eq!(first.site.as_deref(), Some("programs/sort.c:139"));
    assert!(first.share.unwrap() > 0.5);
    let structure: Vec<&str> = first
        .structure
        .iter()
        .map(|note| note.text.as_str())
        .collect();
    assert_eq!(
        structure,
        ["renamed: `sort_range (task)` → `sort_block:139 (task)` (matched by: inferred)",]
    );
    assert!(
        answer.sentences[0].contains("sort_block"),
        "{:?}",
        answer.sentences
    );
    assert!(
        answer
            .environment
            .iter()
            .any(|change| change.parameter == "version")
    );

    // The lens of a cause shows its definition.
    let lens = first.lens.as_deref().unwrap();
    let diff: sheaf_answers::Diff = ask(&store, &["diff", "--lens", lens]);
    assert!(diff.rows.iter().any(|row| row.path == first.path), "{lens}");

    // Swapped sides negate everything.
    let swapped: Explanation = ask(&store, &["explain", b, a]);
    assert_eq!(swapped.causes.len(), answer.causes.len());
    for (there, back) in answer.causes.iter().zip(&swapped.causes) {
        assert_eq!((there.delta, there.by), (-back.delta, back.by));
        assert_eq!(there.exact.is_some(), back.exact.is_some());
        assert_eq!(
            there.interval,
            back.interval.map(|[low, high]| [-high, -low])
        );
    }
}

/// Each change of program `planted` is the largest real cause of its difference, with the kind and definition of the change.
#[test]
fn planted_changes_are_the_first_cause() {
    let store = sample("planted");
    let first_cause = |change: &str| -> (CauseKind, String) {
        let b = format!("change == {change}");
        let answer: Explanation = ask(&store, &["explain", "change == none", &b]);
        adds_up(&answer);
        let first = of_view(&answer, answer.views[0].by)
            .into_iter()
            .find(|cause| cause.verdict.is_change())
            .unwrap_or_else(|| panic!("{change}: {:?}", answer.sentences));
        (first.kind, first.path.join(" / "))
    };
    for (change, kind, name) in [
        ("slower", CauseKind::Inflation, "filter (task)"),
        ("cut_off", CauseKind::New, "split (task)"),
        ("chunk", CauseKind::Inflation, "smooth (loop)"),
        ("lock", CauseKind::Lock, "filter (critical)"),
        // The ideal share of twice the workers is larger than what waiting for processors costs.
        ("threads", CauseKind::Workers, ""),
        ("cache", CauseKind::Inflation, "gather (task)"),
        (
            "renamed",
            CauseKind::Inflation,
            "filter (task) → sift (task)",
        ),
        ("faster_50", CauseKind::Inflation, "filter (task)"),
    ] {
        assert_eq!(first_cause(change), (kind, name.to_owned()), "{change}");
    }
    let threads: Explanation = ask(&store, &["explain", "change == none", "change == threads"]);
    let waits =
        |cause: &&Cause| cause.kind == CauseKind::OffCpu && cause.verdict == Verdict::Slower;
    assert!(threads.causes.iter().any(|cause| waits(&cause)));
}

/// With five runs on either side, one of many parts cannot be significant, and the answer says so.
#[test]
fn too_few_runs_for_the_parts_are_stated() {
    let store = sample("planted");
    let few = ["change == none", "change == slower"]
        .map(|side| format!("{side} and not name like '*-6'"));
    let answer: Explanation = ask(&store, &["explain", &few[0], &few[1]]);
    let first = &answer.sentences[0];
    assert!(
        first.contains("5 against 5 runs cannot show one of"),
        "{first}"
    );
    assert!(
        first.contains("6 runs per side can; these parts differ most"),
        "{first}"
    );
    assert_eq!(answer.causes[0].verdict, Verdict::Untestable);
    assert!(
        answer.sentences[1].contains("`filter (task)`"),
        "{:?}",
        answer.sentences
    );
}

#[test]
fn a_run_against_itself_and_repeats_have_no_cause() {
    let store = sample("versions");
    let same: Explanation = ask(&store, &["explain", "version == 1", "version == 1"]);
    assert_eq!(same.causes, []);
    assert_eq!(same.sentences, ["there is no difference to explain"]);
    assert_eq!(same.notes[0].text, "both sides are the same runs");
    let halves = [
        "version == 1 and repeat <= 3",
        "version == 1 and repeat > 3",
    ];
    let answer: Explanation = ask(&store, &["explain", halves[0], halves[1]]);
    adds_up(&answer);
    let is_real = |cause: &&Cause| matches!(cause.verdict, Verdict::Slower | Verdict::Faster);
    let real: Vec<&Cause> = answer.causes.iter().filter(is_real).collect();
    assert_eq!(real, Vec::<&Cause>::new());
    let first = "3 against 4 runs cannot reach 5 %: the smallest p is 0.0571; 4 runs per side can; these parts differ most";
    assert_eq!(answer.sentences[0], first);
}

#[test]
fn more_workers_are_a_cause_of_their_own() {
    let store = sample("threads");
    let answer: Explanation = ask(&store, &["explain", "threads == 1", "threads == 4"]);
    adds_up(&answer);
    let views: Vec<ExplainedBy> = answer.views.iter().map(|view| view.by).collect();
    assert_eq!(views, [ExplainedBy::Workers, ExplainedBy::Path]);
    let of_workers = of_view(&answer, ExplainedBy::Workers);
    let by_kind: BTreeMap<&str, Verdict> = of_workers
        .iter()
        .filter(|cause| cause.path.is_empty())
        .map(|cause| (cause.kind.as_str(), cause.verdict))
        .collect();
    assert_eq!(by_kind["workers"], Verdict::Faster);
    assert_eq!(by_kind["delay"], Verdict::Slower);
}

#[test]
fn lulesh_is_explained_by_the_contexts_that_scaling_names() {
    let Some(folder) = reference("call-profiles/caliper-json-split/lulesh-weak-scaling8") else {
        return;
    };
    let temporary = tempfile::tempdir().unwrap();
    let store = temporary.path().join("store");
    add(&store, &folder, &[]);
    for (a, b, culprit) in [
        (125, 216, "CalcHourglassControlForElems"),
        (343, 512, "MPI_Allreduce"),
    ] {
        let [a, b] = [a, b].map(|ranks| format!("ranks == {ranks}"));
        let answer: Explanation = ask(&store, &["explain", &a, &b]);
        adds_up(&answer);
        let ranks = of_view(&answer, ExplainedBy::Ranks);
        let means = ranks.iter().filter(|cause| cause.kind == CauseKind::Mean);
        let largest: Vec<&str> = means.take(2).map(|cause| name(cause)).collect();
        assert!(largest.contains(&culprit), "{largest:?}");
        let apart = ranks
            .iter()
            .filter(|cause| cause.kind == CauseKind::Imbalance);
        assert!(apart.count() > 10);
        let waits = ranks
            .iter()
            .filter(|cause| cause.part == Some(sheaf_model::ProgramPart::Mpi));
        assert!(waits.clone().count() > 0);
        let mut waits = waits.map(|cause| name(cause));
        assert!(waits.all(|name| name.starts_with("MPI_")));
    }
    // A store can state that none of its functions wait.
    let notes = store.join("notes");
    std::fs::create_dir_all(&notes).unwrap();
    std::fs::write(notes.join("parts.toml"), "computation = [\"MPI_*\"]\n").unwrap();
    let answer: Explanation = ask(&store, &["explain", "ranks == 343", "ranks == 512"]);
    let ranks = of_view(&answer, ExplainedBy::Ranks);
    assert!(!ranks.is_empty());
    assert!(
        ranks
            .iter()
            .all(|cause| cause.part != Some(sheaf_model::ProgramPart::Mpi))
    );
    std::fs::write(notes.join("parts.toml"), "waits = [\"MPI_*\"]\n").unwrap();
    let failed = run(&store, ["verify"]);
    assert!(failed.code != Some(0));
    let text = format!("{}{}", failed.stdout, failed.stderr);
    assert!(
        text.contains("notes/parts.toml") && text.contains("unknown key `waits`"),
        "{text}"
    );
}

/// A profile of calls that are nested `depth` deep.
fn nested(depth: usize, time: f64) -> String {
    let nodes = (0..depth).map(|at| match at.checked_sub(1) {
        None => json!({"label": "f0", "column": "path"}),
        Some(parent) => json!({"label": format!("f{at}"), "column": "path", "parent": parent}),
    });
    let data = (0..depth).map(|at| json!([time * (at + 1) as f64, at]));
    json!({
        "data": data.collect::<Vec<_>>(),
        "columns": ["time", "path"],
        "column_metadata": [{"is_value": true}, {"is_value": false}],
        "nodes": nodes.collect::<Vec<_>>(),
    })
    .to_string()
}

/// With whole paths the answer would have 50 million names.
#[test]
fn paths_of_deep_profiles_are_cut() {
    let temporary = tempfile::tempdir().unwrap();
    let store = temporary.path().join("store");
    for (name, time) in [("a", 1.0), ("b", 1.5)] {
        let file = temporary.path().join(format!("{name}.json"));
        std::fs::write(&file, nested(10_000, time)).unwrap();
        add(&store, &file, &["--param", &format!("version={name}")]);
    }
    let words = ["explain", "version == a", "version == b"];
    let answer: Explanation = ask(&store, &words);
    adds_up(&answer);
    assert_eq!(answer.causes.len(), 10_000);
    let last = &answer.causes[0];
    assert_eq!(name(last), "f9999");
    assert_eq!(
        (last.path.len(), last.path[0].as_str()),
        (65, "… 9936 outer names")
    );
    let failed = run(&store, [&words[..], &["--metric", "nothing"]].concat());
    assert!(
        failed
            .expect_code(2)
            .stderr
            .contains("`nothing` is in none of the runs")
    );
}

/// The guide leaves out the column of source lines.
#[test]
fn the_example_of_the_guide_is_what_is_printed() {
    let words = ["explain", "version == 1", "version == 2", "--limit", "4"];
    let printed = run(&sample("versions"), words).expect_code(0).stdout;
    let guide = workspace_root().join("docs/explaining.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let example = guide
        .split("```\n")
        .find(|block| block.starts_with("A  "))
        .unwrap();
    assert!(example.lines().count() > 10);
    for (line, printed) in example.lines().zip(printed.lines()) {
        assert!(printed.starts_with(line), "{line}\n{printed}");
    }
}

#[test]
fn the_text_and_the_service_say_the_same() {
    let store = sample("versions");
    let words = [
        "explain",
        "--lens",
        "diff \"version == 1\" to \"version == 2\"",
    ];
    let text = run(&store, words).expect_code(0).stdout;
    let answer: Explanation = ask(&store, &words);
    for sentence in &answer.sentences {
        assert!(text.contains(sentence.as_str()), "{text}");
    }
    let service = Service::start(&store, &[]);
    let lens = "diff%20%22version%20==%201%22%20to%20%22version%20==%202%22";
    let served: Explanation = service.read(&format!("/api/v1/explain?lens={lens}"));
    assert!(served.causes == answer.causes, "{lens}");
    assert_eq!(
        service.get("/api/v1/explain?lens=level%20module").status,
        400
    );
}

/// The lines of a text from `title` to the next empty line.
fn part<'a>(text: &'a str, title: &str) -> Vec<&'a str> {
    let lines = text.lines().skip_while(|line| *line != title);
    lines.take_while(|line| !line.is_empty()).collect()
}

#[test]
fn comparisons_end_with_the_largest_causes() {
    let store = sample("versions");
    let slower = "  grains of `sort_range (task) → sort_block:139 (task)` that both sides have take 32.3 ms longer \
                  (69.5 % of the difference)";
    let sides = ["version = 1", "version = 2"];
    let diff = run(&store, ["diff", sides[0], sides[1]]).stdout;
    let causes = part(&diff, "Causes");
    assert_eq!(causes.len(), 4, "{causes:?}");
    assert_eq!(causes[2], slower);
    let scale = run(&store, ["scale", "--by", "version"]).stdout;
    assert_eq!(
        part(&scale, "Causes, from version = 1 to 2")[1..],
        causes[1..]
    );
    let gate = [
        "gate",
        "--baseline",
        sides[0],
        "--candidate",
        sides[1],
        "--format",
        "markdown",
    ];
    let markdown = run(&store, gate).stdout;
    assert!(
        markdown.contains("\n**Causes**: By workers: elapsed time 203 ms"),
        "{markdown}"
    );
    assert!(
        markdown.contains("\n- grains of `sort_range (task)"),
        "{markdown}"
    );
    for command in [
        &["diff", sides[0], sides[1]][..],
        &["scale", "--by", "version"],
        &gate,
    ] {
        let without = run(&store, [command, &["--no-why"]].concat()).stdout;
        assert!(!without.contains("Causes"), "{without}");
    }
}

#[test]
fn metrics_that_moved_with_a_cause_support_it() {
    let Some(folder) = reference("call-profiles/caliper-cali/rajaperf-quartz50") else {
        return;
    };
    let temporary = tempfile::tempdir().unwrap();
    let store = temporary.path().join("store");
    add(&store, &folder, &[]);
    let [a, b] = ["compiler_version = 14.0.6", "program = gcc10.3.1_O0.exe"];
    let answer: Explanation = ask(&store, &["explain", a, b]);
    let [cause] = answer
        .causes
        .iter()
        .filter(|it| !it.associated.is_empty())
        .collect::<Vec<_>>()[..]
    else {
        panic!("{:?}", answer.causes);
    };
    assert_eq!(name(cause), "Lcals_DIFF_PREDICT");
    let metrics: Vec<&str> = cause
        .associated
        .iter()
        .map(|it| it.metric.as_str())
        .collect();
    assert_eq!(
        metrics,
        [
            "Branch mispredict",
            "Retiring",
            "L2 bound",
            "External Memory",
            "L3 bound"
        ]
    );
    for metric in &cause.associated {
        // More retired instructions are better, more of the others is worse.
        assert_eq!(metric.ratio < 1.0, metric.metric == "Retiring");
        let diff: sheaf_answers::Diff = ask(
            &store,
            &[
                "diff",
                a,
                b,
                "--level",
                "context",
                "--metric",
                &metric.metric,
            ],
        );
        let row = diff
            .rows
            .iter()
            .find(|row| Some(&row.group) == cause.group.as_ref())
            .unwrap();
        assert_eq!(
            (row.ratio, row.verdict),
            (Some(metric.ratio), Verdict::Slower)
        );
    }
    let text = run(&store, ["explain", a, b]).stdout;
    let guide = std::fs::read_to_string(workspace_root().join("docs/explaining.md")).unwrap();
    let shown = part(&text, "Causes").join("\n");
    assert!(guide.contains(&shown), "{shown}");
    // Swapped sides: what was slower is faster, and the same metrics moved.
    let swapped: Explanation = ask(&store, &["explain", b, a]);
    assert_eq!(swapped.causes[0].associated.len(), cause.associated.len());
}

#[test]
fn comparisons_of_runs_that_cannot_be_explained_end_without_causes() {
    let Some(folder) = reference("call-profiles/caliper-cali/rajaperf-quartz50") else {
        return;
    };
    let temporary = tempfile::tempdir().unwrap();
    let store = temporary.path().join("store");
    add(&store, &folder, &[]);
    let diff = [
        "diff",
        "compiler_version = 14.0.6",
        "compiler_version != 14.0.6",
    ];
    let metric = ["--metric", "Reps"];
    let text = run(&store, [&diff[..], &metric].concat());
    assert_eq!(
        (text.code, text.stdout.contains("Causes")),
        (Some(0), false),
        "{}",
        text.stdout
    );
}
