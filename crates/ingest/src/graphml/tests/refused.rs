//! Graphs that are not grain graphs, with the node at fault.

use super::{graph, result};

fn refusal(text: &str) -> String {
    match result("g", text.as_bytes()) {
        Ok(_) => "read".to_owned(),
        Err(error) => {
            let text = error.to_string();
            let begin = "cannot read graphml file: ";
            text.strip_prefix(begin).unwrap_or(&text).to_owned()
        }
    }
}

/// Nodes, edges, and why they are refused.
const BROKEN: &[(&str, &str, &str)] = &[
    ("1:task", "s>f>1>j>e", "read"),
    ("", "s>f>j>e", "graphml file holds no measurement"),
    (
        "1:task",
        "f>1>j>e",
        "the start has 0 successors instead of one, at node `s`",
    ),
    (
        "1:task",
        "s>f>1>j",
        "the end has 0 predecessors instead of one, at node `e`",
    ),
    (
        "1:task 2:task",
        "s>f>1>2>j>e",
        "the task has node `2` (task) among its successors, at node `1`",
    ),
    (
        "1:task",
        "s>f>1>j>e s>1",
        "the start has 2 successors instead of one, at node `s`",
    ),
    (
        "1:task 2:task",
        "s>f>1>j>e f>2",
        "the task has 0 successors instead of one, at node `2`",
    ),
    (
        "1:task x:fork",
        "s>f>1>j>e x>1",
        "the task has 2 predecessors instead of one, at node `1`",
    ),
    (
        "1:fork",
        "s>f>1>j>e",
        "the fork has node `1` (fork) among its successors, at node `f`",
    ),
    (
        "1:group",
        "s>f>1>j>e",
        "the fork has node `1` (node of another type) among its successors, at node `f`",
    ),
    (
        "1:task",
        "s>f>1>j>e f>2",
        "the fork has node `2` (undeclared node) among its successors, at node `f`",
    ),
    (
        "1:task z:start g:fork k:join 2:task y:end",
        "s>f>1>j>e z>g>2>k>y",
        "the graph begins here and at node `s`, at node `z`",
    ),
    (
        "1:task g:fork k:join 2:task",
        "s>f>1>j>e g>2>k>g",
        "the node is on a cycle of edges or after one, at node `g`",
    ),
    (
        "1:task 2:task 3:task g:fork k:join",
        "s>f>1>g>2>j>k>e g>3>k f>3",
        "the task has 2 predecessors instead of one, at node `3`",
    ),
    (
        "1:task 2:task 3:task g:fork k:join",
        "s>f>1>g>2>j>k>e g>3>k",
        "the join collects 1 of 2 of node `g`, at node `j`",
    ),
    (
        "1:task 2:task g:fork k:join 3:task",
        "s>f>1>g>2>k>j>e f>3>k",
        "the join collects node `3`, which is not of its fork, node `g`, at node `k`",
    ),
    (
        "1:task 2:task g:fork",
        "s>f>1>g>2>j>e",
        "the graph ends here before the join of node `f`, at node `j`",
    ),
];

#[test]
fn broken_structures_are_refused_at_a_node() {
    let ends = "s:start e:end f:fork j:join";
    for (nodes, edges, expected) in BROKEN {
        let found = refusal(&graph(&format!("{ends} {nodes}"), edges));
        assert_eq!(found, *expected, "{nodes} {edges}");
    }
}

#[test]
fn broken_fragments_are_refused_at_a_node() {
    let ends = "f:fork j:join";
    let cases = [
        ("1.1:fragment", "f>1.1>j", "read"),
        (
            "1.1:fragment 2:task",
            "f>1.1>j",
            "the graph has fragments, but this is a task or a group, at node `2`",
        ),
        (
            "x:fragment",
            "f>x>j",
            "the fragment lacks the number of its task; it needs `task` or a name like `3.1`, at node `x`",
        ),
        (
            "1.1:fragment 1.2:fragment",
            "f>1.1>j f>1.2>j",
            "the fragment does not go on from task 1, at node `1.1`",
        ),
        (
            "1.1:fragment g:fork 1.2:fragment 2.1:fragment k:join 3.1:fragment",
            "f>1.1>g>1.2>k>1.3 g>2.1>k>j",
            "an edge names a node that is not there, at node `1.3`",
        ),
        (
            "1.1:fragment g:fork 1.2:fragment 2.1:fragment k:join 1.3:fragment 3.1:fragment",
            "f>1.1>g>1.2>k>1.3>j g>2.1>j f>3.1>k",
            "the join collects node `3.1`, which is of another task's child, at node `k`",
        ),
    ];
    for (nodes, edges, expected) in cases {
        let found = refusal(&graph(&format!("{ends} {nodes}"), edges));
        assert_eq!(found, expected, "{nodes} {edges}");
    }
}

#[test]
fn texts_that_end_early_or_are_no_graph_are_refused() {
    let whole = graph("s:start e:end f:fork j:join 1:task", "s>f>1>j>e");
    assert_eq!(refusal(&whole), "read");
    for end in (20..whole.len()).step_by(7) {
        let found = refusal(&whole[..end]);
        assert!(found != "read", "{}", &whole[..end]);
    }
    let cases = [
        ("<graphml></graphml>", "graphml file holds no measurement"),
        (
            "<graphml><graph><node/></graph></graphml>",
            "the node has no id, at node 0",
        ),
        (
            "<graphml><graph><node id='x'/></graph></graphml>",
            "the node's `type` is none of start, end, task, fragment, fork and join, at node `x`",
        ),
        (
            "<graphml><graph><node id='x'/><node id='x'/></graph></graphml>",
            "the node is declared twice, at node `x`",
        ),
        (
            "<graphml><graph><edge source='x'/></graph></graphml>",
            "the edge lacks its source or its target, at edge 0",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(refusal(text), expected, "{text}");
    }
}
