//! One process's calls in order: what each begins, and which call completes it.

use rustc_hash::FxHashMap;

use super::communicators::Membership;
use crate::trace::build::messages::functions::{Meeting, Role};
use crate::trace::build::messages::{Item, ProcessCalls};

/// Messages that do not overtake each other. Ranks are those of the communicator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) communicator: u32,
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) tag: i64,
}

/// A message to send or to get, or a part in a collective call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operation {
    /// The call in which it begins.
    pub(super) call: usize,
    /// The call that does not end before it is complete; absent while none is known.
    pub(super) completed_by: Option<usize>,
    pub(super) what: What,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum What {
    Send {
        key: Key,
        bytes: u64,
        is_synchronous: bool,
    },
    /// Absent key: it is not known what it got.
    Receive {
        key: Option<Key>,
    },
    Probe {
        key: Option<Key>,
    },
    Meet {
        communicator: u32,
        position: u32,
        meeting: Meeting,
        root: Option<u32>,
    },
    /// Of a communicator that is not known.
    Unknown,
}

impl What {
    /// Whether nothing is known of its completion without the other side.
    pub(super) fn needs_a_counterpart(self) -> bool {
        match self {
            Self::Send { is_synchronous, .. } => is_synchronous,
            _ => true,
        }
    }
}

/// Rows of a key that a receive can match.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    membership: Membership,
    from: Option<u32>,
    tag: Option<i64>,
}

impl Wanted {
    fn key(self) -> Option<Key> {
        Some(Key {
            communicator: self.membership.communicator,
            from: self.from?,
            to: self.membership.position,
            tag: self.tag?,
        })
    }
}

pub(super) struct Walk {
    pub(super) operations: Vec<Operation>,
    /// Whether it is unknown what each call waits for.
    pub(super) is_kept: Vec<bool>,
}

/// The state of a walk.
struct Walker<'a> {
    process: &'a ProcessCalls,
    memberships: &'a FxHashMap<u32, Membership>,
    walk: Walk,
    wanted: FxHashMap<usize, Wanted>,
    /// The operation of each request; none of one that is complete, or that is for no process.
    requests: FxHashMap<u64, Option<usize>>,
    /// Operations that persistent requests start.
    prepared: FxHashMap<u64, (Item, Role)>,
}

impl Walk {
    /// `process.items` must be in the order of the calls.
    pub(super) fn of(process: &ProcessCalls, memberships: &FxHashMap<u32, Membership>) -> Self {
        let mut walker = Walker {
            process,
            memberships,
            walk: Self {
                operations: Vec::new(),
                is_kept: vec![false; process.calls.len()],
            },
            wanted: FxHashMap::default(),
            requests: FxHashMap::default(),
            prepared: FxHashMap::default(),
        };
        let mut rest = process.items.as_slice();
        for call in 0..process.calls.len() {
            let count = rest.iter().take_while(|(of, _)| *of == call).count();
            let (own, others) = rest.split_at(count);
            walker.take(call, own);
            rest = others;
        }
        walker.walk
    }
}

impl Walker<'_> {
    fn take(&mut self, call: usize, items: &[(usize, Item)]) {
        let role = self.process.role(call);
        let is_meeting = |item: &(usize, Item)| matches!(item.1, Item::Collective { .. });
        self.walk.is_kept[call] = match role {
            Role::Kept => true,
            Role::Meet(_) => !items.iter().any(is_meeting),
            _ => false,
        };
        let mut begun: Option<usize> = None;
        let mut prepared = None;
        for &(_, item) in items {
            match item {
                Item::Send { .. } | Item::Receive { .. }
                    if matches!(role, Role::Prepare { .. }) =>
                {
                    prepared = Some(item);
                }
                Item::Send { .. } | Item::Receive { .. } | Item::Collective { .. } => {
                    let row = self.begin(call, item, role);
                    self.walk.operations[row].completed_by = Some(call);
                    begun = Some(row);
                }
                Item::Request(request) => {
                    if let Some(item) = prepared {
                        self.prepared.insert(request, (item, role));
                    } else if let Some(row) = begun {
                        self.walk.operations[row].completed_by = None;
                    }
                    self.requests.insert(request, begun);
                }
                Item::Status { request, peer, tag } => {
                    let known = match request {
                        0 => begun,
                        _ => self.requests.get(&request).copied().flatten(),
                    };
                    if let Some(row) = known {
                        self.learn(row, peer, tag);
                    }
                }
                Item::Done(request) if role == Role::Start => self.start(call, request),
                Item::Done(request) => self.complete(call, request),
            }
        }
    }

    /// Makes an operation of what a call begins.
    fn begin(&mut self, call: usize, item: Item, role: Role) -> usize {
        let row = self.walk.operations.len();
        let what = self.what(row, item, role).unwrap_or(What::Unknown);
        self.walk.operations.push(Operation {
            call,
            completed_by: None,
            what,
        });
        row
    }

    fn what(&mut self, row: usize, item: Item, role: Role) -> Option<What> {
        let of = |communicator: u32| self.memberships.get(&communicator).copied();
        match item {
            Item::Send {
                communicator,
                peer,
                tag,
                bytes,
            } => {
                let of = of(communicator)?;
                let key = Key {
                    communicator: of.communicator,
                    from: of.position,
                    to: peer,
                    tag,
                };
                let is_synchronous = match role {
                    Role::Message { is_synchronous } | Role::Prepare { is_synchronous } => {
                        is_synchronous
                    }
                    _ => false,
                };
                Some(What::Send {
                    key,
                    bytes,
                    is_synchronous,
                })
            }
            Item::Receive {
                communicator,
                peer,
                tag,
            } => {
                let wanted = Wanted {
                    membership: of(communicator)?,
                    from: peer,
                    tag: (tag >= 0).then_some(tag),
                };
                let key = wanted.key();
                if key.is_none() {
                    self.wanted.insert(row, wanted);
                }
                Some(match role {
                    Role::Probe => What::Probe { key },
                    _ => What::Receive { key },
                })
            }
            Item::Collective { communicator, root } => {
                let of = of(communicator)?;
                let Role::Meet(meeting) = role else {
                    return None;
                };
                Some(What::Meet {
                    communicator: of.communicator,
                    position: of.position,
                    meeting,
                    root,
                })
            }
            Item::Request(_) | Item::Done(_) | Item::Status { .. } => None,
        }
    }

    /// Completes what was wanted by what came.
    fn learn(&mut self, row: usize, peer: Option<u32>, tag: i64) {
        let Some(mut wanted) = self.wanted.remove(&row) else {
            return;
        };
        wanted.from = wanted.from.or(peer);
        wanted.tag = wanted.tag.or((tag >= 0).then_some(tag));
        if let What::Receive { key } | What::Probe { key } = &mut self.walk.operations[row].what {
            *key = wanted.key();
        }
    }

    fn start(&mut self, call: usize, request: u64) {
        let Some(&(item, role)) = self.prepared.get(&request) else {
            // For no process, or not seen.
            self.walk.is_kept[call] |= !self.requests.contains_key(&request);
            return;
        };
        let row = self.begin(call, item, role);
        self.requests.insert(request, Some(row));
    }

    fn complete(&mut self, call: usize, request: u64) {
        match self.requests.get_mut(&request) {
            Some(known) => {
                if let Some(row) = known.take() {
                    self.walk.operations[row].completed_by = Some(call);
                }
            }
            None => self.walk.is_kept[call] = true,
        }
    }
}
