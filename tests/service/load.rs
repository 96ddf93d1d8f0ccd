//! Many requests over many connections: none is lost, and the service stays within bounds.
//!
//! `GRAINSHEAF_LOAD_REQUESTS` and `GRAINSHEAF_LOAD_CONNECTIONS` make it longer, as `tests/load.sh`
//! does.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use sheaf_tests::{Answer, Persistent, Service};

use crate::sample;

/// Descriptors that the service may need next to those of connections.
const MAX_OTHER_DESCRIPTORS: usize = 300;

/// Bytes of memory that the service may need at most, and for each connection.
const MAX_MEMORY: usize = 1 << 30;
const MAX_MEMORY_PER_CONNECTION: usize = 1 << 20;

/// What is asked for, and the status of its answer.
const QUESTIONS: [(&str, bool, u16); 10] = [
    ("/", false, 200),
    ("/api/v1/lens?text=by%20threads", true, 200),
    ("/api/v1/store", true, 200),
    ("/api/v1/runs", true, 200),
    ("/api/v1/runs", false, 401),
    ("/api/v1/nothing", true, 404),
    ("/api/v1/runs?bogus=1", true, 400),
    ("/api/v1/stats?lens=by%20threads", true, 200),
    ("/api/v1/openapi.json", true, 200),
    ("/api/v1/runs?format=csv", true, 200),
];

/// What became of requests.
#[derive(Default)]
struct Tally {
    answers: BTreeMap<u16, usize>,
    faults: Vec<String>,
}

impl Tally {
    fn add(&mut self, path: &str, expected: u16, answer: &Answer) {
        *self.answers.entry(answer.status).or_default() += 1;
        let is_right = match answer.status {
            503 => answer.header("retry-after").is_some(),
            status => status == expected && !(status == 200 && answer.body.is_empty()),
        };
        if !is_right {
            let text: String = answer.text().chars().take(200).collect();
            self.faults
                .push(format!("{path}: {} {text}", answer.status));
        }
    }
}

fn from_environment(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

/// Takes requests from `left` until none is left.
fn client(service: &Service, left: &AtomicUsize) -> Tally {
    let token = format!("Bearer {}", service.token);
    let mut tally = Tally::default();
    let mut connection = None;
    loop {
        let take = |left: usize| left.checked_sub(1);
        let Ok(number) = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take) else {
            return tally;
        };
        let (path, is_allowed, status) = QUESTIONS[number % QUESTIONS.len()];
        let headers: &[_] = if is_allowed {
            &[("Authorization", &*token)]
        } else {
            &[]
        };
        let mut open = match connection.take() {
            Some(open) => open,
            None => Persistent::connect(&service.host).unwrap(),
        };
        match open.ask(path, headers) {
            Ok(answer) => {
                tally.add(path, status, &answer);
                if answer.header("connection") != Some("close") {
                    connection = Some(open);
                }
            }
            Err(error) => tally.faults.push(format!("{path}: lost: {error}")),
        }
    }
}

fn descriptors(id: u32) -> usize {
    std::fs::read_dir(PathBuf::from(format!("/proc/{id}/fd")))
        .unwrap()
        .count()
}

/// The most memory that a process ever had, in bytes.
fn peak_memory(id: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1));
    kilobytes.unwrap().parse::<usize>().unwrap() * 1024
}

/// Asks over many connections at once. Returns what each was answered, and the most descriptors
/// that the service had open.
fn put_under_load(service: &Service, requests: usize, connections: usize) -> (Vec<Tally>, usize) {
    let left = AtomicUsize::new(requests);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watching = scope.spawn(|| {
            let mut most = 0;
            while !is_over.load(Ordering::Relaxed) {
                most = most.max(descriptors(service.id()));
                std::thread::park_timeout(Duration::from_millis(20));
            }
            most
        });
        let clients: Vec<_> = (0..connections)
            .map(|_| scope.spawn(|| client(service, &left)))
            .collect();
        let tallies = clients.into_iter();
        let tallies = tallies.map(|client| client.join().unwrap()).collect();
        is_over.store(true, Ordering::Relaxed);
        (tallies, watching.join().unwrap())
    })
}

#[test]
fn no_request_is_lost_under_load() {
    let requests = from_environment("GRAINSHEAF_LOAD_REQUESTS", 3000);
    let connections = from_environment("GRAINSHEAF_LOAD_CONNECTIONS", 64);
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let places = connections.to_string();
    let args = ["--max-connections-per-address", &*places];
    let mut service = Service::start_logged(&sample("threads"), &args, &log);
    let idle = descriptors(service.id());
    let begun = Instant::now();
    let (tallies, most) = put_under_load(&service, requests, connections);
    let took = begun.elapsed();
    let mut answers = BTreeMap::new();
    let mut faults = Vec::new();
    for tally in tallies {
        for (status, count) in tally.answers {
            *answers.entry(status).or_insert(0) += count;
        }
        faults.extend(tally.faults);
    }
    let memory = peak_memory(service.id());
    println!(
        "{requests} requests over {connections} connections in {took:.1?}: {answers:?}; at most \
         {most} descriptors ({idle} before), {} MiB",
        memory >> 20
    );
    assert!(
        faults.is_empty(),
        "{} faults, first:\n{}",
        faults.len(),
        faults[0]
    );
    assert_eq!(answers.values().sum::<usize>(), requests);
    assert!(
        answers
            .get(&200)
            .is_some_and(|count| *count > requests / 10),
        "{answers:?}"
    );
    assert!(
        most <= idle + connections + MAX_OTHER_DESCRIPTORS,
        "{most} descriptors"
    );
    assert!(
        memory <= MAX_MEMORY + connections * MAX_MEMORY_PER_CONNECTION,
        "{memory} bytes"
    );
    while descriptors(service.id()) > idle + MAX_OTHER_DESCRIPTORS {
        assert!(
            begun.elapsed() < took + Duration::from_secs(60),
            "descriptors stay open"
        );
        std::thread::yield_now();
    }
    assert!(service.terminate());
    let log = std::fs::read_to_string(log).unwrap();
    assert!(!log.contains("panicked"), "{log}");
}
