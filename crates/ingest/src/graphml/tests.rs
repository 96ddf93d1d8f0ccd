//! Tests of the reader on small graphs.

mod hostile;
mod refused;

use std::fmt::Write as _;

use sheaf_model::RunTables;
use sheaf_model::table::GrainRow;

use crate::{Error, Input, NoModules, Run, Symbols};

macro_rules! sample {
    ($name:literal) => {
        include_bytes!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../data/samples/",
            $name
        ))
    };
}

fn result(name: &str, content: &[u8]) -> Result<Run, Error> {
    let content = content.to_vec();
    let inputs = [Input::new(name, &content)];
    let symbols = Symbols::new(NoModules);
    let mut reading = crate::read(&inputs, &symbols, &sheaf_model::Progress::silent()).unwrap();
    match reading.refused.pop() {
        Some((_, error)) => Err(error),
        None => Ok(reading.runs.pop().unwrap()),
    }
}

fn run(name: &str, content: &[u8]) -> Run {
    let run = result(name, content).unwrap();
    run.tables.validate().unwrap();
    run
}

/// A graph whose nodes are `name:type` and whose edges are `name>name`.
fn graph(nodes: &str, edges: &str) -> String {
    let mut text = "<graphml><key id='t' for='node' attr.name='type' attr.type='string'/>\
                    <key id='n' for='node' attr.name='name' attr.type='string'/>\
                    <graph edgedefault='directed'>"
        .to_owned();
    for node in nodes.split_whitespace() {
        let (name, kind) = node.split_once(':').unwrap();
        write!(
            text,
            "<node id='{name}'><data key='n'>{name}</data><data key='t'>{kind}</data></node>"
        )
        .unwrap();
    }
    for edge in edges.split_whitespace() {
        let ends: Vec<&str> = edge.split('>').collect();
        for pair in ends.windows(2) {
            write!(text, "<edge source='{}' target='{}'/>", pair[0], pair[1]).unwrap();
        }
    }
    text + "</graph></graphml>"
}

fn tasks(tables: &RunTables) -> Vec<i64> {
    let metric = tables
        .summary
        .metrics
        .rows()
        .position(|row| row.name == "task");
    let metric = i32::try_from(metric.unwrap()).unwrap();
    let rows = tables.counters.rows().filter(|row| row.metric == metric);
    rows.map(|row| row.value.unwrap()).collect()
}

/// `task parent.join#place` of each grain, by task.
fn shape(run: &Run) -> String {
    let tasks = tasks(&run.tables);
    let mut lines: Vec<(i64, String)> = run
        .tables
        .grains
        .rows()
        .enumerate()
        .map(|(at, grain)| {
            let parent = grain
                .parent
                .map_or(0, |row| tasks[usize::try_from(row).unwrap()]);
            let join = grain.joined_by.unwrap();
            (
                tasks[at],
                format!("{} {parent}.{join}#{}", tasks[at], grain.index),
            )
        })
        .collect();
    lines.sort_unstable();
    let lines: Vec<String> = lines.into_iter().map(|(_, line)| line).collect();
    lines.join(", ")
}

#[test]
fn all_forms_are_one_program() {
    let grains = |run: &Run| run.tables.grains.rows().collect::<Vec<GrainRow>>();
    let table = run("walk.csv", sample!("mir/walk.processed.csv"));
    let reduced = run("walk.graphml", sample!("graphml/walk.reduced.graphml"));
    let problem = sample!("graphml/walk.parallel_benefit-problem.graphml");
    let unreduced = run("walk.graphml", sample!("graphml/walk.unreduced.graphml"));
    for other in [&reduced, &run("walk.graphml", problem), &unreduced] {
        assert_eq!(grains(other), grains(&table));
    }
    let nested = run("walk.graphml", sample!("graphml/walk.nested.graphml"));
    assert_eq!(shape(&nested), shape(&table));
    assert_eq!(
        shape(&table),
        "1 0.0#0, 2 1.0#0, 3 1.0#1, 4 1.0#2, 5 2.0#0, 6 2.0#1, 7 4.0#0, 8 4.0#1, 9 2.1#2, 10 1.1#3"
    );
    // The first value is unset, the others have six digits.
    assert_eq!(nested.tables.summary.meta.warnings.len(), 1);
    let benefits = nested.tables.counters.rows();
    let benefits: Vec<f64> = benefits.filter_map(|row| row.value_float).collect();
    assert_eq!(benefits.len(), 9);
    assert!(benefits.contains(&15.3999));
}

#[test]
fn instants_follow_from_fragments_where_no_attribute_has_them() {
    let text = String::from_utf8(sample!("graphml/walk.unreduced.graphml").to_vec()).unwrap();
    let lacking: String = text
        .lines()
        .filter(|line| !line.contains("create_instant") && !line.contains("wait_instants"))
        .collect();
    let counters = |run: &Run| {
        let rows = run.tables.counters.rows();
        rows.map(|row| (row.grain, row.metric, row.value))
            .collect::<Vec<_>>()
    };
    let (whole, lacking) = (run("w", text.as_bytes()), run("w", lacking.as_bytes()));
    let created = whole
        .tables
        .summary
        .metrics
        .rows()
        .filter(|row| row.name.contains("instant"));
    assert_eq!(created.count(), 2);
    assert_eq!(counters(&lacking), counters(&whole));
}

#[test]
fn structure_decides_whatever_the_names_and_the_order() {
    let nodes = "s:start e:end a:fork b:join x:fork y:join p:fork q:join 1:task 2:task 3:task 4:task 5:task";
    let edges = "q>e 5>q p>5 y>b>p a>1>x>2>y x>3>y a>4>b s>a";
    let expected = "1 0.0#0, 2 1.0#0, 3 1.0#1, 4 0.0#1, 5 0.1#2";
    assert_eq!(shape(&run("g", graph(nodes, edges).as_bytes())), expected);
    let reversed: Vec<&str> = nodes.split(' ').rev().collect();
    let reversed = graph(&reversed.join(" "), edges);
    assert_eq!(shape(&run("g", reversed.as_bytes())), expected);
}

#[test]
fn tasks_in_series_are_forked_and_joined_alone() {
    let nodes = "s:start e:end f:fork j:join g:fork k:join 1:task 2:task 3:task 4:task 5:task";
    // Task 4 follows the join of 1's child, and has a child itself; 5 follows that one's join.
    let edges = "s>f>1>g>2>k>4>j f>3>j>5>e";
    let expected = "1 0.0#0, 2 1.0#0, 3 0.0#1, 4 1.1#1, 5 0.1#2";
    assert_eq!(shape(&run("g", graph(nodes, edges).as_bytes())), expected);
    let alone = graph("s:start e:end 7:task", "s>7>e");
    assert_eq!(shape(&run("g", alone.as_bytes())), "7 0.0#0");
}

#[test]
fn branches_without_tasks_are_counted() {
    let text = graph("s:start e:end f:fork j:join 1:task", "s>f>1>j>e f>j");
    let run = run("g", text.as_bytes());
    assert_eq!(run.report.count("read_empty_branches"), 1);
    assert_eq!(shape(&run), "1 0.0#0");
}

#[test]
fn attributes_come_in_any_type_and_order() {
    let text = "<?xml version='1.0'?><!DOCTYPE graphml SYSTEM 'x.dtd'><g:graphml xmlns:g='urn:g'>\
        <g:key id='w' for='node' attr.name='work_cycles' attr.type='string'/>\
        <g:key id='x' for='node' attr.name='width' attr.type='double'/>\
        <g:key id='p' for='all' attr.name='problematic' attr.type='boolean'/>\
        <g:key id='t' for='node' attr.name='type' attr.type='string'/>\
        <g:key id='a' for='node' attr.name='tag' attr.type='string'/>\
        <g:key id='w' for='node' attr.name='again' attr.type='string'/>\
        <g:graph>\
        <g:node id='a&amp;b'><g:data key='w'> 12 </g:data><g:data key='p'>true</g:data>\
        <g:data key='a'>x&lt;y&#33;<![CDATA[<z>]]></g:data><g:data key='x'>q</g:data>\
        <g:data key='none'>1</g:data><g:data key='t'>task</g:data></g:node>\
        <g:edge source='s' target='a&amp;b'/><g:node id='s'><g:data key='t'>start</g:data></g:node>\
        <g:edge source='a&#38;b' target='e'><g:data key='w'>5</g:data></g:edge>\
        <g:node id='e'><g:data key='t'>end</g:data><g:data key='w'>7</g:data></g:node>\
        </g:graph></g:graphml>";
    let run = run("g", text.as_bytes());
    let grain = run.tables.grains.rows().next().unwrap();
    assert_eq!(grain.work, Some(12));
    let names: Vec<String> = run
        .tables
        .summary
        .definitions
        .rows()
        .map(|row| row.name)
        .collect();
    assert!(names.contains(&"x<y!<z>".to_owned()), "{names:?}");
    let counters: Vec<_> = run.tables.counters.rows().map(|row| row.value).collect();
    assert_eq!(counters, [Some(1)]);
    assert_eq!(run.report.count("skipped_keys"), 1);
    assert_eq!(run.report.count("skipped_attributes"), 1);
}
