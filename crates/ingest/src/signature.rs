//! Formats of other tools that no reader takes, and the command that converts each.

/// How a format is recognised.
#[derive(Debug, Clone, Copy)]
enum Mark {
    /// The first bytes.
    Start(&'static [u8]),
    /// Bytes at a place.
    At(usize, &'static [u8]),
    /// Bytes anywhere in the beginning of the file.
    Holds(&'static [u8]),
    /// All of these texts, anywhere in the beginning of the file.
    All(&'static [&'static str]),
    /// The end of the file's name.
    Name(&'static str),
    /// Lines `frame;frame count`.
    Folded,
}

/// A format that is not read.
#[derive(Debug)]
struct Signature {
    /// Name of the format, with its article where it needs one.
    what: &'static str,
    /// One of them suffices.
    marks: &'static [Mark],
    /// The way to convert it, as a part of a sentence; `FILE` stands for the file.
    advice: &'static str,
}

const fn signature(what: &'static str, marks: &'static [Mark], advice: &'static str) -> Signature {
    Signature {
        what,
        marks,
        advice,
    }
}

use Mark::{All, At, Folded, Holds, Name, Start};

/// Known formats. Marks in the content come before those in names.
const SIGNATURES: &[Signature] = &[
    signature(
        "data compressed with xz",
        &[Start(b"\xfd7zXZ\0")],
        "`xz -dc FILE | grainsheaf add -`",
    ),
    signature(
        "data compressed with bzip2",
        &[Start(b"BZh")],
        "`bzip2 -dc FILE | grainsheaf add -`",
    ),
    signature(
        "data compressed with lz4",
        &[Start(b"\x04\x22\x4d\x18")],
        "`lz4 -dc FILE | grainsheaf add -`",
    ),
    signature(
        "data compressed with lzip",
        &[Start(b"LZIP")],
        "`lzip -dc FILE | grainsheaf add -`",
    ),
    signature(
        "data compressed with lzma",
        &[Start(b"\x5d\0\0")],
        "`xz --format=lzma -dc FILE | grainsheaf add -`",
    ),
    signature(
        "data compressed with compress",
        &[Start(b"\x1f\x9d")],
        "`gzip -dc FILE | grainsheaf add -`",
    ),
    signature(
        "a ZIP archive",
        &[Start(b"PK\x03\x04")],
        "`unzip FILE -d unpacked && grainsheaf add unpacked`",
    ),
    signature(
        "a 7z archive",
        &[Start(b"7z\xbc\xaf\x27\x1c")],
        "`7z x FILE -ounpacked && grainsheaf add unpacked`",
    ),
    signature(
        "a Cube profile of Score-P or Scalasca",
        &[Name(".cubex"), Start(b"CUBEX")],
        "no converter to a format that is read is known; profile with Caliper, HPCToolkit or TAU, or add the profiles that TAU writes with Score-P",
    ),
    signature(
        "a tar archive",
        &[At(257, b"ustar")],
        "`mkdir unpacked && tar -xf FILE -C unpacked && grainsheaf add unpacked`",
    ),
    signature(
        "data of Linux perf",
        &[Start(b"PERFILE2"), Start(b"PERFFILE")],
        "`perf script -i FILE | gprof2dot -f perf -n 0 -e 0 > FILE.dot`",
    ),
    signature(
        "output of perf script",
        &[All(&[" cycles", "\n\t"]), All(&[" cpu-clock", "\n\t"])],
        "`gprof2dot -f perf -n 0 -e 0 FILE > FILE.dot`",
    ),
    signature(
        "data of GNU gprof",
        &[Start(b"gmon")],
        "`gprof PROGRAM FILE > FILE.txt` with the program that wrote it",
    ),
    signature(
        "a profile of Callgrind",
        &[Start(b"# callgrind format"), Holds(b"creator: callgrind")],
        "`gprof2dot -f callgrind -n 0 -e 0 FILE > FILE.dot`",
    ),
    signature(
        "a profile of Cachegrind",
        &[Start(b"desc: I1 cache"), Holds(b"creator: cachegrind")],
        "it holds no calls; run `valgrind --tool=callgrind PROGRAM` and convert its file with gprof2dot",
    ),
    signature(
        "a heap profile of Massif",
        &[Start(b"desc: --"), Holds(b"heap_tree=")],
        "it holds memory, not time; `ms_print FILE` shows it",
    ),
    signature(
        "a CPU profile of gperftools",
        &[Start(b"\0\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0")],
        "`pprof -callgrind PROGRAM FILE | gprof2dot -f callgrind -n 0 -e 0 > FILE.dot`",
    ),
    signature(
        "a profile of pprof",
        &[
            Start(b"\x0a\x04\x08\x01\x10\x02"),
            Name(".pb"),
            Name(".pprof"),
        ],
        "`pprof -callgrind FILE | gprof2dot -f callgrind -n 0 -e 0 > FILE.dot`",
    ),
    signature(
        "a profile of speedscope",
        &[Holds(b"speedscope.app/file-format-schema.json")],
        "have the profiler write folded stacks and convert them: `gprof2dot -f collapse -n 0 -e 0 STACKS > FILE.dot`",
    ),
    signature(
        "a Chrome CPU profile",
        &[All(&["\"callFrame\"", "\"nodes\""]), Name(".cpuprofile")],
        "record it as a trace in the Performance panel and save that, or write folded stacks for gprof2dot",
    ),
    signature(
        "a profile of the Firefox Profiler",
        &[All(&["\"stackTable\"", "\"frameTable\""])],
        "have the profiler write folded stacks and convert them: `gprof2dot -f collapse -n 0 -e 0 STACKS > FILE.dot`",
    ),
    signature(
        "a session of pyinstrument",
        &[
            All(&["\"frame_records\"", "\"start_call_stack\""]),
            Name(".pyisession"),
        ],
        "`pyinstrument --load FILE -r json -o FILE.json`",
    ),
    signature(
        "printed statistics of cProfile",
        &[All(&[" function calls", "ncalls"])],
        "keep the statistics themselves: `python -m cProfile -o FILE.pstats PROGRAM`",
    ),
    signature(
        "a Java heap or CPU profile of HPROF",
        &[Start(b"JAVA PROFILE 1.0")],
        "`gprof2dot -f hprof -n 0 -e 0 FILE > FILE.dot` if it is a text with `cpu=samples`",
    ),
    signature(
        "a recording of Java Flight Recorder",
        &[Start(b"FLR\0")],
        "`jfrconv -o collapsed FILE FILE.txt && gprof2dot -f collapse -n 0 -e 0 FILE.txt > FILE.dot`",
    ),
    signature(
        "a trace of .NET",
        &[Start(b"Nettrace")],
        "`dotnet-trace convert --format Chromium FILE`",
    ),
    signature(
        "a recording of Austin in binary form",
        &[Start(b"MOJ")],
        "`mojo2austin FILE FILE.austin && gprof2dot -f collapse -n 0 -e 0 FILE.austin > FILE.dot`",
    ),
    signature(
        "a capture of memray",
        &[Start(b"memray")],
        "it holds memory, not time; `memray flamegraph FILE` shows it",
    ),
    signature(
        "measurements of HPCToolkit",
        &[
            Start(b"HPCRUN-profile"),
            Start(b"HPCRUN-trace"),
            Name(".hpcrun"),
            Name(".hpctrace"),
        ],
        "make a database of the folder and add that: `hpcprof -o database MEASUREMENTS && grainsheaf add database`",
    ),
    signature(
        "program structure of HPCToolkit",
        &[Holds(b"<HPCToolkitStructure")],
        "add the database that `hpcprof` makes with it",
    ),
    signature(
        "an XRay log of LLVM",
        &[Name(".xray"), Name("xray-log")],
        "`llvm-xray convert --output-format=trace_event --symbolize --instr_map=PROGRAM FILE > FILE.json`",
    ),
    signature(
        "counts of LLVM's profile instrumentation",
        &[Start(b"\xfflprofr\x81"), Start(b"\x81rforpl\xff")],
        "it holds counts, not time; `llvm-profdata` and `llvm-cov` read it",
    ),
    signature(
        "coverage data of GCC",
        &[Start(b"adcg"), Start(b"oncg")],
        "it holds counts, not time; `gcov` reads it",
    ),
    signature(
        "a recording of uftrace",
        &[Start(b"Ftrace!")],
        "`uftrace dump --chrome -d FOLDER > FILE.json`, with the folder of the recording",
    ),
    signature(
        "a trace of Perfetto",
        &[Name(".pftrace"), Name(".perfetto-trace"), Name(".perfetto")],
        "`traceconv json FILE FILE.json`",
    ),
    signature(
        "a text of ftrace",
        &[Holds(b"# tracer: ")],
        "`traceconv json FILE FILE.json`",
    ),
    signature(
        "a recording of trace-cmd",
        &[Start(b"\x17\x08\x44tracing")],
        "it holds events of the kernel, not calls; `trace-cmd report FILE` shows it",
    ),
    signature(
        "a trace in the Common Trace Format",
        &[
            Start(b"\xc1\x1f\xfc\xc1"),
            Start(b"\xc1\xfc\x1f\xc1"),
            Start(b"/* CTF 1"),
            Start(b"\x57\x1d\xd1\x75"),
            Start(b"\x75\xd1\x1d\x57"),
        ],
        "no converter to a format that is read is known; `babeltrace2 FOLDER` prints it",
    ),
    signature(
        "a trace of Paraver",
        &[Start(b"#Paraver")],
        "no converter to a format that is read is known; record with `grainsheaf record`",
    ),
    signature(
        "a trace in OTF2",
        &[Name(".otf2"), Start(b"OTF2")],
        "`python -c 'import pipit; pipit.Trace.from_otf2(\"FOLDER\").to_chrome(\"FILE.json\")'`",
    ),
    signature(
        "a trace of TAU",
        &[Name(".edf"), Name(".trc")],
        "`tau_treemerge.pl && tau_trace2json tau.trc tau.edf -chrome -ignoreatomic -o FILE.json`",
    ),
    signature(
        "a packed profile of TAU",
        &[Name(".ppk")],
        "`paraprof --dump FILE` writes the profiles, then `grainsheaf add .`",
    ),
    signature(
        "a trace of Charm++ Projections",
        &[Start(b"PROJECTIONS"), Name(".sts")],
        "`python -c 'import pipit; pipit.Trace.from_projections(\"FOLDER\").to_chrome(\"FILE.json\")'`",
    ),
    signature(
        "a trace in the format of Paje",
        &[Start(b"%EventDef")],
        "no converter to a format that is read is known; have the runtime write Chrome trace events",
    ),
    signature(
        "tasks of StarPU",
        &[All(&["JobId:", "Model:"])],
        "no converter to a format that is read is known; have the program write Chrome trace events",
    ),
    signature(
        "a trace of MPE",
        &[Start(b"CLOG-02."), Start(b"version SLOG")],
        "no converter to a format that is read is known; record with `grainsheaf record`",
    ),
    signature(
        "a report of mpiP",
        &[Start(b"@ mpiP")],
        "it holds sums over calls of MPI, not call paths; profile with Caliper's `mpi-report` or HPCToolkit",
    ),
    signature(
        "a log of Darshan",
        &[Name(".darshan")],
        "it holds input and output, not time of the program; `darshan-parser FILE` shows it",
    ),
    signature(
        "a recording of Nsight Systems",
        &[Name(".nsys-rep"), Name(".qdrep"), Name(".qdstrm")],
        "no converter of the vendor's to a format that is read is known; `nsys stats FILE` shows it",
    ),
    signature(
        "a profile of Nsight Compute",
        &[Start(b"NVR\0"), Name(".ncu-rep")],
        "it holds counters of kernels, not calls; `ncu --import FILE --csv` shows it",
    ),
    signature(
        "a trace of Tracy",
        &[Start(b"tracy"), Start(b"tlZ"), Start(b"tr\xfdP")],
        "no converter to a format that is read is known; `tracy-csvexport FILE` lists its zones",
    ),
    signature(
        "a trace of Event Tracing for Windows",
        &[Name(".etl")],
        "`xperf -i FILE -o FILE.csv -a stack && gprof2dot -f xperf -n 0 -e 0 FILE.csv > FILE.dot`",
    ),
    signature(
        "a results folder of VTune",
        &[Name(".vtune"), Name(".amplxe")],
        "`vtune -report gprof-cc -result-dir FOLDER -format text -report-output FILE.txt && gprof2dot -f axe FILE.txt > FILE.dot`",
    ),
    signature(
        "a report of macOS sample",
        &[Start(b"Analysis of sampling")],
        "`stackcollapse-sample.awk FILE | gprof2dot -f collapse -n 0 -e 0 > FILE.dot`",
    ),
    signature(
        "results of Google Benchmark",
        &[All(&["\"benchmarks\"", "\"real_time\""])],
        "they hold one time per benchmark, not calls; record the program with `grainsheaf record`",
    ),
    signature(
        "results of hyperfine",
        &[All(&["\"results\"", "\"times\"", "\"exit_codes\""])],
        "they hold one time per launch, not calls; record the program with `grainsheaf record`",
    ),
    signature(
        "folded stacks",
        &[Folded],
        "`gprof2dot -f collapse -n 0 -e 0 FILE > FILE.dot`",
    ),
    signature(
        "a graph in the language of Graphviz",
        &[
            Start(b"digraph"),
            Start(b"graph {"),
            Start(b"strict digraph"),
        ],
        "its labels are not those of gprof2dot; the graph of a Taskflow program goes with its profile: `task-graph = \"FILE\"` in grainsheaf.toml",
    ),
    signature(
        "an executable or library",
        &[Start(b"\x7fELF")],
        "record it: `grainsheaf record -- ./FILE`",
    ),
    signature(
        "a database of SQLite",
        &[Start(b"SQLite format 3\0")],
        "have the tool that wrote it export Chrome trace events",
    ),
    signature(
        "a Parquet file",
        &[Start(b"PAR1")],
        "exports of grainsheaf cannot be added again as Parquet; add the original, or an export `--as chrome`",
    ),
    signature(
        "an Arrow file",
        &[Start(b"ARROW1")],
        "add the file that it was made from",
    ),
    signature(
        "an HDF5 file",
        &[Start(b"\x89HDF\r\n\x1a\n")],
        "have the tool that wrote it export JSON",
    ),
    signature(
        "a Python pickle",
        &[
            Start(b"\x80\x03"),
            Start(b"\x80\x04\x95"),
            Start(b"\x80\x05\x95"),
        ],
        "write it again as JSON; for Hatchet and Thicket: `frame.to_json()`",
    ),
];

/// Guess about a file that no reader accepts. Its text is a sentence with both parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guess {
    /// Name of the format, with its article where it needs one.
    pub what: &'static str,
    /// The command that converts it, or what else to do.
    pub advice: String,
}

impl std::fmt::Display for Guess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "it looks like {}: {}", self.what, self.advice)
    }
}

/// Best guess of what a file is; `name` is its name without folders.
pub(crate) fn guess(start: &[u8], name: &str) -> Option<Guess> {
    let found = SIGNATURES
        .iter()
        .find(|signature| signature.marks.iter().any(|mark| mark.fits(start, name)))?;
    Some(Guess {
        what: found.what,
        advice: found.advice.replace("FILE", &quoted(name)),
    })
}

/// A file's name as shells take it.
fn quoted(name: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || "._-+,@%".contains(character);
    if !name.is_empty() && name.chars().all(is_plain) {
        name.to_owned()
    } else {
        "FILE".to_owned()
    }
}

impl Mark {
    fn fits(self, start: &[u8], name: &str) -> bool {
        let holds = |text: &[u8]| memchr::memmem::find(start, text).is_some();
        match self {
            Start(text) => start.starts_with(text),
            At(at, text) => start.get(at..).is_some_and(|rest| rest.starts_with(text)),
            Holds(text) => holds(text),
            All(texts) => texts.iter().all(|text| holds(text.as_bytes())),
            Name(end) => name.ends_with(end) || (!end.starts_with('.') && name.starts_with(end)),
            Folded => is_folded(start),
        }
    }
}

/// Whether the first lines are stacks with a count: `main;solve;halo 12`.
fn is_folded(start: &[u8]) -> bool {
    const LINES: usize = 8;
    let Ok(text) = std::str::from_utf8(start.get(..4096).unwrap_or(start)) else {
        return false;
    };
    // The last line may be cut.
    let num_lines = text.lines().count();
    let mut lines = text
        .lines()
        .take(LINES.min(num_lines.saturating_sub(1).max(1)));
    let is_stack = |line: &str| {
        let Some((stack, count)) = line.rsplit_once(' ') else {
            return false;
        };
        !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit()) && !stack.is_empty()
    };
    text.contains(';') && lines.all(is_stack)
}

#[cfg(test)]
mod tests;
