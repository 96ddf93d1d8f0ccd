//! Limits on connections, and clients that make no use of theirs.

use std::time::{Duration, Instant};

use sheaf_answers::{ImportRequest, Runs};
use sheaf_tests::{Persistent, Service};

use crate::imports::{Upload, empty_store};
use crate::sample;

const LENS: &str = "/api/v1/lens";

/// A connection over which one question was answered.
#[track_caller]
fn taken(service: &Service, from: &str) -> Persistent {
    let mut connection = Persistent::connect_from(from, &service.host).unwrap();
    let answer = connection.ask(LENS, &[]).unwrap();
    assert_eq!(answer.status, 200, "{}", answer.text());
    connection
}

/// The answer to a client that connects now, if it is refused.
#[track_caller]
fn refusal(service: &Service, from: &str) -> String {
    let mut connection = Persistent::connect_from(from, &service.host).unwrap();
    let answer = connection.ask(LENS, &[]).unwrap();
    assert_eq!(answer.status, 503, "{}", answer.text());
    assert_eq!(answer.header("retry-after"), Some("1"));
    assert!(answer.header("content-security-policy").is_some());
    assert_eq!(answer.code(), "busy");
    answer.message()
}

/// Asks until the answer is 200.
#[track_caller]
fn served_again(service: &Service, from: &str) {
    let begun = Instant::now();
    loop {
        let connection = Persistent::connect_from(from, &service.host);
        let answer = connection.and_then(|mut connection| connection.ask(LENS, &[]));
        if answer.is_ok_and(|answer| answer.status == 200) {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "still refused");
        std::thread::yield_now();
    }
}

#[test]
fn one_address_cannot_take_all_connections() {
    let limits = [
        "--max-connections",
        "20",
        "--max-connections-per-address",
        "10",
    ];
    let service = Service::start(&sample("threads"), &[&limits[..], &["--no-token"]].concat());
    let mut first: Vec<_> = (0..10).map(|_| taken(&service, "127.0.0.1")).collect();
    let full = "all `10` connections of one address are taken";
    for _ in 0..100 {
        assert_eq!(refusal(&service, "127.0.0.1"), full);
    }
    let second: Vec<_> = (0..10).map(|_| taken(&service, "127.0.0.2")).collect();
    assert_eq!(
        refusal(&service, "127.0.0.3"),
        "all `20` connections are taken"
    );
    for connection in &mut first {
        assert_eq!(connection.ask(LENS, &[]).unwrap().status, 200);
    }
    drop(second);
    served_again(&service, "127.0.0.3");
    drop(first);
    served_again(&service, "127.0.0.1");
}

#[test]
fn more_connections_than_descriptors_are_refused_at_the_start() {
    let outcome = sheaf_tests::run(
        &sample("threads"),
        ["serve", "--port", "0", "--max-connections", "1000000000000"],
    );
    let outcome = outcome.expect_code(2);
    assert!(
        outcome.stderr.contains("`--max-connections`"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn slow_heads_lose_their_place() {
    let args = ["--client-timeout", "1", "--no-token"];
    let service = Service::start(&sample("threads"), &args);
    let host = &service.host;
    let silent = Persistent::connect(host).unwrap();
    let mut slow = Persistent::connect(host).unwrap();
    slow.send(b"GET / HTTP/1.1\r\nHost: ").unwrap();
    let mut second = taken(&service, "127.0.0.1");
    second.send(b"GET / HTTP/1.1\r\nX: ").unwrap();
    let idle = taken(&service, "127.0.0.1");
    for connection in [silent, slow] {
        let printed = String::from_utf8(connection.rest()).unwrap();
        assert!(printed.starts_with("HTTP/1.1 408 "), "{printed}");
        assert!(printed.contains("did not arrive in time"), "{printed}");
    }
    assert_eq!(second.rest(), b"");
    assert_eq!(idle.rest(), b"");
}

#[test]
fn drip_by_drip_heads_lose_their_place() {
    let args = ["--client-timeout", "1", "--no-token"];
    let service = Service::start(&sample("threads"), &args);
    let mut connection = taken(&service, "127.0.0.1");
    connection.send(b"GET / HTTP/1.1\r\n").unwrap();
    let begun = Instant::now();
    while connection.send(b"X: x\r\n").is_ok() {
        assert!(begun.elapsed() < Duration::from_secs(30), "still connected");
        // The pace of the sender is what is tested.
        std::thread::park_timeout(Duration::from_millis(50));
    }
}

#[test]
fn slow_bodies_lose_their_place() {
    let store = empty_store();
    let service = Service::start(store.path(), &["--client-timeout", "1"]);
    let import = Upload::begin(&service, &ImportRequest::default());
    let token = format!("Bearer {}", service.token);
    let open = |method: &str, path: &str| {
        let headers = [
            ("Authorization", &*token),
            ("Content-Type", "application/json"),
            ("Content-Length", "1000"),
        ];
        service.open(method, path, &headers)
    };
    let silent = open("PUT", &import.path("/files?path=silent"));
    let dripping = open("PUT", &import.path("/files?path=dripping"));
    let json = open("POST", "/api/v1/imports");
    let writer = {
        let mut stream = dripping.try_clone().unwrap();
        std::thread::spawn(move || {
            use std::io::Write as _;
            for _ in 0..999 {
                std::thread::park_timeout(Duration::from_millis(50));
                if stream.write_all(b" ").is_err() {
                    break;
                }
            }
        })
    };
    for (stream, reason) in [
        (silent, "nothing of it arrived for `1` seconds"),
        (json, "nothing of it arrived for `1` seconds"),
        (dripping, "it arrives slower than `1024` bytes per second"),
    ] {
        let answer = Service::answer_of(stream);
        assert_eq!(answer.status, 400, "{}", answer.text());
        let message = answer.message();
        assert!(message.contains(reason), "{message}");
    }
    writer.join().unwrap();
    assert_eq!(import.send("whole", b"x").status, 200);
}

#[test]
fn clients_that_take_nothing_lose_their_place() {
    let args = [
        "--client-timeout",
        "1",
        "--no-token",
        "--max-connections-per-address",
        "1",
    ];
    let service = Service::start(&sample("threads"), &args);
    let mut connection = taken(&service, "127.0.0.1");
    let request = format!(
        "GET /api/v1/openapi.json HTTP/1.1\r\nHost: {}\r\n\r\n",
        service.host
    );
    connection.send(request.repeat(300).as_bytes()).unwrap();
    served_again(&service, "127.0.0.1");
    drop(connection);
}

#[test]
fn the_message_names_the_limit_that_was_reached() {
    let store = empty_store();
    let service = Service::start(store.path(), &[]);
    let import = Upload::begin(&service, &ImportRequest::default());
    let token = format!("Bearer {}", service.token);
    let headers = [("Authorization", &*token), ("Content-Length", "10")];
    let open = |number: usize| {
        let path = import.path(&format!("/files?path={number}"));
        service.open("PUT", &path, &headers)
    };
    let mut uploads: Vec<_> = (0..32).map(open).collect();
    let begun = Instant::now();
    let refused = loop {
        let answer = import.send("more", b"x");
        if answer.status != 200 {
            break answer;
        }
        // This one may have had the place of an upload that began meanwhile.
        uploads.push(open(uploads.len()));
        assert!(begun.elapsed() < Duration::from_secs(30), "never refused");
    };
    assert_eq!(refused.status, 429, "{}", refused.text());
    let message = refused.message();
    assert!(
        message.starts_with("`32` files are being received"),
        "{message}"
    );
    let watch = || {
        let mut watcher = Persistent::connect(&service.host).unwrap();
        let path = import.path("/events");
        let host = &service.host;
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: {token}\r\n\r\n");
        watcher.send(request.as_bytes()).unwrap();
        let status = watcher.head().unwrap().status;
        (watcher, status)
    };
    let watching: Vec<_> = (0..32).map(|_| watch()).collect();
    assert!(watching.iter().all(|(_, status)| *status == 200));
    assert_eq!(watch().1, 429);
    let message = service.get(&import.path("/events")).message();
    assert!(
        message.starts_with("`32` streams of events are open"),
        "{message}"
    );
}

#[test]
fn parts_of_files_are_refused() {
    let store = empty_store();
    let service = Service::start(store.path(), &[]);
    let import = Upload::begin(&service, &ImportRequest::default());
    let token = format!("Bearer {}", service.token);
    let headers = [
        ("Authorization", &*token),
        ("Content-Length", "5"),
        ("Content-Range", "bytes 0-4/10"),
    ];
    let mut stream = service.open("PUT", &import.path("/files?path=a"), &headers);
    std::io::Write::write_all(&mut stream, b"12345").unwrap();
    let answer = Service::answer_of(stream);
    assert_eq!(answer.status, 400);
    let message = "`Content-Range` is `bytes 0-4/10`, and parts of files are not taken; send the \
                   file whole";
    assert_eq!(answer.message(), message);
    assert_eq!(import.state().files, []);
}

#[test]
fn lists_are_unique_and_bounded() {
    let service = Service::start(&sample("threads"), &[]);
    let once = service.get("/api/v1/scale?by=threads&fit=amdahl");
    assert_eq!(once.status, 200, "{}", once.text());
    let fits = "amdahl,".repeat(500);
    let often = service.get(&format!("/api/v1/scale?by=threads&fit={fits}"));
    assert_eq!(often.text(), once.text());
    let many: Vec<_> = (0..65).map(|number| format!("x{number}")).collect();
    let names = many.join(",");
    let runs: Runs = service.read("/api/v1/runs");
    let run = &runs.runs[0].run;
    let by = Service::encode(&format!("by {}", many.join(", ")));
    for (name, query) in [
        ("fit", format!("scale?by=threads&fit={names}")),
        ("series", format!("scale?by=threads&series={names}")),
        ("metrics", format!("history?metrics={names}")),
        ("environment", format!("history?environment={names}")),
        ("fail_on", format!("gate?fail_on={names}")),
        ("metrics", format!("runs/{run}/grains?metrics={names}")),
        ("metrics", format!("runs/{run}/tree?metrics={names}")),
        ("metrics", format!("runs/{run}/groups?metrics={names}")),
        (
            "thresholds",
            format!("runs/{run}/problems?thresholds={}", many.join(";")),
        ),
        ("by", format!("stats?lens={by}")),
    ] {
        let answer = service.get(&format!("/api/v1/{query}"));
        assert_eq!(answer.status, 400, "{name}: {}", answer.text());
        let message =
            format!("`{name}` lists more than `64` different values; ask several questions");
        assert_eq!(answer.message(), message);
    }
}
