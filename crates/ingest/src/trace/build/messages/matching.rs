//! Which receive got which message, and which calls are one collective call.
//!
//! Messages from one rank to another with the same tag and communicator do not overtake each other (MPI 4.1, 3.5): the
//! n-th receive of such messages gets the n-th. Receives count in the order in which they were asked for, whatever
//! completed them. Collective calls of a communicator have one order in all of its members.

mod communicators;
mod walk;

use rustc_hash::FxHashMap;
use sheaf_model::MessagePair;

use self::communicators::Communicators;
use self::walk::{Key, Walk, What};
use super::functions::Meeting;
use super::network::{Arrival, Interval, Need, Network, Timeline};
use super::{NEVER, ProcessCalls};

/// Calls with what they need of each other.
#[derive(Debug, Default)]
pub(super) struct Matched {
    pub(super) network: Network,
    pub(super) calls: u64,
    /// Calls of which it is not known what they wait for.
    pub(super) kept_calls: u64,
    /// Messages, those that are not matched included.
    pub(super) messages: u64,
    /// Sends and receives without a counterpart.
    pub(super) unmatched: u64,
    /// Messages sent, by sender, then receiver.
    pub(super) pairs: Vec<MessagePair>,
}

/// An operation of a process: rows of both.
type Place = (usize, usize);

/// One collective call.
struct Met {
    meeting: Meeting,
    root: Option<u32>,
    /// By rank in the communicator.
    members: Vec<Option<Place>>,
    is_consistent: bool,
}

/// Arrival of an operation and its completion, once it is matched.
#[derive(Clone, Copy)]
struct Bound {
    arrival: Arrival,
    need: Option<Need>,
}

/// Matches the calls of processes that ended at `ends`. Expected linear in calls and members.
pub(super) fn match_calls(processes: &[ProcessCalls], ends: &[i64]) -> Matched {
    let communicators = Communicators::new(processes);
    let walks: Vec<Walk> = (0..processes.len())
        .map(|process| Walk::of(&processes[process], communicators.of_process(process)))
        .collect();
    let mut matching = Matching {
        bound: walks
            .iter()
            .map(|walk| vec![None; walk.operations.len()])
            .collect(),
        walks,
        matched: Matched::default(),
    };
    matching.match_messages();
    matching.match_meetings(&communicators);
    matching.matched.pairs = pairs(processes, &matching.walks, &communicators);
    for (process, calls) in processes.iter().enumerate() {
        let end = ends.get(process).copied().unwrap_or(0);
        let timeline = matching.timeline(process, calls, end);
        matching.matched.network.timelines.push(timeline);
    }
    matching.matched
}

struct Matching {
    walks: Vec<Walk>,
    /// Of each process and operation.
    bound: Vec<Vec<Option<Bound>>>,
    matched: Matched,
}

impl Matching {
    fn match_messages(&mut self) {
        let mut sends: FxHashMap<Key, Vec<Place>> = FxHashMap::default();
        let mut num_sends = 0;
        for (process, walk) in self.walks.iter().enumerate() {
            for (row, operation) in walk.operations.iter().enumerate() {
                if let What::Send { key, .. } = operation.what {
                    sends.entry(key).or_default().push((process, row));
                    num_sends += 1;
                }
            }
        }
        let (mut received, mut unmatched) = (0, 0);
        let mut next: FxHashMap<Key, usize> = FxHashMap::default();
        let mut found: Vec<(Place, Place)> = Vec::new();
        for (process, walk) in self.walks.iter().enumerate() {
            for (row, operation) in walk.operations.iter().enumerate() {
                let (key, is_probe) = match operation.what {
                    What::Receive { key } => (key, false),
                    What::Probe { key } => (key, true),
                    _ => continue,
                };
                let send = key.and_then(|key| {
                    let number = next.entry(key).or_default();
                    let send = sends.get(&key)?.get(*number).copied();
                    *number += usize::from(!is_probe);
                    send
                });
                match send {
                    Some(send) => found.push((send, (process, row))),
                    None if !is_probe => unmatched += 1,
                    None => {}
                }
                received += u64::from(send.is_some() && !is_probe);
            }
        }
        self.matched.messages = num_sends + unmatched;
        self.matched.unmatched = unmatched + (num_sends - received);
        for (send, receive) in found {
            self.bind_message(send, receive);
        }
    }

    fn bind_message(&mut self, send: Place, receive: Place) {
        let place = self.matched.network.places;
        self.matched.network.places += 2;
        let arrival = |place| Arrival {
            place,
            meeting: None,
        };
        // A message that is probed first is bound already.
        let sender = self.bound[send.0][send.1].get_or_insert(Bound {
            arrival: arrival(place),
            need: None,
        });
        let sender_place = sender.arrival.place;
        let what = self.walks[send.0].operations[send.1].what;
        let is_receive = matches!(
            self.walks[receive.0].operations[receive.1].what,
            What::Receive { .. }
        );
        if is_receive
            && matches!(
                what,
                What::Send {
                    is_synchronous: true,
                    ..
                }
            )
        {
            sender.need = Some(Need::Place(place + 1));
        }
        self.bound[receive.0][receive.1] = Some(Bound {
            arrival: arrival(place + 1),
            need: Some(Need::Place(sender_place)),
        });
    }

    fn match_meetings(&mut self, communicators: &Communicators) {
        let mut rows: FxHashMap<(u32, u32), usize> = FxHashMap::default();
        let mut all: Vec<Met> = Vec::new();
        for (process, walk) in self.walks.iter().enumerate() {
            let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
            for (row, operation) in walk.operations.iter().enumerate() {
                let What::Meet {
                    communicator,
                    position,
                    meeting,
                    root,
                } = operation.what
                else {
                    continue;
                };
                let number = numbers.entry(communicator).or_default();
                let key = (communicator, *number);
                *number += 1;
                let met = *rows.entry(key).or_insert_with(|| {
                    all.push(Met {
                        meeting,
                        root,
                        members: vec![None; communicators.members(communicator).len()],
                        is_consistent: true,
                    });
                    all.len() - 1
                });
                let met = &mut all[met];
                met.is_consistent &= met.meeting == meeting && met.root == root;
                if let Some(member) = met.members.get_mut(position as usize) {
                    *member = Some((process, row));
                }
            }
        }
        for met in all {
            self.bind_meeting(&met);
        }
    }

    fn bind_meeting(&mut self, met: &Met) {
        let network = &mut self.matched.network;
        let root = met.root.map(|root| root as usize);
        let has_root = match met.meeting {
            Meeting::FromRoot | Meeting::ToRoot => root.is_some_and(|it| it < met.members.len()),
            Meeting::All | Meeting::Prefix => true,
        };
        if !met.is_consistent || !has_root || met.members.iter().any(Option::is_none) {
            return;
        }
        let first = network.places;
        network.places += met.members.len();
        let is_whole = matches!(met.meeting, Meeting::All | Meeting::ToRoot);
        let meeting = is_whole.then_some(network.meetings.len());
        network.meetings.extend(meeting.map(|_| met.members.len()));
        for (position, member) in met.members.iter().enumerate() {
            let Some((process, row)) = *member else {
                continue;
            };
            let is_root = root == Some(position);
            let need = match met.meeting {
                Meeting::All => meeting.map(Need::Meeting),
                Meeting::ToRoot => meeting.filter(|_| is_root).map(Need::Meeting),
                Meeting::FromRoot if is_root => None,
                Meeting::FromRoot => root.map(|root| Need::Place(first + root)),
                Meeting::Prefix => Some(Need::Places(first, position + 1)),
            };
            let arrival = Arrival {
                place: first + position,
                meeting,
            };
            self.bound[process][row] = Some(Bound { arrival, need });
        }
    }

    /// The calls of a process with what was found.
    fn timeline(&mut self, process: usize, calls: &ProcessCalls, end: i64) -> Timeline {
        let walk = &mut self.walks[process];
        let mut timeline = Timeline {
            end,
            ..Timeline::default()
        };
        for (row, operation) in walk.operations.iter().enumerate() {
            let bound = self.bound[process][row];
            if let Some(bound) = bound {
                timeline.arrivals.push((operation.call, bound.arrival));
            }
            let Some(call) = operation.completed_by else {
                continue;
            };
            match bound {
                Some(bound) => timeline.needs.extend(bound.need.map(|need| (call, need))),
                None => walk.is_kept[call] |= operation.what.needs_a_counterpart(),
            }
        }
        timeline.arrivals.sort_by_key(|(call, _)| *call);
        timeline.needs.sort_by_key(|(call, _)| *call);
        let intervals = calls.calls.iter().zip(&walk.is_kept);
        timeline.calls = intervals
            .map(|(call, &is_kept)| Interval {
                begin: call.begin,
                end: if call.end == NEVER { end } else { call.end },
                is_kept,
            })
            .collect();
        let kept = walk.is_kept.iter().filter(|is_kept| **is_kept);
        self.matched.kept_calls += kept.count() as u64;
        self.matched.calls += timeline.calls.len() as u64;
        timeline
    }
}

/// Messages and bytes of each pair of ranks.
fn pairs(
    processes: &[ProcessCalls],
    walks: &[Walk],
    communicators: &Communicators,
) -> Vec<MessagePair> {
    let mut sums: FxHashMap<(u32, u32), (u64, u64)> = FxHashMap::default();
    for (process, walk) in processes.iter().zip(walks) {
        for operation in &walk.operations {
            let What::Send { key, bytes, .. } = operation.what else {
                continue;
            };
            let members = communicators.members(key.communicator);
            if let Some(&to) = members.get(key.to as usize) {
                let (messages, sum) = sums.entry((process.rank, to)).or_default();
                *messages += 1;
                *sum = sum.saturating_add(bytes);
            }
        }
    }
    let mut pairs: Vec<MessagePair> = sums
        .into_iter()
        .map(|((from, to), (messages, bytes))| MessagePair {
            from,
            to,
            messages,
            bytes,
        })
        .collect();
    pairs.sort_unstable_by_key(|pair| (pair.from, pair.to));
    pairs
}
