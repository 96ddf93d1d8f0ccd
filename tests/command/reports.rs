//! Reports as HTML files: the words and numbers of the text, and names that stay names.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use sheaf_tests::{run, workspace_root};
use tempfile::TempDir;

use crate::names;

const SIDES: [&str; 2] = ["version = 1", "version = 2"];

fn sample(name: &str) -> std::path::PathBuf {
    workspace_root().join("data/ensembles").join(name)
}

/// The report that a command writes.
#[track_caller]
fn report(store: &Path, words: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.html");
    let words = words
        .iter()
        .map(|word| word.replace("FILE", &file.display().to_string()));
    let code = run(store, words).code;
    assert!(matches!(code, Some(0 | 1)), "{code:?}");
    fs::read_to_string(file).unwrap()
}

/// The part of a report that needs no script.
fn plain(report: &str) -> &str {
    let body = report.split_once("<main>").expect("a body").1;
    body.split_once("</main>").expect("an end").0
}

/// The answers that the script of a report reads.
fn content(report: &str) -> Value {
    let start = report
        .split_once("id=\"report-content\">")
        .expect("content");
    let text = start.1.split_once("</script>").expect("an end").0;
    serde_json::from_str(text).unwrap()
}

/// The text of HTML: without tags, entities resolved.
fn text_of(html: &str) -> String {
    let mut text = String::new();
    for part in html.split('<') {
        let after = part.split_once('>').map_or(part, |(_, after)| after);
        text.push_str(after);
        text.push('\t');
    }
    for (entity, character) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ] {
        text = text.replace(entity, character);
    }
    text
}

/// Text that was read before it was accepted; `UPDATE_GOLDEN=1` accepts the present one.
#[track_caller]
fn check_golden(report: &str, golden: &str) {
    let path = workspace_root().join("tests/command/golden").join(golden);
    let found = format!("{}\n", plain(report).trim());
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &found).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, expected, "{golden}");
}

/// Every cell of a command's text is a text of the report.
#[track_caller]
fn check_numbers(report: &str, text: &str) {
    let shown = text_of(plain(report));
    let shown: Vec<&str> = shown.split(['\t', '\n']).map(str::trim).collect();
    let mut compared = 0;
    let lines = text.lines().skip_while(|line| *line != "Groups").skip(1);
    for line in lines.take_while(|line| !line.is_empty()) {
        // Sentences are wrapped in text; cells are apart by two blanks.
        let cells: Vec<&str> = line
            .trim()
            .split("  ")
            .filter(|cell| !cell.is_empty())
            .collect();
        if cells.len() < 4 {
            continue;
        }
        for cell in cells {
            assert!(shown.contains(&cell.trim()), "`{cell}` of `{line}`");
            compared += 1;
        }
    }
    assert!(compared > 40, "{compared} cells in\n{text}");
}

#[test]
fn a_comparison_as_a_report_is_the_one_that_was_read() {
    let [a, b] = SIDES;
    let html = report(&sample("versions"), &["diff", a, b, "--html", "FILE"]);
    check_golden(&html, "report-diff.html");
    let text = run(&sample("versions"), ["diff", a, b, "--limit", "0"]).stdout;
    check_numbers(&html, &text);
    let content = content(&html);
    assert_eq!(content["schema"], "report/1");
    let diff = run(&sample("versions"), ["diff", a, b, "--json"]).json();
    assert_eq!(content["answers"]["diff"], diff, "the data is the answer");
    assert_eq!(
        content["answers"]["runs"]["runs"].as_array().unwrap().len(),
        14
    );
}

#[test]
fn a_gate_as_a_report_is_the_one_that_was_read() {
    let [a, b] = SIDES;
    let gate = ["gate", "--baseline", a, "--candidate", b];
    let words = [&gate[..], &["--format", "html", "-o", "FILE"]].concat();
    let html = report(&sample("versions"), &words);
    check_golden(&html, "report-gate.html");
    let text = run(&sample("versions"), [&gate[..], &["--limit", "0"]].concat()).stdout;
    check_numbers(&html, &text);
    let answer = run(&sample("versions"), [&gate[..], &["--json"]].concat()).json();
    let content = content(&html);
    assert_eq!(content["answers"]["gate"], answer, "the data is the answer");
    assert_eq!(content["pictures"][0]["settings"]["regression"], "5");
}

#[test]
fn an_ensemble_as_a_report_is_the_one_that_was_read() {
    let store = sample("threads");
    let words = [
        "export",
        "--as",
        "html",
        "--lens",
        "by threads",
        "-o",
        "FILE",
    ];
    let html = report(&store, &words);
    check_golden(&html, "report-ensemble.html");
    let text = run(&store, ["stats", "--by", "threads", "--limit", "0"]).stdout;
    check_numbers(&html, &format!("Groups\n{text}"));
    let stats = run(&store, ["stats", "--by", "threads", "--json"]).json();
    assert_eq!(content(&html)["answers"]["stats"], stats);
}

#[test]
fn a_run_or_a_comparison_is_exported_as_a_report() {
    let store = sample("versions");
    let html = report(
        &store,
        &[
            "export",
            "sort-version=1-t4-r1",
            "--as",
            "html",
            "-o",
            "FILE",
        ],
    );
    let text = run(&store, ["info", "sort-version=1-t4-r1"]).stdout;
    let shown = text_of(plain(&html));
    for line in text.lines() {
        assert!(shown.contains(line), "{line}");
    }
    let lens = r#"scope exclusive | diff "version = 1" to "version = 2""#;
    let exported = ["export", "--as", "html", "--lens", lens, "-o", "FILE"];
    let [a, b] = SIDES;
    let written = report(&store, &["diff", a, b, "--html", "FILE"]);
    assert_eq!(report(&store, &exported), written);
    run(&store, ["export", "--as", "csv"]).expect_code(2);
}

#[test]
fn a_report_replaces_the_answer_on_standard_output_only() {
    let [a, b] = SIDES;
    let store = sample("versions");
    let text = run(&store, ["diff", a, b]).expect_code(0).stdout;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.html");
    fs::write(&file, "former").unwrap();
    let words = ["diff", a, b, "--html", file.to_str().unwrap()];
    assert_eq!(run(&store, words).expect_code(0).stdout, text);
    let html = fs::read_to_string(&file).unwrap();
    assert_eq!(run(&store, ["diff", a, b, "--html", "-"]).stdout, html);
    let words = ["diff", a, b, "--html", "-", "--fail-on", "slower"];
    run(&store, words).expect_code(1);
    let words = ["diff", a, b, "--html", "-", "--level", "grain"];
    run(&store, words).expect_code(2);
}

#[test]
fn hostile_names_stay_names() {
    let (_folder, store) = names::store();
    let [a, b] = SIDES;
    let words = ["diff", a, b, "--level", "context", "--html", "FILE"];
    check_hostile(&report(&store, &words));
    let words = [
        "gate",
        "--baseline",
        a,
        "--candidate",
        b,
        "--level",
        "context",
    ];
    let words = [&words[..], &["--format", "html", "-o", "FILE"]].concat();
    check_hostile(&report(&store, &words));
    let words = [
        "export",
        "--as",
        "html",
        "--lens",
        "level context",
        "-o",
        "FILE",
    ];
    check_hostile(&report(&store, &words));
}

/// Names from files are neither markup nor invisible.
#[track_caller]
fn check_hostile(html: &str) {
    assert_eq!(html.matches("<script").count(), 2, "content and script");
    assert!(!html.contains("<script>alert(1)"));
    assert!(plain(html).contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    let bad = |character: &char| sheaf_model::is_invisible(*character) && *character != '\n';
    let found: Vec<char> = plain(html).chars().filter(bad).collect();
    assert_eq!(found, []);
    let (_, data) = html.split_once("id=\"report-content\">").unwrap();
    let (data, _) = data.split_once("</script>").unwrap();
    assert_eq!(data.chars().filter(bad).collect::<Vec<_>>(), []);
    assert!(
        content(html).to_string().contains("main\u{202e}cexe.txt"),
        "data has exact names"
    );
}

/// A store with one run per side of many functions with long names.
fn large_store() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for version in [1, 2] {
        let children: Vec<Value> = (0..1500)
            .map(|number| {
                let name = format!("f{number:04}{}", "x".repeat(6000));
                let metrics = json!({"time": version, "time (inc)": version});
                json!({"frame": {"name": name, "type": "function"}, "metrics": metrics, "children": []})
            })
            .collect();
        let metrics = json!({"time": 1, "time (inc)": 1 + 1500 * version});
        let root = json!([{"frame": {"name": "main", "type": "function"}, "metrics": metrics, "children": children}]);
        let file = folder.path().join(format!("run{version}.json"));
        fs::write(&file, root.to_string()).unwrap();
        let version = format!("version={version}");
        let words = ["add", "--param", &version, file.to_str().unwrap()];
        run(&folder.path().join("store"), words).expect_code(0);
    }
    folder
}

#[test]
fn a_report_is_bounded_and_states_what_it_left_out() {
    let folder = large_store();
    let [a, b] = SIDES;
    let html = report(
        &folder.path().join("store"),
        &["diff", a, b, "--html", "FILE"],
    );
    assert!(html.len() < 24 << 20, "{} bytes", html.len());
    let text = text_of(plain(&html));
    assert!(
        text.contains("more, which this report does not list"),
        "groups are cut"
    );
    assert!(
        text.contains("Left out of this file"),
        "rows of the pictures are cut"
    );
}
