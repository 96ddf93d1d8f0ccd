//! Revisions of answers that clients keep, pictures with values in one column, and paths behind a proxy.

use arrow::array::AsArray as _;
use arrow::datatypes::Float32Type;
use arrow::ipc::reader::StreamReader;
use sheaf_answers::Sankey;
use sheaf_tests::{Answer, Service, run, workspace_root};

use crate::sample;

/// Asks with the token and one header more.
fn ask(service: &Service, path: &str, header: (&str, &str)) -> Answer {
    let token = format!("Bearer {}", service.token);
    service.ask("GET", path, &[("Authorization", &token), header])
}

#[test]
fn an_answer_is_sent_again_only_after_the_store_changed() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let input = workspace_root().join("data/samples/gprof/calls.txt");
    run(&store, ["add", input.to_str().unwrap()]).expect_code(0);
    let service = Service::start(&store, &[]);
    let tag_of = |answer: &Answer| answer.header("etag").unwrap().to_owned();

    let first = service.get("/api/v1/runs");
    let tag = tag_of(&first);
    let again = ask(&service, "/api/v1/runs", ("If-None-Match", &tag));
    assert_eq!((again.status, again.body.len()), (304, 0));
    // The tag belongs to one question.
    let other = ask(&service, "/api/v1/stats", ("If-None-Match", &tag));
    assert_eq!(other.status, 200);
    // Who has no token learns nothing, whatever the tag.
    let stranger = service.ask("GET", "/api/v1/runs", &[("If-None-Match", &tag)]);
    assert_eq!(stranger.status, 401);
    assert_eq!(stranger.header("etag"), None);

    // A corrected parameter is a note, which changes no segment.
    run(&store, ["set", "@new", "colour=red"]).expect_code(0);
    let changed = ask(&service, "/api/v1/runs", ("If-None-Match", &tag));
    assert_eq!(changed.status, 200);
    assert_ne!(tag_of(&changed), tag);
    assert!(changed.text().contains("red"));
}

#[test]
fn pictures_have_the_values_of_their_json_in_one_column() {
    let service = Service::start(&sample("threads"), &[]);
    let json: Sankey = serde_json::from_slice(&service.get("/api/v1/sankey").body).unwrap();
    let nodes = json.nodes.iter();
    let of_nodes = nodes.flat_map(|node| [&node.inclusive_by_run, &node.exclusive_by_run]);
    let of_edges = json.edges.iter().map(|edge| &edge.inclusive_by_run);
    let expected: Vec<Option<f64>> = of_nodes.chain(of_edges).flatten().copied().collect();
    assert!(expected.iter().any(Option::is_none) || expected.len() > 100);

    let arrow = service.get("/api/v1/sankey?format=arrow");
    let mut reader = StreamReader::try_new(arrow.body.as_slice(), None).unwrap();
    let batch = reader.next().unwrap().unwrap();
    let values = batch.column(0).as_primitive::<Float32Type>();
    assert_eq!(values.len(), expected.len());
    for (found, expected) in values.iter().zip(&expected) {
        let close = |(a, b): (f32, f64)| (f64::from(a) - b).abs() <= 1e-6 * b.abs();
        assert_eq!(found.is_some(), expected.is_some());
        assert!(
            found.zip(*expected).is_none_or(close),
            "{found:?} {expected:?}"
        );
    }
    let few = service.get("/api/v1/sankey?format=arrow&values=3");
    let mut reader = StreamReader::try_new(few.body.as_slice(), None).unwrap();
    assert_eq!(reader.next().unwrap().unwrap().num_rows(), 0);
    assert_eq!(service.get("/api/v1/sankey?format=csv").status, 400);
}

#[test]
fn a_service_behind_a_path_asks_for_the_token_there_too() {
    let service = Service::start(&sample("threads"), &["--base-path", "/tools/sheaf/"]);
    let whole = service.get("/api/v1/runs");
    let below = service.get("/tools/sheaf/api/v1/runs");
    assert_eq!((whole.status, below.status), (200, 200));
    assert_eq!(whole.body, below.body);
    for path in [
        "/tools/sheaf/api/v1/runs",
        "/tools/sheaf//api/v1/runs",
        "/tools/sheaf/./api/v1/runs",
        "/tools/sheaf/tools/sheaf/api/v1/runs",
        "/tools/sheaf2/api/v1/runs",
        "/tools/sheaf%2Fapi/v1/runs",
    ] {
        let stranger = service.ask("GET", path, &[]);
        assert!(matches!(stranger.status, 400..=404), "{path}");
        assert!(!stranger.text().contains("sort"), "{path}");
    }
    let page = service.ask("GET", "/tools/sheaf/", &[]);
    assert_eq!(page.status, 200);
    // A proxy on this machine may state another path; the token is still needed.
    let prefix = ("X-Forwarded-Prefix", "/other");
    let stranger = service.ask("GET", "/other/api/v1/runs", &[prefix]);
    assert_eq!(stranger.status, 401);
    assert_eq!(ask(&service, "/other/api/v1/runs", prefix).status, 200);
}
