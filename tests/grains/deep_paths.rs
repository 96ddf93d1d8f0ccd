//! Paths of grains in chains: whole as long as those of all grains together stay small.

use std::fmt::Write as _;

use sheaf_answers::{Grains, Runs};
use sheaf_tests::{ask, run};

/// Tasks that each create the next, as a raw task-stats table; the path of the last as `grains --json` has it.
fn last_path(tasks: usize) -> Vec<String> {
    let mut text = String::from(
        "task,parent,joins_at,cpu_id,child_number,num_children,exec_cycles,creation_cycles,overhead_cycles,\
         queue_size,create_instant,exec_end_instant,tag,metadata,outline_function,wait_instants\n",
    );
    for task in 1..=tasks {
        let children = usize::from(task < tasks);
        let waits = if children > 0 { "[0;1000]" } else { "[0]" };
        writeln!(
            text,
            "{task},{},0,0,1,{children},{},50,{},1,{},{},fib,NA,0x4010,{waits}",
            task - 1,
            1000 + task,
            200 * children,
            if task > 1 { 10 } else { 0 },
            10_000_000_000 - task * 100,
        )
        .unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let (file, store) = (folder.path().join("chain.csv"), folder.path().join("store"));
    std::fs::write(&file, text).unwrap();
    run(&store, ["add".as_ref(), file.as_os_str()]).expect_code(0);
    let runs: Runs = ask(&store, &["runs"]);
    let name = &runs.runs[0].name;
    let condition = format!("task = {tasks}");
    let grains: Grains = ask(&store, &["grains", name, "--where", &condition]);
    assert_eq!(grains.rows.len(), 1, "{grains:?}");
    grains.rows.path[0].clone()
}

/// The steps in the brackets of a part of a path.
fn steps(part: &str) -> usize {
    part.matches('.').count() + 1
}

#[test]
fn paths_are_whole_unless_all_together_are_too_long() {
    let whole = last_path(2_000);
    assert_eq!(whole.len(), 1, "{whole:?}");
    assert_eq!(steps(&whole[0]), 2_000);
    let cut = last_path(4_000);
    assert_eq!(cut.len(), 2, "{cut:?}");
    assert_eq!(cut[0], "… 3936 outer grains");
    assert_eq!(steps(&cut[1]), 64);
}
