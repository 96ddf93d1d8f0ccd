//! Wrong questions get a code and a message each, and never an internal error.

use std::process::Command;

use sheaf_answers::{ErrorBody, LensAnswer};
use sheaf_tests::{Answer, Service};

use crate::sample;

#[track_caller]
fn check(answer: &Answer, status: u16, code: &str) -> String {
    assert_eq!(answer.status, status, "{}", answer.text());
    assert_eq!(answer.code(), code, "{}", answer.text());
    answer.message()
}

#[test]
fn wrong_questions() {
    let service = Service::start(&sample("threads"), &[]);
    let ask =
        |path: &str, lens: &str| service.get(&format!("{path}lens={}", Service::encode(lens)));
    let answer = ask("/api/v1/stats?", "level modul");
    let message = check(&answer, 400, "bad_lens");
    assert!(message.contains("`modul` is not a level"), "{message}");
    assert_eq!(answer.read::<ErrorBody>().position, Some(7));
    check(
        &ask("/api/v1/sankey?", "where threads = 99"),
        422,
        "empty_ensemble",
    );
    check(&ask("/api/v1/sankey?", "metric wrok_ns"), 404, "unknown");
    check(&ask("/api/v1/stats?", "by nothing"), 404, "unknown");
    check(&ask("/api/v1/diff?", ""), 400, "bad_request");
    check(
        &ask("/api/v1/diff?", "diff \"nobody\" to \"threads = 2\""),
        404,
        "unknown",
    );
    check(&ask("/api/v1/hierarchy?group=nothing&", ""), 404, "unknown");
    check(&service.get("/api/v1/hierarchy"), 400, "bad_request");
    check(
        &service.get("/api/v1/distribution?group=x&mode=y"),
        400,
        "bad_request",
    );
    check(&service.get("/api/v1/sankey?width=-1"), 400, "bad_request");
    check(&service.get("/api/v1/sankey?width=NaN"), 400, "bad_request");
    check(
        &service.get("/api/v1/runs/0123456789abcdef"),
        404,
        "unknown",
    );
    check(&service.get("/api/v1/runs?store=other"), 404, "unknown");
    check(&service.get("/api/v1/nothing"), 404, "not_found");
    check(&service.get("/api/v1/runs?format=xml"), 400, "bad_request");
    let answer: LensAnswer = service.read("/api/v1/lens?text=level%20modul");
    assert_eq!(answer.fault.unwrap().position, 7);
}

#[test]
fn strange_texts_do_no_harm() {
    let service = Service::start(&sample("threads"), &[]);
    for text in [
        "\u{0}",
        "|||",
        "'",
        "where a == \"",
        "by ,",
        "below -1",
        "hide ''",
        "\u{202e}x",
        "%%%",
    ] {
        for route in ["runs", "stats", "sankey", "diff"] {
            let answer = service.get(&format!("/api/v1/{route}?lens={}", Service::encode(text)));
            assert!(answer.status < 500, "{route} {text:?}: {}", answer.text());
        }
    }
    for raw in [
        "/api/v1/runs?lens=%ff%fe",
        "/api/v1/runs?%",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/api/v1/runs/%00",
    ] {
        let answer = service.get(raw);
        assert!(
            (200..500).contains(&answer.status),
            "{raw}: {}",
            answer.text()
        );
    }
    assert_eq!(
        service.get("/api/v1/store").status,
        200,
        "the service is alive"
    );
}

#[test]
fn many_questions_at_once() {
    let service = Service::start(&sample("threads"), &[]);
    std::thread::scope(|scope| {
        let asked: Vec<_> = (0..32)
            .map(|_| scope.spawn(|| service.get("/api/v1/sankey").status))
            .collect();
        for answer in asked {
            assert!(matches!(answer.join().unwrap(), 200 | 503));
        }
    });
}

/// The store's folder was moved away, then came back with a damaged table.
#[test]
fn a_store_that_vanished_or_is_damaged_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (store, away) = (folder.path().join("store"), folder.path().join("away"));
    let copied = Command::new("cp")
        .arg("-r")
        .args([&sample("threads"), &store])
        .status();
    assert!(copied.unwrap().success());
    let service = Service::start(&store, &[]);
    assert_eq!(service.get("/api/v1/runs").status, 200);
    std::fs::rename(&store, &away).unwrap();
    let message = check(&service.get("/api/v1/runs"), 503, "store_gone");
    assert!(message.contains("unmounted, moved or removed"), "{message}");
    // Nothing makes a folder in its place.
    let message = check(
        &service.send("POST", "/api/v1/imports", "application/json", b"{}"),
        503,
        "store_gone",
    );
    assert!(message.contains("unmounted, moved or removed"), "{message}");
    assert!(!store.exists());
    std::fs::rename(&away, &store).unwrap();
    assert_eq!(service.get("/api/v1/runs").status, 200);
    drop(service);
    for segment in std::fs::read_dir(store.join("segments")).unwrap() {
        let table = segment.unwrap().path().join("totals.parquet");
        let mut bytes = std::fs::read(&table).unwrap();
        bytes[16] ^= 1;
        std::fs::write(&table, bytes).unwrap();
    }
    let service = Service::start(&store, &[]);
    let message = check(&service.get("/api/v1/stats"), 500, "damage");
    assert!(message.contains("totals.parquet"), "{message}");
}
