//! Imports that cannot be done as asked: each has a code and a message.

use std::io::Write;
use std::path::PathBuf;

use serde_json::json;
use sheaf_answers::{ImportRequest, ImportState, ReceivedFile, StoreInfo};
use sheaf_tests::{Answer, Service};

use crate::imports::{Upload, begin, empty_store, files_below, temporary, wait_for};
use crate::sample;

#[track_caller]
fn check(answer: &Answer, status: u16, code: &str) -> String {
    assert_eq!(answer.status, status, "{}", answer.text());
    assert_eq!(answer.code(), code, "{}", answer.text());
    answer.message()
}

#[test]
fn malformed_requests() {
    let store = empty_store();
    let service = Service::start(store.path(), &[]);
    let post = |kind: &str, body: &[u8]| service.send("POST", "/api/v1/imports", kind, body);
    let json_type = "application/json";
    for body in [
        "",
        "{",
        "1",
        r#"{"other": 1}"#,
        r#"{"params": {"a": null}}"#,
        r#"{"params": {"a": []}}"#,
    ] {
        check(&post(json_type, body.as_bytes()), 400, "bad_request");
    }
    check(&post("text/plain", b"{}"), 400, "bad_request");
    check(&post(json_type, b"\xff\xfe"), 400, "bad_request");
    let long = "v".repeat(5000);
    for params in [json!({"": 1}), json!({"a\nb": 1}), json!({"a": long})] {
        check(
            &begin(&service, &json!({"params": params})),
            400,
            "bad_request",
        );
    }
    let huge = "x".repeat(2 << 20);
    check(&begin(&service, &json!({"name": huge})), 413, "too_large");
    check(&begin(&service, &json!({"store": "other"})), 404, "unknown");
    assert_eq!(temporary(store.path()), Vec::<PathBuf>::new());
    let import = Upload::begin(&service, &ImportRequest::default());
    let put = |rest: &str| service.send("PUT", &import.path(rest), "text/plain", b"x");
    check(&put("/files"), 400, "bad_request");
    check(&put("/files?path="), 400, "bad_request");
    // What is no UTF-8 becomes the sign for that, as browsers have it.
    let received: ReceivedFile = put("/files?path=%ff").read();
    assert_eq!(received.path, "\u{fffd}");
}

#[test]
fn parameters_that_cannot_be_read_are_named() {
    let store = empty_store();
    let service = Service::start(store.path(), &[]);
    for (query, printed) in [
        (
            "history?by=version&alpha=x",
            "`alpha` must be a number, got `x`",
        ),
        (
            "gate?alpha=0.05&min_share=few",
            "`min_share` must be a number, got `few`",
        ),
        (
            "noise?splits=1.5",
            "`splits` must be a non-negative integer, got `1.5`",
        ),
        (
            "gate?strict=yes",
            "`strict` must be `true` or `false`, got `yes`",
        ),
        (
            "runs/0/grains?limit=x",
            "`limit` must be a non-negative integer, got `x`",
        ),
    ] {
        let answer = service.send("GET", &format!("/api/v1/{query}"), "text/plain", b"");
        let message = check(&answer, 400, "bad_request");
        assert_eq!(message, format!("the query is malformed: {printed}"));
    }
}

#[test]
fn unknown_imports() {
    let store = empty_store();
    let service = Service::start(store.path(), &[]);
    for id in ["0123456789abcdef0123456789abcdef", "x", "%00"] {
        let path = format!("/api/v1/imports/{id}");
        check(&service.get(&path), 404, "unknown");
        check(&service.get(&format!("{path}/events")), 404, "unknown");
        let send = |method: &str, rest: &str| {
            service.send(method, &format!("{path}{rest}"), "text/plain", b"")
        };
        check(&send("POST", "/start"), 404, "unknown");
        check(&send("PUT", "/files?path=a"), 404, "unknown");
        check(&send("DELETE", ""), 404, "unknown");
    }
}

#[test]
fn hostile_paths() {
    let store = empty_store();
    let service = Service::start(store.path(), &[]);
    let import = Upload::begin(&service, &ImportRequest::default());
    let (long, deep) = ("n".repeat(300), "d/".repeat(40) + "x");
    for path in [
        "../escaped",
        "/escaped",
        "a/../../escaped",
        "..",
        ".",
        "a//b",
        "a/",
        "a\\..\\escaped",
        "a\0b",
        "a\nb",
        "\u{1b}[31m",
        &long,
        &deep,
    ] {
        check(&import.send(path, b"x"), 400, "bad_request");
    }
    assert_eq!(import.state().files, []);
    assert!(!store.path().join("escaped").exists());
    assert!(!store.path().join("tmp/escaped").exists());
    for path in [
        "<script>alert(1)</script>",
        "ä ö/名.x",
        "-rf",
        "a;b|c&$(d)",
        "%2e%2e",
    ] {
        assert_eq!(import.send(path, b"x").status, 200, "{path}");
    }
    // A file cannot be a folder too, in either order.
    assert_eq!(import.send("both", b"x").status, 200);
    check(&import.send("both/inner", b"x"), 409, "conflict");
    check(&import.send("ä ö", b"x"), 409, "conflict");
    assert_eq!(import.state().progress.files, 6);
}

#[test]
fn wrong_order() {
    let store = empty_store();
    let service = Service::start(store.path(), &[]);
    let import = Upload::begin(&service, &ImportRequest::default());
    let message = check(&import.post("/start"), 409, "conflict");
    assert!(message.contains("no files"), "{message}");
    import.send_trace("a", "fib.gstrace");
    let token = format!("Bearer {}", service.token);
    let headers = [("Authorization", &*token), ("Content-Length", "10")];
    let mut sending = service.open("PUT", &import.path("/files?path=b"), &headers);
    sending.write_all(b"12345").unwrap();
    wait_for(|| files_below(store.path()) == 2);
    let message = check(&import.post("/start"), 409, "conflict");
    assert!(message.contains("still being received"), "{message}");
    assert_eq!(import.send("b", b"x").status, 200, "the later one counts");
    sending.write_all(b"67890").unwrap();
    let message = check(&Service::answer_of(sending), 409, "conflict");
    assert!(message.contains("sent again"), "{message}");
    assert_eq!(import.state().progress.bytes, 20481);
    assert_eq!(import.finish().progress.state, ImportState::Done);
    check(&import.post("/start"), 409, "conflict");
    check(&import.send("c", b"x"), 409, "conflict");
}

#[test]
fn limits() {
    let store = empty_store();
    let words = [
        "--upload-limit",
        "3000",
        "--upload-file-limit",
        "2000",
        "--upload-files",
        "3",
    ];
    let service = Service::start(store.path(), &words);
    let import = Upload::begin(&service, &ImportRequest::default());
    let limits = import.state().limits;
    let shown = (limits.bytes, limits.file_bytes, limits.files);
    assert_eq!(shown, (3000, 2000, 3));
    assert_eq!(import.send("a", &[0; 2000]).status, 200);
    let message = check(&import.send("b", &[0; 2001]), 413, "too_large");
    assert!(
        message.contains("`b`") && message.contains("`2000`"),
        "{message}"
    );
    let message = check(&import.send("b", &[0; 1001]), 413, "too_large");
    assert!(message.contains("`3000`"), "{message}");
    // A body without a stated length is limited too; a browser that sends much gets the reason.
    let token = format!("Bearer {}", service.token);
    let headers = [("Authorization", &*token), ("Transfer-Encoding", "chunked")];
    let mut sending = service.open("PUT", &import.path("/files?path=b"), &headers);
    for _ in 0..100 {
        sending.write_all(b"10000\r\n").unwrap();
        sending.write_all(&vec![0; 0x10000]).unwrap();
        sending.write_all(b"\r\n").unwrap();
    }
    sending.write_all(b"0\r\n\r\n").unwrap();
    check(&Service::answer_of(sending), 413, "too_large");
    check(&import.send("much", &vec![0; 8 << 20]), 413, "too_large");
    assert_eq!(
        import.state().progress.bytes,
        2000,
        "refused bytes do not count"
    );
    assert_eq!(import.send("b", &[0; 500]).status, 200);
    assert_eq!(import.send("c", &[0; 500]).status, 200);
    let message = check(&import.send("d", b""), 413, "too_large");
    assert!(message.contains("`3` files"), "{message}");
    assert_eq!(
        import.send("a", &[0; 10]).status,
        200,
        "replacing needs no room"
    );
}

#[test]
fn too_many_imports() {
    let store = empty_store();
    let service = Service::start(store.path(), &[]);
    let imports: Vec<_> = (0..16)
        .map(|_| Upload::begin(&service, &ImportRequest::default()))
        .collect();
    let refused = begin(&service, &ImportRequest::default());
    check(&refused, 429, "too_many");
    assert_eq!(refused.header("retry-after"), Some("5"));
    let token = format!("Bearer {}", service.token);
    let headers = [("Authorization", &*token)];
    assert_eq!(
        service.ask("DELETE", &imports[3].path(""), &headers).status,
        200
    );
    assert_eq!(begin(&service, &ImportRequest::default()).status, 201);
}

#[test]
fn read_only_services() {
    let store = empty_store();
    let service = Service::start(store.path(), &["--read-only"]);
    let imports = service.read::<StoreInfo>("/api/v1/store").imports;
    assert!(!imports.is_allowed);
    let reason = imports.reason.unwrap();
    assert!(reason.contains("--read-only"), "{reason}");
    let message = check(
        &begin(&service, &ImportRequest::default()),
        403,
        "read_only",
    );
    assert_eq!(message, reason);
    assert_eq!(temporary(store.path()), Vec::<PathBuf>::new());
}

#[test]
fn stores_that_cannot_be_written() {
    let store = empty_store();
    let service = Service::start(store.path(), &[]);
    // A file in the way stops root as well.
    std::fs::remove_dir_all(store.path().join("tmp")).unwrap();
    std::fs::write(store.path().join("tmp"), "").unwrap();
    check(&begin(&service, &ImportRequest::default()), 500, "store");
}

#[test]
fn strangers() {
    let store = empty_store();
    let service = Service::start(store.path(), &[]);
    let import = Upload::begin(&service, &ImportRequest::default());
    let token = format!("Bearer {}", service.token);
    let routes = [
        ("POST", "/api/v1/imports".to_owned()),
        ("PUT", import.path("/files?path=a")),
        ("POST", import.path("/start")),
        ("GET", import.path("")),
        ("GET", import.path("/events")),
        ("DELETE", import.path("")),
    ];
    for (method, path) in &routes {
        check(&service.ask(method, path, &[]), 401, "unauthorised");
        let headers = [
            ("Authorization", &*token),
            ("Origin", "http://evil.example"),
        ];
        check(&service.ask(method, path, &headers), 403, "forbidden");
        let headers = [("Authorization", &*token), ("Host", "evil.example")];
        check(&service.ask(method, path, &headers), 403, "forbidden");
    }
    // A page of another origin is refused also where no token is asked for.
    let open = Service::start(store.path(), &["--no-token"]);
    let headers = [
        ("Origin", "http://evil.example"),
        ("Content-Type", "application/json"),
    ];
    check(
        &open.ask("POST", "/api/v1/imports", &headers),
        403,
        "forbidden",
    );
    assert_eq!(import.state().progress.state, ImportState::Receiving);
}

#[test]
fn unknown_parameters_of_every_question() {
    let service = Service::start(&sample("versions"), &[]);
    let document = service.get("/api/v1/openapi.json").json();
    let mut refused = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        let parameters = methods["get"]["parameters"].as_array();
        let known: Vec<&str> = parameters
            .into_iter()
            .flatten()
            .filter(|parameter| parameter["in"] == "query")
            .filter_map(|parameter| parameter["name"].as_str())
            .collect();
        if known.is_empty() {
            continue;
        }
        let address = path.replace("{run}", "sort-v1-r1").replace("{group}", "0");
        let answer = service.get(&format!("{address}?Bogus=1"));
        let message = check(&answer, 400, "bad_request");
        let start = "the query is malformed: unknown parameter `Bogus`, expected ";
        assert!(message.starts_with(start), "{path}: {message}");
        for name in known {
            assert!(message.contains(&format!("`{name}`")), "{path}: {message}");
        }
        refused += 1;
    }
    assert!(refused >= 20, "{refused} questions");
}

#[test]
fn numbers_and_names_that_make_no_sense() {
    let service = Service::start(&sample("versions"), &[]);
    let diff = Service::encode("diff \"version = 1\" to \"version = 2\"");
    let refusals = [
        (
            format!("gate?lens={diff}&alpha=0"),
            "alpha `0` is out of range; give ",
        ),
        (
            format!("gate?lens={diff}&alpha=NaN"),
            "alpha `NaN` is out of range; give ",
        ),
        (
            format!("gate?lens={diff}&max_regression=-1"),
            "max_regression `-1` is out of range; give ",
        ),
        (
            format!("gate?lens={diff}&max_regression=5"),
            "max_regression `5` would be 500 %; give ",
        ),
        (
            format!("gate?lens={diff}&min_share=2"),
            "min_share `2` would be 200 %; give ",
        ),
        (
            "noise?alpha=1".to_owned(),
            "alpha `1` is out of range; give ",
        ),
        (
            "history?by=version&alpha=-1".to_owned(),
            "alpha `-1` is out of range; give ",
        ),
        (
            "locations?runs=0".to_owned(),
            "runs `0` is out of range; give ",
        ),
        (
            "locations?columns=0".to_owned(),
            "columns `0` is out of range; give ",
        ),
        (
            "similar?threshold=2".to_owned(),
            "threshold `2` is not between 0 and 1",
        ),
        (
            "projection?clusters=0".to_owned(),
            "number of clusters `0` is not between 1 and ",
        ),
    ];
    for (question, start) in refusals {
        let message = check(
            &service.get(&format!("/api/v1/{question}")),
            400,
            "bad_request",
        );
        assert!(message.starts_with(start), "{question}: {message}");
    }
    for question in [
        "history?by=bogus",
        "history?by=version&order=bogus",
        "history?by=version&environment=bogus",
        "noise?lens=by%20bogus",
        "scale?by=bogus",
        "scale?by=threads&series=bogus",
    ] {
        let message = check(&service.get(&format!("/api/v1/{question}")), 404, "unknown");
        let start = "parameter `bogus` is in none of the runs; known are `";
        assert!(message.starts_with(start), "{question}: {message}");
    }
}
