//! Graphs made to harm.

use std::fmt::Write as _;

use super::{graph, result, run, shape};

const MANY: usize = 1_000_000;

const KEYS: &str = "<graphml><key id='t' for='node' attr.name='type' attr.type='string'/>\
                    <key id='w' for='node' attr.name='work_cycles' attr.type='double'/><graph>";

#[test]
fn a_million_nested_groups_are_no_recursion() {
    let mut text = KEYS.to_owned();
    for depth in 0..MANY {
        write!(text, "<node id='g{depth}'><graph>").unwrap();
    }
    text.push_str("<node id='n'><data key='t'>task</data></node>");
    text.push_str(&"</graph></node>".repeat(MANY));
    text.push_str("</graph></graphml>");
    let run = run("g", text.as_bytes());
    assert_eq!(run.report.count("read_groups"), MANY as u64);
    assert_eq!(run.tables.grains.rows().count(), 1);
    let cut = &text[..text.len() / 2];
    assert!(result("g", cut.as_bytes()).is_err());
}

/// A graph of many tasks, each after `before(task)`.
fn many(edges: impl Fn(&mut String)) -> String {
    let mut text = KEYS.to_owned();
    text.push_str("<node id='s'><data key='t'>start</data></node>");
    text.push_str("<node id='e'><data key='t'>end</data></node>");
    edges(&mut text);
    text + "</graph></graphml>"
}

fn node(text: &mut String, name: &str, number: usize, kind: &str) {
    write!(
        text,
        "<node id='{name}{number}'><data key='t'>{kind}</data></node>"
    )
    .unwrap();
}

fn edge(text: &mut String, source: &str, target: &str) {
    write!(text, "<edge source='{source}' target='{target}'/>").unwrap();
}

#[test]
fn a_million_children_and_a_long_chain_are_read() {
    let wide = many(|text| {
        node(text, "f", 0, "fork");
        node(text, "j", 0, "join");
        edge(text, "s", "f0");
        edge(text, "j0", "e");
        for task in 0..MANY / 4 {
            node(text, "n", task, "task");
            edge(text, "f0", &format!("n{task}"));
            edge(text, &format!("n{task}"), "j0");
        }
    });
    assert_eq!(
        run("g", wide.as_bytes()).tables.grains.rows().count(),
        MANY / 4
    );
    let length = MANY / 4;
    let deep = many(|text| {
        for task in 0..length {
            node(text, "f", task, "fork");
            node(text, "n", task, "task");
            node(text, "j", task, "join");
            edge(text, &format!("f{task}"), &format!("n{task}"));
            if task > 0 {
                edge(text, &format!("n{}", task - 1), &format!("f{task}"));
                edge(text, &format!("j{task}"), &format!("j{}", task - 1));
            }
        }
        edge(text, "s", "f0");
        edge(text, "j0", "e");
        let last = length - 1;
        edge(text, &format!("n{last}"), &format!("j{last}"));
    });
    let run = run("g", deep.as_bytes());
    let parents = run.tables.grains.rows().map(|grain| grain.parent);
    let expected = std::iter::once(None).chain((0..).map(Some)).take(length);
    assert!(parents.eq(expected));
}

#[test]
fn entities_are_never_looked_up() {
    let mut text = "<?xml version='1.0'?><!DOCTYPE lolz [<!ENTITY a0 'lol'>".to_owned();
    for level in 1..40 {
        let before = format!("&a{};", level - 1).repeat(10);
        write!(text, "<!ENTITY a{level} '{before}'>").unwrap();
    }
    text.push_str("<!ENTITY file SYSTEM 'file:///etc/passwd'>]>");
    let body = graph("s:start e:end 1:task", "s>1>e");
    let body = body.replace(">task<", ">task<!-- --></data><data key='n'>&a39;&file;<");
    let run = run("g", (text + &body).as_bytes());
    assert_eq!(run.report.count("skipped_entities"), 2);
    assert_eq!(run.tables.grains.rows().count(), 1);
}

#[test]
fn absurd_numbers_are_left_out_and_counted() {
    let body = |work: &str| {
        format!(
            "{KEYS}<node id='s'><data key='t'>start</data></node><node id='n'><data key='w'>{work}</data>\
             <data key='t'>task</data></node><node id='e'><data key='t'>end</data></node>\
             <edge source='s' target='n'/><edge source='n' target='e'/></graph></graphml>"
        )
    };
    for (work, expected, skipped) in [
        ("7", Some(7), 0),
        ("7e3", Some(7000), 0),
        ("NA", None, 0),
        ("0.0", Some(0), 0),
        ("1e400", None, 1),
        ("-5", None, 1),
        ("NaN", None, 1),
        ("9223372036854775808", None, 1),
        ("seven", None, 1),
    ] {
        let run = run("g", body(work).as_bytes());
        let grain = run.tables.grains.rows().next().unwrap();
        assert_eq!(grain.work, expected, "{work}");
        assert_eq!(run.report.count("skipped_values"), skipped, "{work}");
    }
}

#[test]
fn names_are_no_markup_and_of_any_length() {
    let long = "x".repeat(1 << 20);
    for id in [
        "&lt;/script&gt;",
        "a&#10;b",
        "n4294967295",
        "n99999999999",
        long.as_str(),
    ] {
        let text = graph("s:start e:end @:task", "s>@>e").replace('@', id);
        let text = text.replacen("<data key='n'>", "<data key='n'>1", 3);
        assert_eq!(run("g", text.as_bytes()).tables.grains.rows().count(), 1);
        let broken = graph("s:start e:end @:task", "s>@").replace('@', id);
        let error = result("g", broken.as_bytes()).unwrap_err().to_string();
        assert!(error.len() < 400, "{}", error.len());
    }
    let invalid = [
        graph("s:start e:end 1:task", "s>1>e").as_bytes(),
        b"\xff\xfe",
    ]
    .concat();
    let _ = result("g", &invalid);
    let text = graph("s:start e:end 1:task", "s>1>e").replace(">1<", ">1\u{202e}<");
    assert_eq!(run("g", text.as_bytes()).tables.grains.rows().count(), 1);
    assert_eq!(
        shape(&run("g", graph("s:start e:end 1:task", "s>1>e").as_bytes())),
        "1 0.0#0"
    );
}
