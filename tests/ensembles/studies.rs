//! What `data/STUDIES.md` shows is what the commands print.

use sheaf_tests::{run, workspace_root};

/// A command of the document, and the lines that it is shown to print.
struct Shown {
    words: Vec<String>,
    lines: Vec<String>,
}

fn shown() -> Vec<Shown> {
    let text = std::fs::read_to_string(workspace_root().join("data/STUDIES.md")).unwrap();
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line != "```console" {
            continue;
        }
        let command = lines
            .next()
            .and_then(|line| line.strip_prefix("$ grainsheaf "));
        let shown = lines.by_ref().take_while(|line| *line != "```");
        found.push(Shown {
            lines: shown.map(str::to_owned).collect(),
            words: words(command.unwrap()),
        });
    }
    found
}

/// The words of a command as a shell takes them, quotes removed.
pub(crate) fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for character in command.chars() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (None, '\'' | '"') => quote = Some(character),
            (None, ' ') => words.push(String::new()),
            _ => words.last_mut().unwrap().push(character),
        }
    }
    words
}

#[test]
fn the_studies_show_what_the_commands_print() {
    let commands = shown();
    assert!(commands.len() >= 12, "{} commands", commands.len());
    let mut compared = 0;
    for command in commands {
        let [option, store, rest @ ..] = command.words.as_slice() else {
            panic!("{:?} names no store", command.words);
        };
        assert_eq!(option, "--store");
        let outcome = run(&workspace_root().join(store), rest);
        let printed: Vec<&str> = outcome.stdout.lines().map(str::trim_end).collect();
        let (mut at, mut may_skip) = (0, true);
        for line in &command.lines {
            if line == "…" {
                may_skip = true;
                continue;
            }
            let found = printed[at..].iter().position(|printed| printed == line);
            let Some(found) = found.filter(|&found| may_skip || found == 0) else {
                panic!(
                    "{rest:?} does not print `{line}` there:\n{}",
                    outcome.stdout
                );
            };
            at += found + 1;
            compared += 1;
            may_skip = false;
        }
        let is_cut = command.lines.last().is_some_and(|line| line == "…");
        assert!(is_cut || at == printed.len(), "{rest:?} prints more");
    }
    assert!(compared > 60, "{compared} lines");
}
