//! Every route of the OpenAPI document, written in every way that a path can be written: none of
//! them answers without the token.

use std::collections::BTreeSet;

use sheaf_answers::{ErrorBody, ErrorCode, Runs};
use sheaf_tests::{Answer, Service, workspace_root};

use crate::sample;

const METHODS: [&str; 8] = [
    "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "BREW",
];

/// A route, with the names of a run and an import in it.
struct Route {
    method: String,
    path: String,
}

fn routes(run: &str) -> Vec<Route> {
    let file = workspace_root().join("frontend/openapi.json");
    let text = std::fs::read_to_string(file).unwrap();
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut routes = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        let path = path.replace("{run}", run).replace("{import}", "0");
        assert!(!path.contains('{'), "{path} has a parameter without value");
        for method in methods.as_object().unwrap().keys() {
            let (method, path) = (method.to_uppercase(), path.clone());
            routes.push(Route { method, path });
        }
    }
    let path = "/api/v1/openapi.json".to_owned();
    let method = "GET".to_owned();
    routes.push(Route { method, path });
    routes
}

/// A letter of `path` after another, each encoded by `encode`.
fn with_each_letter(path: &str, encode: impl Fn(u8) -> String) -> Vec<String> {
    let is_letter = |at: &usize| path.as_bytes()[*at] != b'/';
    let letters = (0..path.len()).filter(is_letter);
    letters
        .map(|at| {
            let encoded = encode(path.as_bytes()[at]);
            format!("{}{encoded}{}", &path[..at], &path[at + 1..])
        })
        .collect()
}

/// A slash of `path` after another, each replaced.
fn with_each_slash(path: &str, other: &str) -> Vec<String> {
    let slashes = path.match_indices('/');
    slashes
        .map(|(at, _)| format!("{}{other}{}", &path[..at], &path[at + 1..]))
        .collect()
}

/// Ways to write a path that some reader of paths takes for the same.
fn forms(path: &str, host: &str) -> BTreeSet<String> {
    let mut forms = BTreeSet::from([path.to_owned()]);
    forms.extend(with_each_letter(path, |byte| format!("%{byte:02x}")));
    forms.extend(with_each_letter(path, |byte| format!("%{byte:02X}")));
    forms.extend(with_each_letter(path, |byte| format!("%25{byte:02x}")));
    forms.extend(with_each_letter(path, |byte| {
        char::from(byte).to_uppercase().to_string()
    }));
    for other in [
        "%2f",
        "%2F",
        "%252f",
        "//",
        "/./",
        "/%2e/",
        "/%2E/",
        "/x/../",
        "/x/%2e%2e/",
        "/../",
        "\\",
        "%5c",
        "%c0%af",
        "/;x/",
        "/%00/",
    ] {
        forms.extend(with_each_slash(path, other));
        forms.insert(path.replace('/', other));
    }
    for end in [
        "/", "//", "/.", "/..", "%20", ";x=1", ".json", "%00", "?", "?token=", "#x",
    ] {
        forms.insert(format!("{path}{end}"));
    }
    forms.insert(path.to_uppercase());
    forms.insert(path.replacen("api", "Api", 1));
    let encoded: Vec<String> = path.bytes().map(|byte| format!("%{byte:02x}")).collect();
    forms.insert(encoded.concat());
    forms.insert(format!("http://{host}{path}"));
    forms.insert(format!("/assets/..{path}"));
    forms.insert(format!("/assets/%2e%2e{path}"));
    forms.insert(format!("/index.html{path}"));
    forms.insert(format!("/?x={path}"));
    forms
}

/// Whether an answer gives nothing away but the page.
fn is_harmless(answer: &Answer, shell: &[u8], method: &str) -> bool {
    let is_shell = answer.status == 200
        && (answer.body == shell || (method == "HEAD" && answer.body.is_empty()))
        && answer.header("content-type") == Some("text/html; charset=utf-8");
    is_shell || matches!(answer.status, 400 | 401 | 403 | 404 | 405)
}

#[test]
fn no_route_answers_without_the_token() {
    let service = Service::start(&sample("threads"), &[]);
    let runs: Runs = service.read("/api/v1/runs");
    let run = &runs.runs[0].run;
    let shell = service.ask("GET", "/", &[]).body;
    assert!(!shell.is_empty());
    let routes = routes(run);
    assert!(routes.len() > 30, "{} routes", routes.len());
    let mut asked = BTreeSet::new();
    let mut faults = Vec::new();
    for route in &routes {
        for form in forms(&route.path, &service.host) {
            // Every method where it may matter; for the many single letters, the route's own.
            let is_single = form.len() < route.path.len() + 6 && form != route.path;
            let methods: &[&str] = if is_single {
                &[&route.method]
            } else {
                &METHODS
            };
            for method in methods {
                if !asked.insert((method.to_string(), form.clone())) {
                    continue;
                }
                let answer = service.ask(method, &form, &[]);
                if !is_harmless(&answer, &shell, method) {
                    faults.push(format!("{method} {form}: {}", answer.status));
                }
            }
        }
    }
    assert!(
        faults.is_empty(),
        "{} of {} requests were answered:\n{}",
        faults.len(),
        asked.len(),
        faults.join("\n")
    );
}

#[test]
fn routes_without_the_token_say_so_and_with_it_answer() {
    let service = Service::start(&sample("threads"), &[]);
    for route in routes("0") {
        let refused = service.ask(&route.method, &route.path, &[]);
        assert_eq!(refused.status, 401, "{} {}", route.method, route.path);
        assert_eq!(refused.code(), "unauthorised");
        let token = format!("Bearer {}", service.token);
        let headers = [("Authorization", &*token), ("Content-Length", "0")];
        let answer = service.ask(&route.method, &route.path, &headers);
        assert_ne!(answer.status, 401, "{} {}", route.method, route.path);
        // Some need parameters, and there is no run `0`; but each of them is a route.
        let error = serde_json::from_slice::<ErrorBody>(&answer.body);
        let is_unknown = error.is_ok_and(|error| error.code == ErrorCode::NotFound);
        assert!(!is_unknown, "{} {}", route.method, route.path);
    }
    for path in [
        "/api",
        "/api/",
        "/api/v1",
        "/api/v1/nothing",
        "/nothing",
        "*",
    ] {
        assert_eq!(service.ask("GET", path, &[]).status, 401, "{path}");
    }
    assert_eq!(service.get("/api/v1/nothing").status, 404);
}
