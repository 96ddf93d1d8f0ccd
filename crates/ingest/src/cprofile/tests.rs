//! Statistics that are odd or hostile; `data/samples/cprofile` has the plain ones.

use std::time::Instant;

use super::*;
use crate::sniff;
use crate::testing::{findings_of, read_with, values_of};

fn read_bytes(bytes: &[u8]) -> Result<Read, Error> {
    read_with(read_cprofile, "run.pstats", bytes)
}

fn text(text: &str) -> Vec<u8> {
    let mut bytes = vec![b'u'];
    bytes.extend_from_slice(&u32::try_from(text.len()).unwrap().to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
    bytes
}

fn integer(value: i32) -> Vec<u8> {
    [vec![b'i'], value.to_le_bytes().to_vec()].concat()
}

fn float(value: f64) -> Vec<u8> {
    [vec![b'g'], value.to_le_bytes().to_vec()].concat()
}

fn key(file: &str, line: i32, name: &str) -> Vec<u8> {
    [vec![b')', 3], text(file), integer(line), text(name)].concat()
}

/// An entry of a function without callers, but for what follows it.
fn entry(key: &[u8], times: (f64, f64), callers: &[u8]) -> Vec<u8> {
    let numbers = [integer(1), integer(2), float(times.0), float(times.1)].concat();
    [key, &[b')', 5], &numbers, callers].concat()
}

fn statistics(entries: &[Vec<u8>]) -> Vec<u8> {
    [b"{".as_slice(), &entries.concat(), b"0"].concat()
}

const NO_CALLERS: &[u8] = b"{0";

#[test]
fn lines_are_no_identity_and_tell_functions_of_one_name_apart() {
    let run = |lines: [i32; 2]| {
        let entries =
            lines.map(|line| entry(&key("/home/me/a.py", line, "step"), (1.0, 2.0), NO_CALLERS));
        let (tables, _) = read_bytes(&statistics(&entries)).unwrap();
        let rows = tables.summary.definitions.rows();
        let mut rows: Vec<_> = rows.map(|row| (row.line, row.id, row.file)).collect();
        rows.sort_unstable();
        rows
    };
    let (before, after) = (run([30, 10]), run([44, 99]));
    assert_eq!([before[0].1, before[1].1], [after[0].1, after[1].1]);
    assert_ne!(before[0].1, before[1].1);
    assert_eq!(before[0].2.as_deref(), Some("a.py"));
}

#[test]
fn only_statistics_are_recognised() {
    let own = statistics(&[entry(&key("a", 1, "b"), (0.0, 0.0), NO_CALLERS)]);
    assert_eq!(sniff(&own), Some(Format::CProfile));
    for other in ["{0", "{(3, 'a')", "{)", "{\"a\": 1}", "{(\u{3}\0\0\0", ""] {
        assert_eq!(sniff(other.as_bytes()), None, "{other:?}");
    }
}

#[test]
fn what_does_not_fit_is_skipped() {
    let good = entry(
        &key("~", 0, "<function f at 0x12ab>"),
        (f64::NAN, f64::INFINITY),
        NO_CALLERS,
    );
    let callers = [
        b"{".as_slice(),
        &key("a", 1, "g"),
        &integer(3),
        &integer(1),
        b"N0",
    ]
    .concat();
    let called = entry(&key("a", 2, "h"), (0.5, 0.75), &callers);
    let bad = [
        key("a", 3, "i"),
        integer(1),
        key("a", 4, "j"),
        vec![b')', 0],
        integer(4),
        integer(4),
    ];
    let mut bytes = statistics(&[good, called, bad.concat()]);
    bytes.extend_from_slice(b"more");
    let (tables, report) = read_bytes(&bytes).unwrap();
    assert_eq!(
        format!("{}\n{}", values_of(&tables), findings_of(&report)),
        "<function f at 0x12ab> calls 2
<function f at 0x12ab> primitive_calls 1
g/h arc_calls 3
h calls 2
h primitive_calls 1
h self_s 0.5
h total_s 0.75
skipped_trailing_bytes 4
skipped_callers 1
skipped_entries 3
read_functions 2
read_arcs 1
read_callers_without_entry 3
skipped_unusable_values 2"
    );
}

#[test]
fn absurd_sizes_and_depths_are_refused() {
    let start = Instant::now();
    let deep = b"(\x01\x00\x00\x00".repeat(1_000_000);
    let cases: [&[u8]; 12] = [
        b"{(\xff\xff\xff\xff",
        b"{)\xff",
        b"{)\x03u\xff\xff\xff\xffabc",
        b"{)\x03l\x00\x00\x00\x80",
        b"{)\x03r\x07\x00\x00\x00",
        b"{)\x030",
        b"{)\x03zz",
        b"{)\x03f\x09abc",
        b"{)\x03c",
        b"{i\x00\x00\x00\x000",
        b"",
        &deep,
    ];
    let faults: Vec<String> = cases
        .iter()
        .map(|case| read_bytes(case).unwrap_err().to_string())
        .collect();
    assert!(
        faults
            .iter()
            .all(|fault| fault.starts_with("cannot read cprofile file: ")),
        "{faults:#?}"
    );
    let closed = [deep, b"N".to_vec()].concat();
    assert!(matches!(read_bytes(&closed), Err(Error::Empty { .. })));
    let dictionaries = "{N".repeat(1_000_000) + "N" + &"0".repeat(1_000_000);
    let read = read_bytes(dictionaries.as_bytes());
    assert!(matches!(read, Err(Error::Empty { .. })));
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

#[test]
fn references_do_not_multiply() {
    // One text of a megabyte as the name of many functions.
    let long = [
        b"\xf5".to_vec(),
        1_000_000_u32.to_le_bytes().to_vec(),
        vec![b'x'; 1_000_000],
    ]
    .concat();
    let mut entries = vec![entry(
        &[vec![b')', 3], long, integer(0), text("f")].concat(),
        (0.0, 0.0),
        NO_CALLERS,
    )];
    for line in 1..20_000 {
        let key = [
            b")\x03r\0\0\0\0".to_vec(),
            integer(line),
            b"r\0\0\0\0".to_vec(),
        ]
        .concat();
        entries.push(entry(&key, (0.0, 0.0), NO_CALLERS));
    }
    let fault = read_bytes(&statistics(&entries)).unwrap_err().to_string();
    assert!(fault.contains("more than 64 times its own"), "{fault}");
    // One dictionary of callers for many functions.
    let callers: Vec<u8> = (0..2000)
        .flat_map(|line| [key("a", line, "c"), integer(1)].concat())
        .collect();
    let shared = [b"\xfb".to_vec(), callers, b"0".to_vec()].concat();
    let mut entries = vec![entry(&key("a", 0, "f"), (0.0, 0.0), &shared)];
    for line in 1..2000 {
        entries.push(entry(&key("a", line, "f"), (0.0, 0.0), b"r\0\0\0\0"));
    }
    let (_, report) = read_bytes(&statistics(&entries)).unwrap();
    assert_eq!(report.count("skipped_shared_callers"), 1999);
    assert_eq!(report.count("read_arcs"), 2000);
}

#[test]
fn hostile_names_are_names() {
    let name = text("</script>\n\0\"'");
    let bad = [vec![b's', 3, 0, 0, 0], vec![0xff, b'a', 0xfe]].concat();
    let key = [vec![b')', 3], name, integer(i32::MIN), bad].concat();
    let (tables, _) = read_bytes(&statistics(&[entry(&key, (1.0, 1.0), NO_CALLERS)])).unwrap();
    let row = tables.summary.definitions.row(0);
    assert_eq!(row.name, "\u{fffd}a\u{fffd}");
    assert_eq!(
        (row.file.as_deref(), row.line),
        (Some("script>\n\0\"'"), None)
    );
}
