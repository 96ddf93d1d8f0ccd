//! Token, host, origin, and the headers that keep a page to itself.

use sheaf_tests::Service;

use crate::sample;

#[test]
fn questions_need_the_token() {
    let service = Service::start(&sample("threads"), &[]);
    assert_eq!(service.token.len(), 32);
    let refused = service.ask("GET", "/api/v1/runs", &[]);
    assert_eq!(refused.status, 401);
    assert_eq!(refused.code(), "unauthorised");
    let wrong = service.ask("GET", "/api/v1/runs", &[("Authorization", "Bearer 00")]);
    assert_eq!(wrong.status, 401);
    assert_eq!(service.get("/api/v1/runs").status, 200);
}

#[test]
fn the_link_becomes_a_cookie() {
    let service = Service::start(&sample("threads"), &[]);
    let entered = service.ask("GET", &format!("/?token={}&v=1", service.token), &[]);
    assert_eq!(entered.status, 303);
    assert_eq!(entered.header("location"), Some("/?v=1"));
    let cookie = entered.header("set-cookie").unwrap();
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"),
        "{cookie}"
    );
    let pair = cookie.split(';').next().unwrap();
    assert_eq!(
        service
            .ask("GET", "/api/v1/runs", &[("Cookie", pair)])
            .status,
        200
    );
    assert_eq!(
        service.ask("GET", "/?token=wrong", &[]).status,
        200,
        "the page itself is public"
    );
}

#[test]
fn other_names_and_pages_are_refused() {
    let service = Service::start(&sample("threads"), &[]);
    let token = format!("Bearer {}", service.token);
    let ask = |name, value| {
        service.ask(
            "GET",
            "/api/v1/runs",
            &[("Authorization", &token), (name, value)],
        )
    };
    assert_eq!(ask("Host", "evil.example").status, 403);
    assert_eq!(ask("Origin", "http://evil.example").status, 403);
    assert_eq!(ask("Origin", "null").status, 403);
    assert_eq!(ask("Host", "localhost:1").status, 200);
    assert_eq!(
        ask("Origin", &format!("http://{}", service.host)).status,
        200
    );
}

#[test]
fn pages_keep_to_themselves() {
    let service = Service::start(&sample("threads"), &[]);
    let page = service.ask("GET", "/", &[]);
    assert_eq!(page.status, 200);
    let policy = page.header("content-security-policy").unwrap();
    assert!(
        policy.contains("default-src 'none'") && !policy.contains("unsafe"),
        "{policy}"
    );
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    assert!(
        page.text().contains("<script"),
        "the frontend is in the binary"
    );
    let outside = "/assets/../../Cargo.toml";
    assert_eq!(service.ask("GET", outside, &[]).status, 401);
    assert_eq!(service.get(outside).status, 404);
}

#[test]
fn without_a_token_everybody_may_ask() {
    let service = Service::start(&sample("threads"), &["--no-token"]);
    assert_eq!(service.token, "");
    assert_eq!(service.ask("GET", "/api/v1/runs", &[]).status, 200);
}
