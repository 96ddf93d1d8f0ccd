//! Questions that take long: stopped at their deadline or with their client, and never in the way of others.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use sheaf_answers::{Sankey, Stats};
use sheaf_model::table::{ContextRow, DefinitionRow, LocationRow, MetricRow, TotalRow};
use sheaf_model::{ContextId, DefinitionId, RunMeta, RunSummary, RunTables};
use sheaf_store::Store;
use sheaf_tests::Service;

/// Divides these runs in ten thousand ways and judges each, which takes far longer than any test waits.
const SLOW: &str = "/api/v1/noise?splits=10000";

const LOCATION: LocationRow = LocationRow {
    rank: 0,
    thread: 0,
    core: None,
    numa_node: None,
};

fn work() -> MetricRow {
    MetricRow {
        name: "work_ns".to_owned(),
        unit: "ns".to_owned(),
        kind: "additive".to_owned(),
        direction: "higher_is_worse".to_owned(),
        is_integer: true,
        source: None,
        alias: None,
    }
}

/// A function with so many callees, each below the one before when `is_chain`.
fn run(number: i64, contexts: i32, is_chain: bool) -> RunSummary {
    let mut meta = RunMeta::new("made", "made");
    meta.name = format!("run-{number}");
    let mut summary = RunSummary::empty(meta);
    let mut definitions: Vec<(DefinitionId, String)> = (0..if is_chain { 1 } else { contexts })
        .map(|at| format!("function_{at}"))
        .map(|name| (DefinitionId::new("function", &name, 0), name))
        .collect();
    definitions.sort_unstable();
    let definition = |(id, name): &(DefinitionId, String)| DefinitionRow {
        id: id.0,
        kind: "function".to_owned(),
        name: name.clone(),
        function: Some(name.clone()),
        ..DefinitionRow::default()
    };
    summary.definitions = definitions.iter().map(definition).collect();
    let mut id = ContextId::root(definitions[0].0);
    let mut rows = Vec::new();
    for at in 0..contexts {
        let definition = if is_chain { 0 } else { at };
        if at > 0 {
            id = if is_chain {
                id.child(definitions[0].0)
            } else {
                ContextId::root(definitions[0].0)
                    .child(definitions[usize::try_from(definition).unwrap()].0)
            };
        }
        rows.push(ContextRow {
            id: id.0,
            parent: (at > 0).then_some(if is_chain { at - 1 } else { 0 }),
            definition,
            depth: if is_chain { at } else { i32::from(at > 0) },
        });
    }
    summary.contexts = rows.into_iter().collect();
    summary.locations = [LOCATION].into_iter().collect();
    summary.metrics = [work()].into_iter().collect();
    let total = |context: i32| {
        let sum = 1_000 + (i64::from(context) * 7 + number * 13) % 97;
        TotalRow {
            context,
            metric: 0,
            count: 1,
            sum: Some(sum),
            min: Some(sum),
            max: Some(sum),
            sum_squares: Some(i128::from(sum) * i128::from(sum)),
            sum_float: None,
            min_float: None,
            max_float: None,
            sketch_buckets: Vec::new(),
            sketch_counts: Vec::new(),
        }
    };
    summary.totals = (0..contexts).map(total).collect();
    summary
}

fn store(runs: i64, contexts: i32, is_chain: bool) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create_or_open(&folder.path().join("store")).unwrap();
    let mut import = store.import().unwrap();
    for number in 0..runs {
        let run = run(number, contexts, is_chain);
        import.add(RunTables::without_grains(run)).unwrap();
    }
    import.publish().unwrap();
    folder
}

#[test]
fn a_question_is_stopped_at_its_deadline() {
    let folder = store(40, 1_000, false);
    let service = Service::start(&folder.path().join("store"), &["--deadline", "0.5"]);
    let begin = Instant::now();
    let answer = service.get(SLOW);
    assert_eq!(answer.status, 504, "{}", answer.text());
    assert_eq!(answer.code(), "deadline");
    let message = answer.message();
    assert!(message.contains("deadline of 0.5 s"), "{message}");
    assert!(begin.elapsed() < Duration::from_secs(20));
}

/// Seventy clients ask what takes long and go away; then small questions are answered as if nobody had asked.
#[test]
fn abandoned_questions_free_their_places() {
    let folder = store(40, 1_000, false);
    let service = Service::start(&folder.path().join("store"), &["--deadline", "600"]);
    let bearer = format!("Bearer {}", service.token);
    let open = || service.open("GET", SLOW, &[("Authorization", &bearer)]);
    let waiting: Vec<_> = (0..70).map(|_| open()).collect();
    drop(waiting);
    // The service notices within moments that they are gone; until then their line is full.
    let begin = Instant::now();
    while service.get("/api/v1/store").status != 200 {
        assert!(
            begin.elapsed() < Duration::from_secs(10),
            "places stay taken"
        );
        std::thread::park_timeout(Duration::from_millis(20));
    }
}

/// As many rows as there are contexts, each with a path as long as its depth: the answer is refused, the service
/// goes on, and pages of it are answered.
#[test]
fn deep_contexts_do_not_end_the_service() {
    let folder = store(2, 30_000, true);
    let service = Service::start(&folder.path().join("store"), &[]);
    let lens = Service::encode("level context");
    for form in ["json", "csv", "arrow"] {
        let answer = service.get(&format!("/api/v1/stats?lens={lens}&format={form}"));
        assert_eq!(answer.status, 422, "{}", answer.text());
        assert_eq!(answer.code(), "answer_too_large");
    }
    let page: Stats = service.read(&format!("/api/v1/stats?lens={lens}&offset=20000&limit=2"));
    let depths: Vec<usize> = page.rows.iter().map(|row| row.path.names().len()).collect();
    assert_eq!(depths, [20_001, 20_002]);
    let lens = Service::encode("level context | diff \"name = 'run-0'\" to \"name = 'run-1'\"");
    let answer = service.get(&format!("/api/v1/diff?lens={lens}"));
    assert_eq!(answer.code(), "answer_too_large");
    assert_eq!(service.get("/api/v1/runs").status, 200);
}

/// A picture with as many columns as a chain has calls is drawn in time linear in them.
#[test]
fn a_sankey_of_a_deep_chain_is_drawn() {
    let folder = store(1, 100_000, true);
    let service = Service::start(&folder.path().join("store"), &[]);
    let lens = Service::encode("level context");
    let picture: Sankey = service.read(&format!("/api/v1/sankey?lens={lens}"));
    assert_eq!((picture.nodes.len(), picture.levels), (100_000, 100_000));
}

/// The same question of a command, past its deadline.
#[test]
fn a_command_ends_at_its_deadline() {
    let folder = store(40, 1_000, false);
    let words = ["noise", "--splits", "10000", "--deadline", "0.5"];
    let outcome = sheaf_tests::grainsheaf(&folder.path().join("store"))
        .args(words)
        .output()
        .unwrap();
    assert_eq!(outcome.status.code(), Some(130));
    let printed = String::from_utf8_lossy(&outcome.stderr);
    assert!(printed.contains("deadline of 0.5 s"), "{printed}");
}

/// A question that would take minutes ends with its own status soon after Ctrl-C.
#[test]
fn a_command_ends_at_ctrl_c() {
    let folder = store(40, 1_000, false);
    let mut child = sheaf_tests::grainsheaf(&folder.path().join("store"))
        .args(["noise", "--splits", "10000"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until_it_works(&child);
    let pid = child.id().to_string();
    let begin = Instant::now();
    let sent = Command::new("kill").args(["-INT", &pid]).status().unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    // 0.2 s on an idle machine; this one may be busy.
    assert!(begin.elapsed() < Duration::from_secs(5));
}

/// Waits until a process has spent half a second of processor time: its handlers are installed then.
fn until_it_works(child: &Child) {
    const TICKS: u64 = 50;
    loop {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
        let (_, after_name) = stat.rsplit_once(')').unwrap();
        if after_name
            .split_whitespace()
            .nth(11)
            .unwrap()
            .parse::<u64>()
            .unwrap()
            >= TICKS
        {
            return;
        }
        std::thread::yield_now();
    }
}
