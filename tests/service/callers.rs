//! Who asks, by which name of the service, through which proxies; wrong tokens; the access log.

use std::time::{Duration, Instant};

use sheaf_tests::{Answer, Service};

use crate::sample;

const SECURITY_HEADERS: [&str; 5] = [
    "content-security-policy",
    "x-content-type-options",
    "referrer-policy",
    "cross-origin-opener-policy",
    "cross-origin-resource-policy",
];

/// Asks for the runs by the given header lines and no others.
fn ask(service: &Service, lines: &[&str]) -> Answer {
    let authorization = format!("Authorization: Bearer {}", service.token);
    let own = [
        "GET /api/v1/runs HTTP/1.1",
        "Connection: close",
        &authorization,
    ];
    let request = [&own, lines, &["", ""]].concat().join("\r\n");
    service.send_raw(request.as_bytes())
}

#[test]
fn hosts_are_known_in_every_spelling_and_by_host_alone() {
    let service = Service::start(&sample("threads"), &[]);
    let check = |lines: &[&str], status: u16| {
        let answer = ask(&service, lines);
        assert_eq!(answer.status, status, "{lines:?}: {}", answer.text());
    };
    for host in [
        "localhost",
        "LOCALHOST:1",
        "LocalHost.:1",
        "localhost.",
        "127.0.0.1",
        "127.0.0.1.:80",
        "127.0.0.2",
        "[::1]:80",
        "[0:0:0:0:0:0:0:1]",
    ] {
        check(&[&format!("Host: {host}")], 200);
    }
    for host in [
        "evil.example",
        "localhost.evil.example",
        "[::2]",
        "128.0.0.1",
        "0",
    ] {
        check(&[&format!("Host: {host}")], 403);
    }
    for host in [
        "",
        ".",
        "a b",
        "localhost:x",
        "localhost:99999",
        "u@localhost",
        "a..b",
        "::1",
    ] {
        check(&[&format!("Host: {host}")], 400);
    }
    check(&[], 400);
    check(&["Host: localhost", "Host: localhost"], 400);
    for forwarded in [
        "Forwarded: host=localhost",
        "X-Forwarded-Host: localhost",
        "X-Host: localhost",
    ] {
        check(&["Host: evil.example", forwarded], 403);
        check(
            &[
                "Host: localhost",
                &forwarded.replace("localhost", "evil.example"),
            ],
            200,
        );
    }
    let target = format!(
        "GET http://evil.example/ HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
        service.host
    );
    assert_eq!(service.send_raw(target.as_bytes()).status, 400);
}

#[test]
fn the_cookie_and_origins_go_by_the_same_host() {
    let service = Service::start(&sample("threads"), &["--trusted-proxy", "127.0.0.0/8"]);
    let enter = |headers: &[(&str, &str)]| {
        let answer = service.ask("GET", &format!("/?token={}", service.token), headers);
        assert_eq!(answer.status, 303);
        answer.header("set-cookie").unwrap().to_owned()
    };
    let cookie = enter(&[("Host", "LOCALHOST.:77"), ("Forwarded", "host=a:1")]);
    assert!(
        cookie.starts_with("grainsheaf_77=") && !cookie.contains("Secure"),
        "{cookie}"
    );
    let proxied = [
        ("X-Forwarded-Host", "perf.example:444"),
        ("X-Forwarded-Proto", "https"),
    ];
    let cookie = enter(&proxied);
    assert!(
        cookie.starts_with("grainsheaf_444=") && cookie.contains("Secure"),
        "{cookie}"
    );
    let pair = cookie.split(';').next().unwrap();
    let ask = |origin: &str| {
        let mut headers = proxied.to_vec();
        headers.extend([("Cookie", pair), ("Origin", origin)]);
        service.ask("GET", "/api/v1/runs", &headers).status
    };
    assert_eq!(ask("https://perf.example:444"), 200);
    assert_eq!(ask("https://PERF.example.:444"), 200);
    assert_eq!(ask("https://perf.example"), 403);
    assert_eq!(ask(&format!("http://{}", service.host)), 403);
    assert_eq!(ask("null"), 403);
}

#[test]
fn every_kind_of_answer_carries_the_security_headers() {
    let service = Service::start(&sample("threads"), &["--read-only"]);
    let token = format!("Bearer {}", service.token);
    let with_token = [("Authorization", &*token)];
    let mut seen = std::collections::BTreeSet::new();
    let mut check = |answer: &Answer| {
        seen.insert(answer.status);
        for name in SECURITY_HEADERS {
            let count = answer.headers.iter().filter(|(key, _)| key == name).count();
            assert_eq!(count, 1, "{name} of {}", answer.status);
        }
    };
    for path in [
        "/",
        "/?token=wrong",
        "/index.html",
        "/nothing",
        "/api/v1/runs",
        "*",
    ] {
        check(&service.ask("GET", path, &[]));
        check(&service.ask("HEAD", path, &[]));
        check(&service.ask("GET", path, &with_token));
        check(&service.ask("POST", path, &with_token));
        check(&service.ask("GET", path, &[("Host", "evil.example")]));
        check(&service.ask("GET", path, &[("Host", "a b")]));
    }
    check(&service.ask("GET", &format!("/?token={}", service.token), &[]));
    for path in [
        "/api/v1/runs?lens=%ff",
        "/api/v1/runs?bogus=1",
        "/api/v1/stats?lens=where%20threads%20%3D%2099",
        "/api/v1/runs?format=csv",
        "/api/v1/openapi.json",
        "/api/v1/nothing",
    ] {
        check(&service.get(path));
    }
    let accept = [with_token[0], ("Accept-Encoding", "identity;q=0, *;q=0")];
    check(&service.ask("GET", "/api/v1/runs", &accept));
    check(&service.send("POST", "/api/v1/imports", "application/json", b"{}"));
    check(&service.send("POST", "/api/v1/imports", "application/json", b"{"));
    check(&service.send("POST", "/api/v1/imports", "text/plain", b"{}"));
    let huge = vec![b' '; 2 << 20];
    check(&service.send("POST", "/api/v1/imports", "application/json", &huge));
    check(&service.send_raw(b"nonsense\r\n\r\n"));
    let headers = "X: x\r\n".repeat(200);
    check(&service.send_raw(format!("GET / HTTP/1.1\r\n{headers}\r\n").as_bytes()));
    let needed = [200, 303, 400, 401, 403, 404, 413, 422, 431];
    assert!(
        needed.iter().all(|status| seen.contains(status)),
        "{seen:?}"
    );
}

#[test]
fn errors_of_the_store_carry_the_security_headers() {
    let folder = tempfile::tempdir().unwrap();
    let trace = crate::imports::trace("fib.gstrace");
    sheaf_tests::run(
        folder.path(),
        [std::ffi::OsStr::new("add"), trace.as_os_str()],
    );
    let service = Service::start(folder.path(), &[]);
    std::fs::remove_dir_all(folder.path()).unwrap();
    let answer = service.get("/api/v1/stats");
    assert!(answer.status >= 400, "{}", answer.text());
    for name in SECURITY_HEADERS {
        assert!(answer.header(name).is_some(), "{name} of {}", answer.status);
    }
}

#[test]
fn wrong_tokens_are_delayed_and_logged_and_lock_nobody_out() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let service = Service::start_logged(&sample("threads"), &[], &log);
    let wrong = [("Authorization", "Bearer 0")];
    let took = |headers: &[(&str, &str)], status: u16| {
        let begun = Instant::now();
        assert_eq!(service.ask("GET", "/api/v1/lens", headers).status, status);
        begun.elapsed()
    };
    for delay in [50, 100, 200, 400] {
        assert!(took(&wrong, 401) >= Duration::from_millis(delay));
    }
    // Many at once keep neither a worker nor the owner of the right token from anything.
    let attackers: Vec<_> = (0..100)
        .map(|_| service.open("GET", "/api/v1/lens", &wrong))
        .collect();
    let token = format!("Bearer {}", service.token);
    let right = [("Authorization", &*token)];
    let slowest = (0..20).map(|_| took(&right, 200)).max().unwrap();
    assert!(slowest < Duration::from_millis(800), "{slowest:?}");
    assert!(took(&[], 401) < Duration::from_millis(800));
    for attacker in attackers {
        assert_eq!(Service::answer_of(attacker).status, 401);
    }
    drop(service);
    let log = std::fs::read_to_string(log).unwrap();
    let lines: Vec<_> = log
        .lines()
        .filter(|line| line.contains("wrong token"))
        .collect();
    assert!((3..=10).contains(&lines.len()), "{log}");
    assert!(lines[0].contains("address=127.0.0.1"), "{}", lines[0]);
}

#[test]
fn malformed_requests_do_not_flood_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let service = Service::start_logged(&sample("threads"), &[], &log);
    for bytes in [
        &b"nonsense\r\n\r\n"[..],
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /\x00 HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nZ",
        b"\x16\x03\x01\x02\x00\x01\x00",
    ] {
        for _ in 0..50 {
            let status = service.send_raw(bytes).status;
            assert!(matches!(status, 0 | 400 | 401), "{status}");
        }
    }
    assert_eq!(service.get("/api/v1/store").status, 200);
    drop(service);
    let log = std::fs::read_to_string(log).unwrap();
    let lines = log.lines().filter(|line| !line.starts_with("note")).count();
    assert!(lines < 10, "{log}");
}

#[test]
fn the_access_log_has_a_line_of_plain_json_per_answer() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let args = ["--access-log", "--trusted-proxy", "127.0.0.1"];
    let mut service = Service::start_logged(&sample("threads"), &args, &log);
    let page = service.ask("GET", "/", &[("X-Forwarded-For", "10.0.0.7")]);
    service.ask("GET", &format!("/?v=1&token={}", service.token), &[]);
    service.ask("GET", &format!("/?%74oken={}", service.token), &[]);
    service.ask("BREW", "/%e2%80%ae/%0a", &[]);
    service.ask("GET", "/api/v1/runs", &[("Host", "evil.example")]);
    service.get("/api/v1/runs?lens=");
    assert!(service.terminate());
    let log = std::fs::read_to_string(log).unwrap();
    assert!(!log.contains(&service.token), "{log}");
    assert!(log.is_ascii(), "{log}");
    let lines = log.lines().filter(|line| line.starts_with('{'));
    let lines: Vec<serde_json::Value> = lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let shown = |name: &str| -> Vec<_> { lines.iter().map(|line| line[name].clone()).collect() };
    assert_eq!(shown("status"), [200, 303, 303, 401, 403, 200], "{log}");
    assert_eq!(lines[0]["client"], "10.0.0.7");
    assert_eq!(lines[0]["bytes"], page.body.len());
    assert_eq!(lines[1]["path"], "/?v=1&token=…");
    assert_eq!(lines[3]["method"], "BREW");
    assert_eq!(lines[3]["path"], "/%e2%80%ae/%0a");
    for line in &lines {
        assert!(line["time"].as_str().unwrap().ends_with('Z'), "{line}");
        assert!(
            line["peer"].as_str().unwrap().starts_with("127.0.0.1:"),
            "{line}"
        );
        assert!(line["duration_ms"].as_f64().unwrap() >= 0.0, "{line}");
        assert_eq!(line["is_complete"], true, "{line}");
    }
}
