//! Ranks and threads of profiles.

use std::collections::{BTreeMap, BTreeSet};

use sheaf_model::Report;

use super::super::bytes::{DatabaseFault, View};

/// Smallest thread number that profiles get which are of no thread: streams of GPUs, cores.
const FIRST_STREAM: i32 = 500;

/// Bytes of an id in a tuple.
const ID: u64 = 0x10;

/// What a profile is of: ids of a node, rank, thread, stream.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Tuple {
    rank: Option<i32>,
    thread: Option<i32>,
    node: Option<u64>,
    /// Kind and number of every other id.
    others: Vec<(u8, u32)>,
}

impl Tuple {
    /// Reads the tuple at a pointer; nothing is known of the profile where it is null.
    pub(super) fn read(view: View<'_>, at: u64, kinds: &[String]) -> Result<Self, DatabaseFault> {
        let mut tuple = Self::default();
        if at == 0 {
            return Ok(tuple);
        }
        let count = u64::from(view.u16(at)?);
        let ids = view.records(at.saturating_add(8), count, ID, ID)?;
        for id in ids.iter() {
            let kind = view.u8(id)?;
            let (logical, physical) = (view.u32(id + 4)?, view.u64(id + 8)?);
            let number = i32::try_from(logical).ok();
            match kinds.get(usize::from(kind)).map(String::as_str) {
                Some("NODE") => tuple.node = Some(physical),
                Some("RANK") => tuple.rank = number,
                Some("THREAD") => tuple.thread = number,
                _ => tuple.others.push((kind, logical)),
            }
        }
        Ok(tuple)
    }

    fn is_stream(&self) -> bool {
        !self.others.is_empty()
    }
}

/// The rank and thread of every profile.
#[derive(Default)]
pub(super) struct Locations {
    places: BTreeMap<Tuple, (i32, i32)>,
}

impl Locations {
    /// Gives every tuple a place of its own: its rank and thread, and where it is of no thread or
    /// the place is taken, the next free number, from 500 for streams.
    pub(super) fn place<'t>(
        &mut self,
        tuples: impl Iterator<Item = &'t Tuple>,
        report: &mut Report,
    ) {
        let tuples: BTreeSet<&Tuple> = tuples.collect();
        let mut taken = BTreeSet::new();
        // The next number to try for each rank, below and from the first of streams.
        let mut next: BTreeMap<(i32, bool), i32> = BTreeMap::new();
        let (streams, threads): (Vec<&Tuple>, Vec<&Tuple>) =
            tuples.into_iter().partition(|tuple| tuple.is_stream());
        for tuple in threads.into_iter().chain(streams) {
            let rank = tuple.rank.unwrap_or(0);
            let is_stream = tuple.is_stream();
            let wanted = if is_stream {
                FIRST_STREAM
            } else {
                tuple.thread.unwrap_or(0)
            };
            let mut thread = wanted;
            if !taken.insert((rank, thread)) {
                let next = next.entry((rank, is_stream)).or_insert(wanted);
                while !taken.insert((rank, *next)) && *next < i32::MAX {
                    *next += 1;
                }
                thread = *next;
                if !is_stream {
                    let first = || Some(format!("rank {rank}, thread {wanted}"));
                    report.add("repaired_locations", 1, first);
                }
            }
            self.places.insert(tuple.clone(), (rank, thread));
        }
    }

    pub(super) fn get(&self, tuple: &Tuple) -> (i32, i32) {
        self.places.get(tuple).copied().unwrap_or((0, 0))
    }

    pub(super) fn num_ranks(&self) -> usize {
        let ranks: BTreeSet<i32> = self.places.values().map(|(rank, _)| *rank).collect();
        ranks.len()
    }

    /// Most threads of a rank.
    pub(super) fn num_threads(&self) -> usize {
        let mut threads: BTreeMap<i32, usize> = BTreeMap::new();
        for (tuple, (rank, _)) in &self.places {
            if !tuple.is_stream() {
                *threads.entry(*rank).or_default() += 1;
            }
        }
        threads.into_values().max().unwrap_or(0)
    }

    /// Hosts.
    pub(super) fn num_nodes(&self) -> usize {
        let nodes: BTreeSet<u64> = self.places.keys().filter_map(|tuple| tuple.node).collect();
        nodes.len()
    }

    pub(super) fn num_streams(&self) -> usize {
        self.places.keys().filter(|tuple| tuple.is_stream()).count()
    }
}
