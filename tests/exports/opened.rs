//! What networkx, a reader of yEd's files, pydot, csv and pyarrow find in exports.

use serde_json::{Value, json};
use sheaf_tests::workspace_root;

use crate::{export, first_run, opened, reference, store_of};

fn total(counts: &Value) -> u64 {
    let counts = counts.as_object().unwrap().values();
    counts.map(|count| count.as_u64().unwrap()).sum()
}

/// A recorded run in every format: the same grains, edges and work in each.
#[test]
fn all_formats_hold_the_same_run() {
    let folder = tempfile::tempdir().unwrap();
    let store = workspace_root().join("data/ensembles/threads");
    let open = |format: &str, what: &str| {
        let file = folder.path().join(format!("run.{format}"));
        export(&store, &file, &["--as", format]);
        opened(what, &file, None)
    };
    let flat = open("graphml", "graphml");
    assert_eq!(flat["is_acyclic"], true);
    assert_eq!(flat["is_exact"], true);
    let run = first_run(&store);
    assert_eq!(flat["about"]["run"], run.run);
    assert_eq!(flat["about"]["time_unit"], "ns");
    let grains = flat["nodes"]["task"].as_u64().unwrap();
    assert!(grains >= run.grains.unwrap() && grains > 100);

    let dot = open("dot", "dot");
    assert_eq!(
        (&dot["nodes"], &dot["edges"]),
        (&flat["nodes"], &flat["edges"])
    );

    let nested = open("graphml-nested", "nested");
    for kind in ["task", "fork", "join"] {
        assert_eq!(nested["nodes"][kind], flat["nodes"][kind], "{kind}");
    }
    assert_eq!(nested["nodes"]["forkjoin"], flat["nodes"]["fork"]);
    assert_eq!(
        (&nested["is_acyclic"], &nested["is_connected"]),
        (&json!(true), &json!(true))
    );
    // All but those of the start and the end.
    assert_eq!(total(&nested["edges"]), total(&flat["edges"]) - 2);
    let (yed, nodes) = (&nested["yed"], &nested["nodes"]);
    let groups = total(nodes)
        - ["task", "fork", "join"]
            .map(|kind| nodes[kind].as_u64().unwrap())
            .iter()
            .sum::<u64>();
    assert_eq!(yed["groups"], groups);
    assert_eq!(yed["nodes"].as_u64().unwrap() + groups, total(nodes));
    assert_eq!(yed["edges"], total(&nested["edges"]));
    assert_eq!(nested["sums"], groups, "every group has a sum of work");

    let csv = open("csv", "csv");
    let parquet = open("parquet", "parquet");
    for table in [&csv, &parquet] {
        assert_eq!(table["rows"], grains);
        assert_eq!(table["sums"]["work_ns"], flat["work"].to_string());
    }
    assert_eq!(csv["columns"], parquet["columns"]);
    assert_eq!(csv["absent"], parquet["absent"]);
    assert_eq!(parquet["undocumented"], json!([]));
    assert_eq!(parquet["about"]["grainsheaf.run"], run.run);
}

/// Every node and edge of the prototype's graphs, by name, with the attributes that both have.
#[test]
fn graphs_are_those_of_the_prototype() {
    let cases = [
        (
            "example/example.mir-task-stats.csv",
            "reduced",
            "example/example.reduced.graphml",
        ),
        (
            "example/example.mir-task-stats.csv",
            "unreduced",
            "example/example.unreduced.graphml",
        ),
        (
            "task-stats/fib-45-12.task-stats.merged.csv.gz",
            "reduced",
            "graphml/fib-45-12.reduced.graphml.gz",
        ),
        (
            "task-stats/for-loop-32-40-3.task-stats.merged.csv.gz",
            "reduced",
            "graphml/for-loop-32-40-3.reduced.graphml.gz",
        ),
    ];
    for (profile, form, theirs) in cases {
        let (Some(profile), Some(theirs)) = (reference(profile), reference(theirs)) else {
            return;
        };
        let folder = tempfile::tempdir().unwrap();
        let store = store_of(folder.path(), &profile);
        let file = folder.path().join("ours.graphml");
        export(&store, &file, &["--as", "graphml", "--form", form]);
        let answer = opened("graphml", &file, Some(&theirs));
        let [nodes, edges] =
            ["compared_nodes", "compared_edges"].map(|key| answer[key].as_u64().unwrap());
        println!(
            "{}: {nodes} values of nodes, {edges} of edges agree",
            theirs.display()
        );
        assert!(nodes > 4 * total(&answer["nodes"]));
        assert!(edges >= total(&answer["edges"]));
    }
}

/// Names that are markup, formulas or terminal codes to somebody stay names.
#[test]
fn hostile_names_are_names() {
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("hostile.csv");
    let names = [
        "=cmd|'/c calc'!A1",
        "</data></node><node id=\"n0\"/>",
        "a\"]; n0 -> n1 [label=\"b",
        "\u{1b}[31m&amp;\\N\\",
    ];
    let header = "task,parent,joins_at,cpu_id,child_number,num_children,exec_cycles,\
                  creation_cycles,overhead_cycles,queue_size,create_instant,exec_end_instant,\
                  tag,metadata,outline_function,wait_instants\n";
    let rows = (1..).zip(names).map(|(task, name)| {
        let quoted = name.replace('"', "\"\"");
        format!("{task},0,0,0,{task},0,100,1,0,0,0,{task}00,\"{quoted}\",NA,NA,[0]\n")
    });
    let text: String = std::iter::once(header.to_owned()).chain(rows).collect();
    std::fs::write(&profile, text).unwrap();
    let store = store_of(folder.path(), &profile);
    let formats = [
        ("graphml", "graphml"),
        ("graphml-nested", "nested"),
        ("dot", "dot"),
        ("csv", "csv"),
        ("parquet", "parquet"),
    ];
    for (format, what) in formats {
        let file = folder.path().join(format!("run.{format}"));
        export(&store, &file, &["--as", format]);
        let answer = opened(what, &file, None);
        match answer.get("rows") {
            Some(rows) => assert_eq!(rows, 4, "{format}"),
            None => assert_eq!(answer["nodes"]["task"], 4, "{format}"),
        }
    }
    let csv = std::fs::read_to_string(folder.path().join("run.csv")).unwrap();
    assert!(csv.contains(",'=cmd|") && !csv.contains(",=cmd|"), "{csv}");
    let graph = std::fs::read_to_string(folder.path().join("run.graphml")).unwrap();
    assert!(graph.contains("&lt;/data&gt;") && !graph.contains('\u{1b}'));
}
