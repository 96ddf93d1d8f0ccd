//! Source files over HTTP: only below the folders of `--source`.

use sheaf_answers::{Source, SourceState};
use sheaf_tests::{Service, grainsheaf, workspace_root};

use crate::sample;

#[test]
fn lines_around_a_definition_have_values() {
    let programs = workspace_root().join("data/programs");
    let service = Service::start(
        &sample("threads"),
        &["--source", programs.to_str().unwrap()],
    );
    let group = Service::encode("merge_quarters:110 (task)");
    let path = format!("/api/v1/source?group={group}&around=20");
    let answer = service.get(&path);
    assert!(
        answer.header("etag").is_none(),
        "files change without the store"
    );
    let source: Source = answer.read();
    assert_eq!(source.path.as_deref(), Some("sort.c"), "{source:?}");
    assert_eq!((source.line, source.first_line), (Some(110), 90));
    assert_eq!(source.lines.len(), 41);
    let text = std::fs::read_to_string(programs.join("sort.c")).unwrap();
    assert_eq!(text.lines().nth(109), Some(source.lines[20].as_str()));
    let lines: Vec<u32> = source.values.iter().map(|value| value.line).collect();
    assert!(lines.is_sorted() && lines.contains(&110), "{lines:?}");
    let own = source
        .values
        .iter()
        .find(|value| value.line == 110)
        .unwrap();
    assert!(own.value.is_some() && own.share.is_some());
}

#[test]
fn another_version_of_a_file_is_marked() {
    let programs = workspace_root().join("data/programs");
    let of = |folder: &std::path::Path| -> Source {
        let folder = folder.to_str().unwrap();
        let service = Service::start(&sample("versions"), &["--source", folder]);
        let group = Service::encode("sort_block:139 (task)");
        service.get(&format!("/api/v1/source?group={group}")).read()
    };
    let older = of(&programs);
    assert!(older.is_changed, "{:?}", older.notes);
    assert!(
        older.notes[0]
            .text
            .contains("does not contain `sort_block`")
    );
    let newer = of(&programs.join("version2"));
    assert!(!newer.notes.iter().any(|note| note.text.contains("contain")));
}

#[test]
fn without_a_folder_the_answer_states_why() {
    let service = Service::start(&sample("threads"), &[]);
    let group = Service::encode("merge_quarters:110 (task)");
    let source: Source = service.get(&format!("/api/v1/source?group={group}")).read();
    assert!(source.lines.is_empty());
    assert_eq!(source.state, SourceState::NotServed);
    assert!(source.reason.unwrap().contains("--source DIR"));
    assert_eq!(source.line, Some(110));
    let refused = service.get(&format!("/api/v1/source?group={group}&around=20000"));
    assert_eq!(refused.status, 400, "{}", refused.text());
    let unknown = service.get("/api/v1/source?group=nothing");
    assert_eq!(unknown.status, 404, "{}", unknown.text());
}

#[test]
fn a_folder_that_does_not_exist_is_refused() {
    let mut command = grainsheaf(&sample("threads"));
    command.args(["serve", "--port", "0", "--source", "/nowhere"]);
    let output = command.output().unwrap();
    assert!(!output.status.success());
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("`--source`"), "{text}");
}
