//! Hand-made traces: what a reader must make of them, whole and damaged.

use std::fmt::Write as _;

use super::format::{
    CHUNK_ALIGN, CHUNK_HEADER_LEN, FILE_HEADER_LEN, ID_SHIFT, RECORDS, chunk_field, chunk_kind,
    clock, file_field, tag,
};
use super::*;

/// Bytes of a trace under construction.
struct Maker {
    bytes: Vec<u8>,
}

fn number(value: u64) -> Vec<u8> {
    let bits = 64 - (value | 1).leading_zeros();
    if bits > 56 {
        return [&[0], &value.to_le_bytes()[..]].concat();
    }
    let len = bits.div_ceil(7);
    let word = ((value << 1) | 1) << (len - 1);
    word.to_le_bytes()[..len as usize].to_vec()
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

/// A record: its tag and operands that are numbers.
fn record(tag: u8, operands: &[u64]) -> Vec<u8> {
    let coded = operands.iter().flat_map(|&operand| number(operand));
    std::iter::once(tag).chain(coded).collect()
}

impl Maker {
    fn new() -> Self {
        let mut bytes = vec![0; FILE_HEADER_LEN];
        bytes[..8].copy_from_slice(&format::MAGIC);
        let mut maker = Self { bytes };
        maker.put(file_field::VERSION, &format::VERSION.to_le_bytes());
        maker.put(file_field::CLOCK, &clock::TSC.to_le_bytes());
        maker.put(
            file_field::BYTE_ORDER,
            &format::BYTE_ORDER_MARK.to_le_bytes(),
        );
        maker.put(file_field::PID, &77_u32.to_le_bytes());
        maker.put(file_field::START_TICKS, &10_000_u64.to_le_bytes());
        maker.put(file_field::START_NS, &500_u64.to_le_bytes());
        maker.put(file_field::RUNTIMES_STARTED, &1_u32.to_le_bytes());
        maker
    }

    fn put(&mut self, at: usize, value: &[u8]) {
        self.bytes[at..at + value.len()].copy_from_slice(value);
    }

    fn chunk(&mut self, kind: u16, stream: u32, sequence: u32, base: u64, payload: &[u8]) {
        let at = self.bytes.len();
        let size = (CHUNK_HEADER_LEN + payload.len()).next_multiple_of(CHUNK_ALIGN);
        self.bytes.resize(at + size, 0);
        self.put(at, &format::CHUNK_MAGIC);
        let len = u32::try_from(payload.len()).expect("a short payload");
        self.put(
            at + chunk_field::SIZE,
            &u32::try_from(size).expect("short").to_le_bytes(),
        );
        self.put(at + chunk_field::KIND, &kind.to_le_bytes());
        self.put(at + chunk_field::COMMITTED, &len.to_le_bytes());
        self.put(at + chunk_field::STREAM, &stream.to_le_bytes());
        self.put(at + chunk_field::SEQUENCE, &sequence.to_le_bytes());
        self.put(at + chunk_field::BASE_TICKS, &base.to_le_bytes());
        self.put(at + chunk_field::BASE_NS, &500_u64.to_le_bytes());
        self.put(at + chunk_field::OS_THREAD, &(100 + stream).to_le_bytes());
        self.put(at + CHUNK_HEADER_LEN, payload);
    }

    fn metadata(&mut self, items: &[(&str, &str)]) {
        let mut payload = Vec::new();
        for (key, value) in items {
            for text in [key, value] {
                payload.extend(number(text.len() as u64));
                payload.extend(text.as_bytes());
            }
        }
        self.chunk(chunk_kind::METADATA, 0, 0, 10_000, &payload);
    }

    /// Closes the trace at tick 20000, which is 5500 ns: two ticks are a nanosecond.
    fn finish(mut self) -> Vec<u8> {
        self.put(file_field::END_TICKS, &20_000_u64.to_le_bytes());
        self.put(file_field::END_NS, &5_500_u64.to_le_bytes());
        self.put(file_field::RUNTIMES_FINALIZED, &1_u32.to_le_bytes());
        let len = self.bytes.len() as u64;
        self.put(file_field::ALLOCATED, &len.to_le_bytes());
        self.bytes
    }
}

fn record_table() -> String {
    RECORDS
        .iter()
        .fold(String::new(), |mut table, (tag, name, operands)| {
            let _ = writeln!(table, "{tag} {name} {operands}");
            table
        })
}

/// Two threads, a task that migrates, and one record of every group.
fn sample() -> Vec<u8> {
    let mut maker = Maker::new();
    let table = format!("{}200 later tv[vz]\n", record_table());
    maker.metadata(&[
        ("records", &table),
        ("command", "./sort\0two words\0"),
        ("environment", "OMP_NUM_THREADS=2"),
        ("rank", "3"),
        ("no_counters", "none here"),
        (
            "runtime",
            "index 0\nversion LLVM\nlibrary_hash 00ff\ncallback work 5\n",
        ),
        (
            "mappings",
            "0\n1000 2000 0 abcd ./sort\n7f00 8000 300 - /lib/a b.so\n",
        ),
        ("invented", "later"),
    ]);
    let first = [
        record(tag::CPU, &[4]),
        record(tag::THREAD_BEGIN, &[10, 1]),
        record(tag::IMPLICIT_BEGIN, &[2, 0, 1, 1, 1]),
        record(tag::SITE, &[0, 0x1234]),
        record(tag::PARALLEL_BEGIN, &[100, 1, 2, 0x8000_0001, 1]),
        record(tag::IMPLICIT_BEGIN, &[4, 2, 2, 0, 2]),
        record(tag::WORK_BEGIN, &[4, 3, 1, 1, 0]),
        record(tag::SITE, &[0, 0x7f01]),
        record(tag::TASK_CREATE, &[20, 1, 1, 2]),
        record(
            tag::DEPENDENCES,
            &[2, 2, 2, 3, zigzag(0x5000), 1, zigzag(-8)],
        ),
        record(tag::WAIT_BEGIN, &[30, 9, 1, 0]),
        record(tag::DISPATCH, &[2, 3, 1, zigzag(-5), 25]),
        record(tag::MUTEX_ACQUIRE, &[2, 5, 0, 2, zigzag(900), 1]),
        record(tag::MUTEX_ACQUIRED, &[2, 5, zigzag(0), 0]),
        record(200, &[6, 1, 2, 3, 4, 5, 6]),
        record(tag::PARALLEL_END, &[40, 6, 8, 1, 1]),
        record(tag::COUNTERS, &[2, 1000, 2000]),
    ];
    maker.chunk(chunk_kind::EVENTS, 0, 0, 10_000, &first.concat());
    let foreign = ((zigzag(4) + 1) << 1) | 1;
    let second = [
        record(tag::SWITCH, &[400, foreign, 0]),
        record(tag::SCHEDULE, &[50, 1, 2, 0]),
        record(tag::COMPLETE, &[50, 0]),
        record(tag::THREAD_END, &[2]),
    ];
    maker.chunk(chunk_kind::EVENTS, 1, 0, 10_000, &second.concat());
    maker.finish()
}

/// One line per event.
fn dump(trace: &Trace<'_>) -> String {
    let mut text = String::new();
    for thread in &trace.threads {
        for event in thread.events() {
            let Event {
                thread,
                ticks,
                time_ns,
                kind,
            } = event;
            let _ = writeln!(text, "{} {ticks} {time_ns} {kind:?}", thread.0);
        }
    }
    text
}

#[test]
fn sample_as_text() {
    let bytes = sample();
    let trace = Trace::parse(&bytes).expect("a trace");
    assert_eq!(trace.problems, []);
    assert!(trace.complete);
    let golden = include_str!("../../tests/data/trace/sample.txt");
    let text = dump(&trace);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/trace/sample.txt");
        std::fs::write(path, &text).expect("a writable golden file");
    }
    assert_eq!(text, golden, "{text}");
    assert!(trace.threads.iter().all(|thread| {
        let mut events = thread.events();
        events.by_ref().for_each(drop);
        events.problems().is_empty()
    }));
}

#[test]
fn header_of_the_sample() {
    let bytes = sample();
    let header = Trace::parse(&bytes).expect("a trace").header;
    assert_eq!(header.command, ["./sort", "two words"]);
    assert_eq!(
        header.environment,
        [("OMP_NUM_THREADS".to_owned(), "2".to_owned())]
    );
    assert_eq!(
        (header.process_id, header.rank, header.end_ns),
        (77, Some(3), Some(5500))
    );
    assert_eq!(
        header.counters,
        CounterState::Absent {
            reason: "none here".to_owned()
        }
    );
    assert_eq!(header.runtimes[0].library_hash, Some(0xff));
    assert_eq!(header.runtimes[0].callbacks, [("work".to_owned(), 5)]);
    assert_eq!(header.other, [("invented".to_owned(), "later".to_owned())]);
    let place = |address, snapshot| {
        let location = header.locate(CodeAddress { address, snapshot })?;
        Some((location.mapping.path.as_str(), location.file_offset))
    };
    assert_eq!(place(0x1234, 0), Some(("./sort", 0x233)));
    assert_eq!(place(0x7f01, 0), Some(("/lib/a b.so", 0x300)));
    assert_eq!(
        place(0x2000, 0),
        Some(("./sort", 0xfff)),
        "a call may be a mapping's last"
    );
    assert_eq!(place(0x2001, 0), None);
    assert_eq!(
        place(0x1234, 9),
        Some(("./sort", 0x233)),
        "any snapshot rather than none"
    );
    assert_eq!(place(0, 0), None);
}

#[test]
fn every_prefix_gives_a_prefix_of_the_events() {
    let bytes = sample();
    let whole: Vec<Event> = events_of(&bytes).expect("a trace");
    let mut most = 0;
    for len in 0..bytes.len() {
        let Some(events) = events_of(&bytes[..len]) else {
            assert!(len < FILE_HEADER_LEN, "{len}");
            continue;
        };
        let trace = Trace::parse(&bytes[..len]).expect("a trace");
        assert!(!trace.complete, "{len}");
        assert!(len >= FILE_HEADER_LEN);
        let mut rest = whole.iter();
        // Without its description, the record of a later version ends its chunk.
        let in_order = events.iter().all(|event| rest.any(|known| known == event));
        assert!(in_order, "{len}");
        assert!(events.len() >= most, "{len}");
        most = events.len();
    }
    assert_eq!(most, whole.len(), "the last bytes are padding");
}

fn events_of(bytes: &[u8]) -> Option<Vec<Event>> {
    let trace = Trace::parse(bytes).ok()?;
    Some(
        trace
            .threads
            .iter()
            .flat_map(ThreadStream::events)
            .collect(),
    )
}

#[test]
fn flipped_bits_do_no_harm() {
    let bytes = sample();
    let most = bytes.len();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            let Ok(trace) = Trace::parse(&damaged) else {
                assert!(at < FILE_HEADER_LEN);
                continue;
            };
            for thread in &trace.threads {
                let mut last = 0;
                let mut count = 0;
                for event in thread.events() {
                    assert!(event.time_ns >= last, "byte {at} bit {bit}");
                    last = event.time_ns;
                    count += 1;
                }
                assert!(count <= most, "byte {at} bit {bit}");
            }
        }
    }
}

#[test]
fn random_payloads_do_no_harm() {
    let mut state = 1_u64;
    for _ in 0..500 {
        let payload: Vec<u8> = std::iter::repeat_with(|| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let byte = (state >> 56) as u8;
            if byte.is_multiple_of(3) {
                byte % 34
            } else {
                byte
            }
        })
        .take(2000)
        .collect();
        let mut maker = Maker::new();
        maker.metadata(&[("records", "240 empty_list [] \n241 list [[]]\n242 odd q\n")]);
        maker.chunk(chunk_kind::EVENTS, 5, 0, 10_000, &payload);
        let bytes = maker.finish();
        let events = events_of(&bytes).expect("a trace");
        assert!(events.len() <= payload.len());
    }
}

#[test]
fn calls_of_mpi_state_what_they_are_about() {
    let minus_one = zigzag(-1);
    let payload = [
        record(tag::MPI_BEGIN, &[8, 2]),
        record(tag::MPI_COMMUNICATOR, &[1, 2, 6, zigzag(-2), 3, 9, 0, 1]),
        record(tag::MPI_SEND, &[1, 4, zigzag(70), 1 << 40]),
        record(tag::MPI_RECEIVE, &[1, minus_one, minus_one]),
        record(tag::MPI_COLLECTIVE, &[0, minus_one]),
        record(tag::MPI_COLLECTIVE, &[0, zigzag(3)]),
        record(tag::MPI_REQUEST, &[u64::MAX]),
        record(tag::MPI_STATUS, &[0, zigzag(2), zigzag(5)]),
        record(tag::MPI_REQUESTS, &[2, 11, 12]),
        record(tag::MPI_REQUESTS, &[0]),
        record(tag::MPI_END, &[8]),
    ];
    let mut maker = Maker::new();
    maker.metadata(&[("records", &record_table())]);
    maker.chunk(chunk_kind::EVENTS, 0, 0, 10_000, &payload.concat());
    let bytes = maker.finish();
    let trace = Trace::parse(&bytes).unwrap();
    let events: Vec<Event> = trace.threads[0].events().collect();
    let kinds: Vec<EventKind> = events.iter().map(|event| event.kind).collect();
    let members = |first, step, count| EventKind::MpiMembers {
        communicator: 1,
        first,
        step,
        count,
    };
    let collective = |root| EventKind::MpiCollective {
        communicator: 0,
        root,
    };
    let expected = [
        EventKind::MpiBegin { call: 2 },
        members(6, -2, 3),
        members(9, 0, 1),
        EventKind::MpiSend {
            communicator: 1,
            peer: 4,
            tag: 70,
            bytes: 1 << 40,
        },
        EventKind::MpiReceive {
            communicator: 1,
            peer: None,
            tag: -1,
        },
        collective(None),
        collective(Some(3)),
        EventKind::MpiRequest { request: u64::MAX },
        EventKind::MpiStatus {
            request: 0,
            peer: Some(2),
            tag: 5,
        },
        EventKind::MpiRequestDone { request: 11 },
        EventKind::MpiRequestDone { request: 12 },
        EventKind::MpiEnd,
    ];
    assert_eq!(kinds, expected);
    // They have no time of their own: two ticks are a nanosecond.
    let times: Vec<u64> = events.iter().map(|event| event.time_ns).collect();
    assert_eq!((times[0], times[10], times[11]), (504, 504, 508));
}

#[test]
fn not_traces() {
    let parse = |bytes: &[u8]| Trace::parse(bytes).expect_err("no trace").to_string();
    assert_eq!(
        parse(b"PK\x03\x04"),
        "not a recorder trace: it does not start with `GSTRACE`"
    );
    assert!(parse(b"").starts_with("trace header is cut short: 0 bytes of 4096"));
    let mut bytes = sample();
    bytes[file_field::VERSION] = 9;
    assert_eq!(
        parse(&bytes),
        "trace has format version 9, this program reads version 1; use the recorder that \
         belongs to this program, or a newer program"
    );
    bytes[file_field::BYTE_ORDER..][..4].reverse();
    assert!(parse(&bytes).contains("only little-endian traces"));
}

#[test]
fn damage_in_one_chunk_leaves_the_next() {
    let mut maker = Maker::new();
    maker.metadata(&[("records", &record_table())]);
    let good = record(tag::THREAD_END, &[2]);
    let bad = [good.clone(), vec![99, 1, 1], good.clone()].concat();
    maker.chunk(chunk_kind::EVENTS, 0, 0, 10_000, &bad);
    maker.chunk(chunk_kind::EVENTS, 0, 2, 11_000, &good);
    let bytes = maker.finish();
    let trace = Trace::parse(&bytes).expect("a trace");
    assert_eq!(
        trace.problems,
        [TraceProblem::MissingChunk {
            thread: 0,
            sequence: 1
        }]
    );
    let mut events = trace.threads[0].events();
    let ticks: Vec<u64> = events.by_ref().map(|event| event.ticks).collect();
    assert_eq!(ticks, [10_002, 11_002]);
    let problem = TraceProblem::BadRecord {
        thread: 0,
        sequence: 0,
        at: 2,
        tag: 99,
        lost: 5,
    };
    assert_eq!(events.problems(), [problem]);
}

#[test]
fn ids_name_their_creators() {
    assert_eq!(TaskId(3 << ID_SHIFT | 9).creator(), ThreadId(2));
    assert_eq!(RegionId(0).creator(), ThreadId(0));
}
