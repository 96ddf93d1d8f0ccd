//! The end of the service: who is connected is answered, whatever the signal.

use std::io::Write as _;
use std::net::TcpStream;

use sheaf_answers::{Noise, StoreInfo};
use sheaf_tests::{Persistent, Service};

use crate::sample;

/// Waits until the service accepts no more connections.
fn until_closed(service: &Service) {
    while TcpStream::connect(&service.host).is_ok() {
        std::thread::yield_now();
    }
}

fn check_that_requests_are_finished(signal: &str) {
    let mut service = Service::start(&sample("threads"), &["--no-token"]);
    // One is being computed, one has sent half of its head, one nothing, one has been answered.
    let computing = service.open("GET", "/api/v1/noise?splits=10000", &[]);
    let mut half = TcpStream::connect(&service.host).unwrap();
    half.write_all(b"GET /api/v1/store HTTP/1.1\r\n").unwrap();
    let connected: Vec<_> = (0..100)
        .map(|_| Persistent::connect(&service.host).unwrap())
        .collect();
    let mut idle = Persistent::connect(&service.host).unwrap();
    assert_eq!(idle.ask("/api/v1/store", &[]).unwrap().status, 200);
    service.signal(signal);
    for mut connection in connected {
        let answer = connection.ask("/api/v1/lens", &[]).unwrap();
        assert_eq!(answer.status, 200);
    }
    until_closed(&service);
    let rest = format!("Host: {}\r\n\r\n", service.host);
    half.write_all(rest.as_bytes()).unwrap();
    let answer = Service::answer_of(half);
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("connection"), Some("close"));
    assert_eq!(answer.read::<StoreInfo>().schema, "store/1");
    assert_eq!(idle.rest(), b"");
    let answer = Service::answer_of(computing);
    assert_eq!(answer.status, 200);
    assert_eq!(answer.read::<Noise>().schema, "noise/1");
    assert_eq!(service.wait(), Some(0));
}

#[test]
fn an_interrupt_finishes_requests() {
    check_that_requests_are_finished("INT");
}

#[test]
fn termination_finishes_requests() {
    check_that_requests_are_finished("TERM");
}

#[test]
fn the_second_signal_ends_at_once() {
    for (first, second) in [("INT", "INT"), ("TERM", "INT"), ("INT", "TERM")] {
        let mut service = Service::start(&sample("threads"), &["--no-token"]);
        let mut half = TcpStream::connect(&service.host).unwrap();
        half.write_all(b"GET /api/v1/store HTTP/1.1\r\n").unwrap();
        service.signal(first);
        until_closed(&service);
        service.signal(second);
        assert_eq!(service.wait(), Some(130), "{first} {second}");
    }
}
