//! Calls of MPI that the processes of a run recorded, and the figures computed from them.
//!
//! [`matching`] finds the receive of each send and the members of each collective call; [`network`] replays the run on
//! a network that costs nothing.

mod functions;
mod matching;
mod network;
#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;
use sheaf_model::table::GrainKind;
use sheaf_model::{Messages, RunMeta};

use self::functions::{Role, role};
use super::processes::Process;
use super::records::{NEVER, Records};
use crate::trace::EventKind;

/// More pairs of ranks are not kept: metadata of all runs is in memory.
const MAX_PAIRS: usize = 1024;
/// What a run lacks if there is no figure of the ideal network.
const TRANSFER: &str = "transfer";
const PAIRS: &str = "messages between ranks";

/// Calls of all processes, in the order of the processes.
#[derive(Debug, Default)]
pub(super) struct Calls {
    processes: Vec<ProcessCalls>,
}

/// Calls of one process.
#[derive(Debug, Default)]
pub(super) struct ProcessCalls {
    /// Rank in `MPI_COMM_WORLD`.
    rank: u32,
    /// Roles of the functions, by number.
    roles: Vec<Role>,
    /// In the order in which they began.
    calls: Vec<Call>,
    /// Messages and collective calls with the row of their call, in order of calls.
    items: Vec<(usize, Item)>,
    /// Members of communicators by number, in parts.
    members: Vec<(u32, Progression)>,
    /// The call that is open, by lane.
    open: Vec<Option<usize>>,
    /// Bytes of the messages of prepared requests.
    prepared: FxHashMap<u64, u64>,
}

#[derive(Debug, Clone, Copy)]
struct Call {
    function: u16,
    begin: i64,
    /// [`NEVER`] while it is open.
    end: i64,
}

/// Ranks of `MPI_COMM_WORLD`: first, difference, count.
type Progression = (u32, i64, u64);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Item {
    Send {
        communicator: u32,
        peer: u32,
        tag: i64,
        bytes: u64,
    },
    /// Absent sender or negative tag: any.
    Receive {
        communicator: u32,
        peer: Option<u32>,
        tag: i64,
    },
    Collective {
        communicator: u32,
        root: Option<u32>,
    },
    /// The call made this request.
    Request(u64),
    /// The call completed or started this request.
    Done(u64),
    /// Sender and tag of the message of a request, or with 0 of the call's own.
    Status {
        request: u64,
        peer: Option<u32>,
        tag: i64,
    },
}

impl Calls {
    /// Events belong to this process from now on.
    pub(super) fn start_process(&mut self, process: &Process) {
        let names = super::meta::item(&process.header, "mpi_calls").unwrap_or_default();
        self.processes.push(ProcessCalls {
            rank: process.rank,
            roles: names.split_whitespace().map(role).collect(),
            ..ProcessCalls::default()
        });
    }

    pub(super) fn begin(&mut self, lane: usize, now: i64, function: u16) {
        if let Some(process) = self.processes.last_mut() {
            let lanes = process.open.len().max(lane + 1);
            process.open.resize(lanes, None);
            process.open[lane] = Some(process.calls.len());
            process.calls.push(Call {
                function,
                begin: now,
                end: NEVER,
            });
        }
    }

    pub(super) fn end(&mut self, lane: usize, now: i64) {
        if let Some(process) = self.processes.last_mut()
            && let Some(Some(call)) = process.open.get_mut(lane).map(Option::take)
        {
            process.calls[call].end = now;
        }
    }

    /// Takes an event that describes the open call; returns the bytes that it sends now.
    pub(super) fn note(&mut self, lane: usize, event: EventKind) -> Option<u64> {
        let process = self.processes.last_mut()?;
        let item = match event {
            EventKind::MpiMembers {
                communicator,
                first,
                step,
                count,
            } => {
                process.members.push((communicator, (first, step, count)));
                return None;
            }
            EventKind::MpiSend {
                communicator,
                peer,
                tag,
                bytes,
            } => Item::Send {
                communicator,
                peer,
                tag,
                bytes,
            },
            EventKind::MpiReceive {
                communicator,
                peer,
                tag,
            } => Item::Receive {
                communicator,
                peer,
                tag,
            },
            EventKind::MpiCollective { communicator, root } => {
                Item::Collective { communicator, root }
            }
            EventKind::MpiRequest { request } => Item::Request(request),
            EventKind::MpiRequestDone { request } => Item::Done(request),
            EventKind::MpiStatus { request, peer, tag } => Item::Status { request, peer, tag },
            _ => return None,
        };
        let call = (*process.open.get(lane)?)?;
        process.items.push((call, item));
        let role = process.role(call);
        let items = &process.items;
        match item {
            Item::Send { bytes, .. } if !matches!(role, Role::Prepare { .. }) => Some(bytes),
            Item::Request(request) if matches!(role, Role::Prepare { .. }) => {
                let before = items.iter().rev().take_while(|(of, _)| *of == call);
                let bytes = before.into_iter().find_map(|(_, item)| match item {
                    Item::Send { bytes, .. } => Some(*bytes),
                    _ => None,
                });
                process.prepared.extend(bytes.map(|bytes| (request, bytes)));
                None
            }
            Item::Done(request) if role == Role::Start => process.prepared.get(&request).copied(),
            _ => None,
        }
    }
}

impl ProcessCalls {
    fn role(&self, call: usize) -> Role {
        let function = self.calls[call].function;
        let role = self.roles.get(usize::from(function));
        role.copied().unwrap_or(Role::Kept)
    }
}

/// Adds what follows from the calls of MPI to the metadata of a run, if there were any.
pub(super) fn add(records: &mut Records, processes: &[Process], meta: &mut RunMeta) {
    let mut calls = std::mem::take(&mut records.messages);
    if calls
        .processes
        .iter()
        .all(|process| process.calls.is_empty())
    {
        return;
    }
    let mut lack = |what: &str, why: String| drop(meta.lacks.insert(what.to_owned(), why));
    let is_recorded =
        |process: &ProcessCalls| process.calls.is_empty() || !process.members.is_empty();
    if !calls.processes.iter().all(is_recorded) {
        lack(TRANSFER, "messages were not recorded".to_owned());
        return;
    }
    for process in &mut calls.processes {
        // Threads may be in calls at the same time.
        process.items.sort_by_key(|(call, _)| *call);
    }
    let ends = ends(records, processes.len());
    let matched = matching::match_calls(&calls.processes, &ends);
    let mut ideal = None;
    if let Some(reason) = obstacle(&calls.processes, meta.ranks) {
        lack(TRANSFER, reason);
    } else {
        let end = matched.network.replay().into_iter().max().unwrap_or(0);
        let elapsed = meta.elapsed.unwrap_or(i64::MAX);
        // Other threads of a rank may work while one is in a call, so the rank is not faster than each of them.
        ideal = Some(end.max(longest_work(records)).min(elapsed));
    }
    let mut pairs = matched.pairs;
    if pairs.len() > MAX_PAIRS {
        let reason = format!("more than {MAX_PAIRS} pairs of ranks sent messages");
        lack(PAIRS, reason);
        pairs.clear();
    }
    meta.messages = Some(Messages {
        ideal_elapsed: ideal,
        calls: matched.calls,
        kept_calls: matched.kept_calls,
        messages: matched.messages,
        unmatched: matched.unmatched,
        pairs,
    });
}

/// Why a run cannot be replayed.
fn obstacle(processes: &[ProcessCalls], ranks: i64) -> Option<String> {
    let mut callers: Vec<u32> = processes
        .iter()
        .filter(|process| !process.calls.is_empty())
        .map(|process| process.rank)
        .collect();
    let all = callers.len();
    callers.sort_unstable();
    callers.dedup();
    if callers.len() < all {
        return Some("several processes of a rank called MPI".to_owned());
    }
    if i64::try_from(callers.len()).is_ok_and(|callers| callers < ranks) {
        let count = callers.len();
        return Some(format!(
            "calls of MPI were recorded of {count} of {ranks} ranks"
        ));
    }
    for process in processes {
        let mut calls = process.calls.windows(2);
        if calls.any(|pair| pair[1].begin < pair[0].end || pair[0].end == NEVER) {
            let rank = process.rank;
            return Some(format!(
                "threads of rank {rank} called MPI at the same time"
            ));
        }
    }
    None
}

/// When each process ended.
fn ends(records: &Records, processes: usize) -> Vec<i64> {
    let mut ends = vec![0; processes];
    let mut note = |process: u32, end: i64| {
        if let Some(last) = ends.get_mut(process as usize) {
            *last = end.max(*last);
        }
    };
    for grain in &records.grains {
        if grain.kind == GrainKind::Initial {
            note(grain.process, grain.end);
        }
    }
    for fragment in records.fragments.iter() {
        if let Some(worker) = records.workers.get(fragment.location as usize) {
            note(worker.process, fragment.start + fragment.duration);
        }
    }
    ends
}

/// Work of the worker that worked longest.
fn longest_work(records: &Records) -> i64 {
    let mut work = vec![0_i64; records.workers.len()];
    for fragment in records.fragments.iter() {
        if let Some(sum) = work.get_mut(fragment.location as usize) {
            *sum = sum.saturating_add(fragment.duration);
        }
    }
    let of_workers = records.workers.iter().zip(work);
    let of_workers = of_workers.filter(|(worker, _)| !worker.is_helper);
    of_workers.map(|(_, work)| work).max().unwrap_or(0)
}
