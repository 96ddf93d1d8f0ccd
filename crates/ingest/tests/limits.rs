//! What does not end is refused, with a message that names the bound, in bounded memory.
//!
//! Each case is read by a process of its own whose address space is limited: one that allocates
//! more is killed, and its test fails.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may stop")]

use std::io::{self, Read};
use std::process::Command;

use sheaf_ingest::{Content, Format, Hints, Input, NoModules, Symbols, read};
use sheaf_model::Progress;

/// Kilobytes of address space of a process that reads a case.
const MEMORY: u64 = 1 << 20;

const CASE: &str = "GRAINSHEAF_LIMIT_CASE";

/// A text that begins, and goes on with one piece for `len` bytes.
struct Endless {
    format: Format,
    name: &'static str,
    start: Vec<u8>,
    /// The piece, as often as it fits.
    block: Vec<u8>,
    len: u64,
    /// A part of the message; empty where the reader takes in what there is.
    message: &'static str,
}

impl Content for Endless {
    fn open(&self) -> io::Result<Box<dyn Read + Send + '_>> {
        Ok(Box::new(ReadOutcome { of: self, at: 0 }))
    }
}

struct ReadOutcome<'a> {
    of: &'a Endless,
    at: u64,
}

impl Read for ReadOutcome<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (start, block) = (&self.of.start, &self.of.block);
        let at = usize::try_from(self.at).unwrap();
        let rest = match at.checked_sub(start.len()) {
            None => &start[at..],
            Some(behind) => &block[behind % block.len()..],
        };
        let left = usize::try_from(self.of.len - self.at).unwrap();
        let len = buffer.len().min(rest.len()).min(left);
        buffer[..len].copy_from_slice(&rest[..len]);
        self.at += len as u64;
        Ok(len)
    }
}

fn case(
    format: Format,
    start: impl AsRef<[u8]>,
    piece: impl AsRef<[u8]>,
    megabytes: u64,
    message: &'static str,
) -> Endless {
    let name = match format {
        Format::HpcToolkit3 => "db/experiment.xml",
        Format::HpcToolkit4 => "db/meta.db",
        Format::Tau => "run/profile.0.0.0",
        _ => "file",
    };
    Endless {
        format,
        name,
        start: start.as_ref().to_vec(),
        block: piece.as_ref().repeat((1 << 16) / piece.as_ref().len() + 1),
        len: megabytes << 20,
        message,
    }
}

fn sample(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/samples/");
    std::fs::read(format!("{folder}{name}")).unwrap()
}

/// A sample up to a text in it, and that text.
fn up_to(name: &str, text: &str) -> Vec<u8> {
    let mut bytes = sample(name);
    let found = bytes
        .windows(text.len())
        .position(|window| window == text.as_bytes());
    bytes.truncate(found.unwrap() + text.len());
    bytes
}

fn cases() -> Vec<Endless> {
    let mut cases = tables();
    cases.extend(graphs());
    cases.extend(experiments());
    cases.extend(profiles());
    cases.extend(values());
    cases.extend(recordings());
    cases
}

fn tables() -> Vec<Endless> {
    let row = "a row has more than 16777216 bytes";
    let table = "task,parent,joins_at,tag\n1,0,0,a\n";
    let wide = format!("task,parent,joins_at{}\n", ",a".repeat(5000));
    vec![
        case(Format::Mir, format!("{table}2,1,"), "9", 64, row),
        case(Format::Mir, format!("{table}2,1,0,\""), "x\n", 64, row),
        case(Format::Mir, "task,parent,joins_at", ",column", 64, row),
        case(
            Format::Mir,
            wide,
            "1",
            64,
            "the table has more than 4096 columns",
        ),
        case(Format::Mir, format!("{table}#"), "x", 64, row),
    ]
}

fn graphs() -> Vec<Endless> {
    let element = "an element has more than 16777216 bytes";
    let graph = "<graphml><key id='k' for='node' attr.name='x' attr.type='int'/><graph>";
    let node = format!("{graph}<node id='1'>");
    vec![
        case(
            Format::GraphMl,
            format!("{graph}<node id='"),
            "a",
            64,
            element,
        ),
        case(
            Format::GraphMl,
            format!("{graph}<node id='"),
            ">",
            64,
            element,
        ),
        case(
            Format::GraphMl,
            format!("{graph}<node id='1' "),
            "a='1' ",
            64,
            element,
        ),
        case(Format::GraphMl, format!("{graph}<!--"), "> ", 64, element),
        case(
            Format::GraphMl,
            format!("{graph}<![CDATA["),
            "x>",
            64,
            element,
        ),
        case(
            Format::GraphMl,
            "<!DOCTYPE graphml [",
            "<!ENTITY a 'b'>",
            64,
            element,
        ),
        case(Format::GraphMl, graph, "x", 64, element),
        case(
            Format::GraphMl,
            format!("{node}<data key='k'>"),
            "0123456789abcdef".repeat(64 << 10) + "<b/>",
            64,
            "a node has more than 16777216 bytes of attributes",
        ),
        case(
            Format::GraphMl,
            node,
            "<data key='k'/>",
            64,
            "a node has more than 65536 attributes",
        ),
        case(
            Format::GraphMl,
            "<graphml>",
            "<key id='k' for='node' attr.name='x' attr.type='int'/>",
            64,
            "the graph has more than 4096 keys",
        ),
        case(
            Format::GraphMl,
            "<graphml>",
            "<a>",
            64,
            "more than 4194304 elements inside each other",
        ),
    ]
}

fn experiments() -> Vec<Endless> {
    let element = "an element has more than 16777216 bytes";
    let xml = "<HPCToolkitExperiment version=\"2.1\"><Header n=\"a\">";
    vec![
        case(
            Format::HpcToolkit3,
            format!("{xml}<NV n=\""),
            "a>",
            64,
            element,
        ),
        case(
            Format::HpcToolkit3,
            "<!DOCTYPE a [",
            "<!ENTITY a 'b'>",
            64,
            element,
        ),
        case(Format::HpcToolkit3, xml, "x", 64, element),
        case(
            Format::HpcToolkit3,
            xml,
            "<a>",
            64,
            "more than 4194304 elements inside each other",
        ),
        case(
            Format::HpcToolkit4,
            up_to("hpctoolkit-4/ranks/meta.db", "HPCTOOLKITmeta"),
            "\x01\0",
            300,
            "database lacks `profile.db`",
        ),
    ]
}

const TEXT: &str = "a text has more than 16777216 bytes";
const VALUES: &str = "the file has more than 16777216 values";
const MARSHALLED_VALUES: &str = "the file has more than 16777216 values";
const MEDIUM: &str = "is larger than 268435456 bytes";

fn profiles() -> Vec<Endless> {
    let small = "is larger than 134217728 bytes";
    let medium = MEDIUM;
    let line = "a line has more than 16777216 bytes";
    let text = TEXT;
    let values = MARSHALLED_VALUES;
    let record = "a record has more than 16777216 bytes";
    let gprof = up_to("gprof/calls.txt", "name    \n");
    let dot = up_to("gprof2dot/gprof.dot", "width=0];\n");
    let tau = up_to("tau/run/profile.0.0.0", "\n");
    vec![
        case(
            Format::Caliper,
            "__rec=node,id=1,attr=8,data=",
            "x",
            64,
            record,
        ),
        case(Format::Caliper, "__rec=ctx,ref=1", "=1", 64, record),
        case(Format::CaliperJson, "{\"data\":[[", "1,", 300, medium),
        case(Format::CaliperJson, "{\"data\":[[\"", "a", 300, medium),
        case(Format::Gprof, &gprof, "x", 64, line),
        case(Format::Gprof, &gprof, "  0.0  0.0  0.0  a\n", 200, small),
        case(
            Format::Gprof2Dot,
            [&dot, &b"2 [label=\""[..]].concat(),
            "x",
            64,
            "a label has more than 16777216 bytes",
        ),
        case(
            Format::Gprof2Dot,
            [&dot, &b"2 [label=\""[..]].concat(),
            "x",
            200,
            small,
        ),
        case(
            Format::Tau,
            [
                &tau,
                &b"# Name Calls Subrs Excl Incl ProfileCalls # \n\""[..],
            ]
            .concat(),
            "x",
            64,
            line,
        ),
        case(Format::Tau, &tau, "\"a\" 1 1 1 1 0\n", 200, small),
        case(Format::CProfile, b"{", b"i\x01\0\0\0", 128, values),
        case(Format::CProfile, b"{", b"(\x01\0\0\0", 128, values),
        case(
            Format::CProfile,
            b"{(\x03\0\0\0s\0\0\0\x08",
            b"a",
            160,
            text,
        ),
        case(Format::CProfile, b"{", b"N", 300, medium),
    ]
}

fn values() -> Vec<Endless> {
    let (text, values, medium) = (TEXT, VALUES, MEDIUM);
    let mut cases = Vec::new();
    for (format, start) in [
        (Format::Hatchet, "[{\"frame\": {\"name\": "),
        (Format::PyInstrument, "{\"root_frame\": {\"function\": "),
        (Format::Timemory, "{\"timemory\": {\"WALL_CLOCK\": "),
    ] {
        cases.extend([
            case(format, format!("{start}\""), "a", 64, text),
            case(format, format!("{start}\""), "\\n", 64, text),
            case(format, start, "[", 64, values),
            case(format, start, "{\"a\":", 128, values),
            case(format, format!("{start}["), "1,", 64, values),
            case(format, start, "1", 64, text),
            case(format, start, " ", 300, medium),
        ]);
    }
    cases
}

fn recordings() -> Vec<Endless> {
    let seed = std::fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/fuzz/seeds/fib.gstrace"
    ));
    let mut header = seed.unwrap();
    header.truncate(64);
    let dag = sample("dag-recorder/nested.dag");
    let tfp = sample("taskflow/nested.tfp");
    vec![
        // Traces of browsers may be cut anywhere: the events up to there are the run.
        case(
            Format::Chrome,
            "[{\"ph\":\"X\",\"name\":\"",
            "a",
            128,
            "holds no durations",
        ),
        case(Format::Chrome, "[", "[", 128, "holds no durations"),
        case(
            Format::Chrome,
            "{\"otherData\":{\"a\":\"",
            "a",
            128,
            "holds no durations",
        ),
        case(
            Format::Taskflow,
            "[{\"executor\":\"",
            "a",
            128,
            "cannot read",
        ),
        case(Format::Taskflow, "[", "[", 128, "cannot read"),
        case(
            Format::Taskflow,
            &tfp[..32],
            [0xff],
            128,
            "holds no measurement",
        ),
        case(Format::DagRecorder, &dag[..80], [0xff], 128, "cannot read"),
        case(
            Format::DagRecorder,
            &dag[..dag.len() / 2],
            [0],
            128,
            "cannot read",
        ),
        case(Format::Trace, header, [0xff], 128, "holds no events"),
    ]
}

/// Reads one case and prints what became of it; does nothing when no case is named.
#[test]
fn read_the_case_of_the_environment() {
    let Some(number) = std::env::var(CASE).ok().and_then(|text| text.parse().ok()) else {
        return;
    };
    let case = cases().into_iter().nth(number).unwrap();
    let inputs = [Input {
        name: case.name,
        content: &case,
        hints: Hints::NONE,
        format: Some(case.format),
    }];
    let reading = read(&inputs, &Symbols::new(NoModules), &Progress::silent()).unwrap();
    let refused = reading.refused.first();
    println!("refused: {:?}", refused.map(|(_, error)| error.to_string()));
    println!("runs: {}", reading.runs.len());
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    println!(
        "{}",
        status
            .lines()
            .find(|line| line.starts_with("VmHWM"))
            .unwrap()
    );
}

#[test]
fn what_does_not_end_is_refused_in_bounded_memory() {
    let mut faults = Vec::new();
    for (number, case) in cases().iter().enumerate() {
        let output = Command::new("sh")
            .arg("-c")
            .arg(format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\""))
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", "read_the_case_of_the_environment", "--nocapture"])
            .env(CASE, number.to_string())
            .env("RAYON_NUM_THREADS", "1")
            .env("MALLOC_ARENA_MAX", "2")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let start = String::from_utf8_lossy(&case.start[..case.start.len().min(40)]).into_owned();
        let about = format!("{number} {:?} `{start}`", case.format);
        let shown = text
            .lines()
            .filter(|line| line.starts_with("refused") || line.starts_with("VmHWM"));
        let shown = shown.collect::<Vec<_>>().join(", ");
        println!("{about}: {shown}");
        if !output.status.success() {
            let error = String::from_utf8_lossy(&output.stderr);
            faults.push(format!("{about}: {}: {}", output.status, error.trim()));
        } else if !text.contains(case.message) || !text.contains("runs: 0") {
            faults.push(format!(
                "{about}: expected `{}`, found {shown}",
                case.message
            ));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
