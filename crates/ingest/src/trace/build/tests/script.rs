//! Scripts of events: lines `TIME THREAD EVENT ARGUMENTS`, sorted by time.
//!
//! Tasks and regions have names; `@HEX` is a site, `-` is nothing, `#` begins a comment.
//! `process PID rank=R number=N first_thread=F` begins another process, `killed` states that the
//! trace was not closed.

use std::collections::HashMap;

use crate::trace::build::merge::EventSource;
use crate::trace::{
    CancelFlags, ClockKind, CodeAddress, CounterState, DependenceKind, DispatchKind, Event,
    EventKind, Mapping, Mutex, MutexKind, RegionId, Sync, SyncKind, TaskFlags, TaskId, TaskStatus,
    ThreadId, TraceHeader, Work, WorkKind,
};

pub(super) struct Script {
    pub(super) processes: Vec<ScriptProcess>,
    pub(super) is_killed: bool,
}

pub(super) struct ScriptProcess {
    pub(super) header: TraceHeader,
    pub(super) rank: u32,
    pub(super) number: i64,
    pub(super) first_thread: u32,
    pub(super) threads: Vec<Vec<Event>>,
    names: HashMap<String, u64>,
}

/// The events of one thread of a script.
pub(super) struct Source<'a>(std::iter::Copied<std::slice::Iter<'a, Event>>);

impl<'a> Source<'a> {
    pub(super) fn new(events: &'a [Event]) -> Self {
        Self(events.iter().copied())
    }
}

impl Iterator for Source<'_> {
    type Item = Event;
    fn next(&mut self) -> Option<Event> {
        self.0.next()
    }
}

impl EventSource for Source<'_> {}

impl Script {
    pub(super) fn parse(text: &str) -> Self {
        let mut script = Self {
            processes: Vec::new(),
            is_killed: false,
        };
        for line in text.lines() {
            let line = line.split('#').next().unwrap().trim();
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                [] => {}
                ["killed"] => script.is_killed = true,
                ["process", pid, rest @ ..] => script.processes.push(ScriptProcess::new(pid, rest)),
                [time, thread, event @ ..] => {
                    if script.processes.is_empty() {
                        script.processes.push(ScriptProcess::new("100", &[]));
                    }
                    let process = script.processes.last_mut().unwrap();
                    process.add(time.parse().unwrap(), thread.parse().unwrap(), event);
                }
                _ => panic!("not an event: {line}"),
            }
        }
        script
    }
}

impl ScriptProcess {
    fn new(pid: &str, settings: &[&str]) -> Self {
        let setting = |name: &str| {
            let found = settings
                .iter()
                .find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
            found.map(|value| value.parse::<u32>().unwrap())
        };
        let rank_count = setting("ranks");
        Self {
            header: header(pid.parse().unwrap(), setting("rank"), rank_count),
            rank: setting("rank").unwrap_or(0),
            number: i64::from(setting("number").unwrap_or(0)),
            first_thread: setting("first_thread").unwrap_or(0),
            threads: Vec::new(),
            names: HashMap::new(),
        }
    }

    /// The number of a name: given by stream 0, or by the stream in `name/stream`.
    fn id(&mut self, name: &str) -> u64 {
        let stream = name
            .split_once('/')
            .map_or(0, |(_, stream)| stream.parse().unwrap());
        let next = self.names.len() as u64 + 1;
        *self
            .names
            .entry(name.to_owned())
            .or_insert(((stream + 1) << 40) | next)
    }

    fn task(&mut self, name: &str) -> Option<TaskId> {
        (name != "-").then(|| TaskId(self.id(name)))
    }

    fn add(&mut self, time: u64, thread: u32, words: &[&str]) {
        let kind = self.event(words);
        let list = thread as usize;
        if self.threads.len() <= list {
            self.threads.resize_with(list + 1, Vec::new);
        }
        let event = Event {
            thread: ThreadId(thread),
            ticks: time,
            time_ns: time,
            kind,
        };
        self.threads[list].push(event);
    }

    fn event(&mut self, words: &[&str]) -> EventKind {
        let site = words
            .iter()
            .find_map(|word| word.strip_prefix('@'))
            .map(|hex| CodeAddress {
                address: 0x1001 + u64::from_str_radix(hex, 16).unwrap(),
                snapshot: 0,
            });
        let number = |at: usize| words[at].parse::<u32>().unwrap();
        match words[0] {
            "initial" => EventKind::ImplicitBegin {
                task: self.task(words[1]).unwrap(),
                region: None,
                team_size: 1,
                index: 1,
                flags: TaskFlags(1),
            },
            "member" => EventKind::ImplicitBegin {
                task: self.task(words[1]).unwrap(),
                region: Some(RegionId(self.id(words[2]))),
                team_size: number(3),
                index: number(4),
                flags: TaskFlags(2),
            },
            "end" => EventKind::ImplicitEnd {
                task: self.task(words[1]),
                team_size: 0,
                index: 0,
                flags: TaskFlags(2),
            },
            "parallel" => EventKind::ParallelBegin {
                region: RegionId(self.id(words[1])),
                task: self.task(words[2]),
                requested: 0,
                flags: 0,
                site,
            },
            "join" => EventKind::ParallelEnd {
                region: (words[1] != "-").then(|| RegionId(self.id(words[1]))),
                task: None,
                flags: 0,
                site,
            },
            "cpu" => EventKind::Cpu { cpu: number(1) },
            "used" => EventKind::ThreadTime {
                used_ns: number(1).into(),
            },
            "counter" => EventKind::Counter {
                counter: 0,
                delta: u64::from(number(1)),
            },
            _ => self.task_event(words, site),
        }
    }

    fn task_event(&mut self, words: &[&str], site: Option<CodeAddress>) -> EventKind {
        let number = |at: usize| words[at].parse::<i64>().unwrap();
        let status = |status: u32| TaskStatus::from(status);
        match words[0] {
            "create" => EventKind::TaskCreate {
                task: self.task(words[1]).unwrap(),
                parent: self.task(words[2]),
                flags: TaskFlags(task_flags(words)),
                has_dependences: words.contains(&"depend"),
                site,
            },
            "complete" | "yield" | "drop" | "detach" | "switch" | "over" => {
                let numbers = [
                    ("complete", 1),
                    ("yield", 2),
                    ("drop", 3),
                    ("detach", 4),
                    ("switch", 7),
                    ("over", 8),
                ];
                let found = numbers.iter().find(|(name, _)| *name == words[0]).unwrap();
                let (prior, next) = (self.task(words[1]), self.task(words[2]));
                EventKind::TaskSchedule {
                    prior,
                    status: status(found.1),
                    next,
                }
            }
            "dep" => EventKind::Dependence {
                task: self.task(words[1]),
                kind: dependence_kind(words[2]),
                address: number(3).cast_unsigned(),
            },
            _ => self.construct_event(words, site),
        }
    }

    fn construct_event(&mut self, words: &[&str], site: Option<CodeAddress>) -> EventKind {
        let number = |at: usize| words[at].parse::<i64>().unwrap();
        match words[0] {
            "discard" => {
                let flags = CancelFlags(0x48);
                EventKind::Cancel {
                    task: self.task(words[1]),
                    flags,
                    site,
                }
            }
            "chunk" | "taskchunk" => EventKind::Dispatch {
                kind: if words[0] == "chunk" {
                    DispatchKind::LoopChunk
                } else {
                    DispatchKind::TaskloopChunk
                },
                task: self.task(words[1]),
                start: number(2),
                iterations: number(3).cast_unsigned(),
            },
            "work" | "worked" => {
                let kind = work_kind(words[1]);
                let count = words.get(3).filter(|word| !word.starts_with('@'));
                let count = count.map_or(1, |word| word.parse().unwrap());
                let work = Work {
                    kind,
                    task: self.task(words[2]),
                    count,
                    site,
                };
                if words[0] == "work" {
                    EventKind::WorkBegin(work)
                } else {
                    EventKind::WorkEnd(work)
                }
            }
            "sync" | "synced" | "wait" | "waited" => {
                let sync = Sync {
                    kind: sync_kind(words[1]),
                    task: self.task(words[2]),
                    site,
                };
                match words[0] {
                    "sync" => EventKind::SyncBegin(sync),
                    "synced" => EventKind::SyncEnd(sync),
                    "wait" => EventKind::WaitBegin(sync),
                    _ => EventKind::WaitEnd(sync),
                }
            }
            _ => mutex_event(words, site),
        }
    }
}

fn mutex_event(words: &[&str], site: Option<CodeAddress>) -> EventKind {
    let kind = match words[1] {
        "critical" => MutexKind::Critical,
        "ordered" => MutexKind::Ordered,
        "atomic" => MutexKind::Atomic,
        _ => MutexKind::Lock,
    };
    let wait_id = words[2].parse().unwrap();
    let mutex = Mutex {
        kind,
        wait_id,
        site,
    };
    match words[0] {
        "ask" => EventKind::MutexAcquire {
            mutex,
            hint: 0,
            implementation: 0,
        },
        "get" => EventKind::MutexAcquired(mutex),
        "give" => EventKind::MutexReleased(mutex),
        "again" => EventKind::NestLockBegin { wait_id, site },
        other => panic!("not an event: {other}"),
    }
}

fn task_flags(words: &[&str]) -> u32 {
    let bits = [
        ("undeferred", 0x0800_0000),
        ("untied", 0x1000_0000),
        ("final", 0x2000_0000),
        ("taskwait", 0x4800_0010),
    ];
    bits.iter()
        .filter(|(name, _)| words.contains(name))
        .map(|(_, bit)| bit)
        .sum::<u32>()
        | 4
}

fn dependence_kind(word: &str) -> DependenceKind {
    match word {
        "in" => DependenceKind::In,
        "mutexinoutset" => DependenceKind::Mutexinoutset,
        "inoutset" => DependenceKind::Inoutset,
        "all" => DependenceKind::InoutAllMemory,
        _ => DependenceKind::Inout,
    }
}

fn work_kind(word: &str) -> WorkKind {
    match word {
        "single" => WorkKind::SingleExecutor,
        "other" => WorkKind::SingleOther,
        "static" => WorkKind::LoopStatic,
        "sections" => WorkKind::Sections,
        "taskloop" => WorkKind::Taskloop,
        _ => WorkKind::LoopDynamic,
    }
}

fn sync_kind(word: &str) -> SyncKind {
    match word {
        "taskwait" => SyncKind::Taskwait,
        "taskgroup" => SyncKind::Taskgroup,
        "closing" => SyncKind::BarrierImplicitParallel,
        "implicit" => SyncKind::BarrierImplicit,
        _ => SyncKind::BarrierImplicitWorkshare,
    }
}

fn header(process_id: u32, rank: Option<u32>, rank_count: Option<u32>) -> TraceHeader {
    TraceHeader {
        version: 1,
        clock: ClockKind::Monotonic,
        process_id,
        forked_from: None,
        first_thread: ThreadId(0),
        start_ticks: 0,
        start_ns: 0,
        start_wall_ns: 0,
        end_ns: None,
        recorder: None,
        command: vec!["./prog".to_owned(), "8".to_owned()],
        executable: Some("./prog".to_owned()),
        working_directory: None,
        host: Some("node1".to_owned()),
        environment: vec![
            ("GRAINSHEAF_PARAM_version".to_owned(), "1.20".to_owned()),
            ("OMP_PROC_BIND".to_owned(), "true".to_owned()),
        ],
        rank,
        rank_count,
        counters: CounterState::Recorded(vec!["instructions".to_owned()]),
        runtimes: Vec::new(),
        mappings: vec![vec![Mapping {
            start: 0x1000,
            end: 0x2000,
            file_offset: 0,
            path: "./prog".to_owned(),
            build_id: None,
        }]],
        other: Vec::new(),
    }
}
