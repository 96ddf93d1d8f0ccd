//! Small runs by hand.

use sheaf_model::Progress;

use super::text::run;
use crate::grain_graph::Structure;
use crate::timeline::{Policy, ReadyBy, Timeline, Workers};

/// `work delay no_work`, and when each fragment was ready and by what.
fn check(text: &str, balance: &str, ready: &[&str]) {
    let run = run(text);
    let structure = Structure::of(&run);
    let timeline = Timeline::of(&run, &structure).unwrap();
    let found = timeline.balance();
    let streamed = Timeline::balance_of(&run, &structure, &Progress::silent()).unwrap();
    assert_eq!(streamed.as_ref(), Ok(found));
    let (delay, no_work) = (found.delay.clone().unwrap(), found.no_work.clone().unwrap());
    assert_eq!(format!("{} {delay} {no_work}", found.work), balance);
    assert_eq!(found.work + delay + no_work, found.workers * found.elapsed);
    let kinds = [
        "sync",
        "create",
        "create-cont",
        "wait-cont",
        "cont",
        "depend",
    ];
    let fragments = 0..u32::try_from(run.fragments.len()).unwrap();
    let all: Vec<String> = fragments
        .map(|fragment| match timeline.ready(fragment).unwrap() {
            Some((time, by)) => format!("{time} {}", kinds[by as usize]),
            None => "unknown".to_owned(),
        })
        .collect();
    assert_eq!(all, ready);
}

/// Worker 0 creates a task and goes on; worker 1 takes the task 5 later and works until 40.
const ONE_TASK: &str = "
    initial - run=w0:0+10,create run=w0:10+10,wait run=w0:43+7 wait=20+23
    task 0 created=10 run=w1:15+25
";

#[test]
fn a_task_that_was_stolen() {
    // Until 10 there is nothing for worker 1, until 15 the task; from 20 to 40 nothing for worker 0, until 43 its
    // own continuation.
    check(
        ONE_TASK,
        "52 8 40",
        &["0 create", "10 create-cont", "40 sync", "10 create"],
    );
    let run = run(ONE_TASK);
    let structure = Structure::of(&run);
    let timeline = Timeline::of(&run, &structure).unwrap();
    let steals = timeline.steals().unwrap();
    assert_eq!(steals.edges, [1, 1, 1, 1, 0, 0]);
    assert_eq!(steals.moved, [1, 1, 0, 0, 0, 0]);
    assert_eq!(steals.policy(), Policy::HelpFirst);
    assert_eq!(steals.matrix.count(0, 1, ReadyBy::Creation), 1);
    let path = timeline.last_finish().unwrap();
    assert_eq!(path.fragments, [0, 3, 2]);
    assert_eq!((path.work, path.delay), (42, 8));
    assert_eq!(path.delay_by, [3, 5, 0, 0, 0, 0]);
    // Both gaps have an idle worker.
    assert_eq!(path.scheduler_delay, [3, 5, 0, 0, 0, 0]);
    let workers = Workers::of(&run, timeline.balance().elapsed).unwrap();
    assert_eq!(workers.idle(0).collect::<Vec<_>>(), [(20, 43)]);
    assert_eq!(workers.idle(1).collect::<Vec<_>>(), [(0, 15), (40, 50)]);
}

#[test]
fn time_of_helpers_is_no_time_of_workers() {
    let run = super::text::run_with_helper(ONE_TASK);
    let structure = Structure::of(&run);
    let timeline = Timeline::of(&run, &structure).unwrap();
    let found = timeline.balance();
    let streamed = Timeline::balance_of(&run, &structure, &Progress::silent()).unwrap();
    assert_eq!(streamed.as_ref(), Ok(found));
    // The worker waits from 20; its continuation is ready at 40 and begins at 43.
    assert_eq!((found.workers, found.elapsed, found.work), (1, 50, 27));
    assert_eq!((&found.delay, &found.no_work), (&Ok(3), &Ok(20)));
    assert_eq!(found.faults(), [""; 0]);
    // The helper took nothing from a worker.
    let steals = timeline.steals().unwrap();
    assert_eq!(steals.edges, [1, 1, 1, 1, 0, 0]);
    assert_eq!(steals.moved, [0; 6]);
    assert_eq!(steals.matrix.count(0, 1, ReadyBy::Creation), 0);
}

#[test]
fn members_that_wait_at_a_barrier_have_no_work() {
    // Member 1 arrives at 30, member 0 at 60: until then there is nothing for worker 1.
    check(
        "
        initial - run=w0:0+10,enter run=w0:70+5
        member 0 sequence=0 index=0 run=w0:10+50,wait run=w0:61+4 region=60+1
        member 0 sequence=0 index=1 run=w1:10+20,wait run=w1:62+8 region=30+32
        ",
        "97 3 50",
        &[
            "0 create",
            "70 sync",
            "10 create",
            "60 wait-cont",
            "10 create",
            "60 sync",
        ],
    );
}

#[test]
fn members_wait_for_the_tasks_of_the_others() {
    check(
        "
        initial - run=w0:0+10,enter run=w0:70+5
        member 0 sequence=0 index=0 run=w0:10+10,create run=w0:20+10,wait run=w0:60+10 barrier=30+30
        member 0 sequence=0 index=1 run=w1:10+5,wait run=w1:60+10 barrier=15+45
        task 1 created=20 run=w1:20+40
        ",
        "100 0 50",
        &[
            "0 create",
            "70 sync",
            "10 create",
            "20 create-cont",
            "60 sync",
            "10 create",
            "60 sync",
            "20 create",
        ],
    );
}

#[test]
fn chunks_follow_each_other_on_their_member() {
    check(
        "
        initial - run=w0:0+10,enter run=w0:100+5
        member 0 sequence=0 index=0 run=w0:10+1,enter run=w0:51+1,wait region=52+48
        chunk 1 sequence=0 index=0 run=w0:11+20
        chunk 1 sequence=0 index=1 run=w0:31+20
        ",
        "57 48 105",
        &[
            "0 create",
            "52 sync",
            "10 create",
            "51 cont",
            "11 cont",
            "31 cont",
        ],
    );
}

#[test]
fn a_task_is_ready_when_the_last_of_those_it_depends_on_ends() {
    check(
        "
        initial - run=w0:0+1,create run=w0:1+1,create run=w0:2+1,wait run=w0:30+1 wait=3+27
        task 0 created=1 run=w1:4+16
        task 0 created=2 after=1 run=w0:25+5
        ",
        "25 8 29",
        &[
            "0 create",
            "1 create-cont",
            "2 create-cont",
            "30 sync",
            "1 create",
            "20 depend",
        ],
    );
}

#[test]
fn what_is_done_at_once_holds_its_creator_up() {
    check(
        "
        initial - run=w0:0+5,create run=w0:5+0,switch run=w0:15+5
        undeferred 0 created=5 run=w0:5+10
        ",
        "20 0 20",
        &["0 create", "5 create-cont", "15 sync", "5 create"],
    );
}

#[test]
fn folded_subgraphs_delay_inside() {
    // From 10 to 40, of which 12 are work: 18 are delay inside of it.
    let folded = "
        initial - run=w0:0+10,create run=w0:40+0,wait run=w0:40+10 wait=40+0
        folded 0 created=10 joined=0 run=w1:10+12 end=40 work=12
    ";
    check(
        folded,
        "32 48 20",
        &["0 create", "10 create-cont", "40 sync", "10 create"],
    );
    let run = run(folded);
    let structure = Structure::of(&run);
    let timeline = Timeline::of(&run, &structure).unwrap();
    let balance = timeline.balance();
    assert_eq!((balance.inner_delay, balance.running), (18, 50));
}

#[test]
fn more_at_once_than_workers_is_said() {
    let text = "
        initial - run=w0:0+10,create run=w0:10+10,wait run=w0:20+1 wait=20+0
        task 0 created=10 run=w1:10+10
        task 0 created=10 run=w1:12+4
    ";
    let run = run(text);
    let structure = Structure::of(&run);
    let timeline = Timeline::of(&run, &structure).unwrap();
    let balance = timeline.balance();
    assert_eq!((balance.imbalance(), balance.oversubscribed), (4, 4));
    assert_eq!(balance.faults().len(), 1, "{:?}", balance.faults());
    let workers = Workers::of(&run, timeline.balance().elapsed).unwrap();
    assert_eq!((workers.overlaps(), workers.overlap_time()), (1, 4));
}

#[test]
fn what_a_source_does_not_say_is_absent() {
    let without_times = run("task - work=5");
    let structure = Structure::of(&without_times);
    let absent = Timeline::of(&without_times, &structure).unwrap_err();
    assert_eq!(
        absent.to_string(),
        "there is no time line: the source does not say when grains ran"
    );
    let slices = run("
        task - run=w0:0+10,switch run=w0:20+10
        task - run=w0:10+10
    ");
    let structure = Structure::of(&slices);
    let timeline = Timeline::of(&slices, &structure).unwrap();
    let balance = timeline.balance();
    assert_eq!((balance.work, balance.idle), (30, 30));
    assert!(balance.delay.is_err() && balance.no_work.is_err());
    assert!(timeline.delays(&slices).is_err() && timeline.ready(0).is_err());
    assert!(!timeline.steps().has_ready());
    assert_eq!(timeline.steps().area(0), 30);
}
