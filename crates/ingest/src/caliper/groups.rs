//! Records by what they measure: each channel and each window of time is a profile of its own.

use std::collections::HashMap;

use sheaf_model::RunMeta;

use super::attribute::Role;
use super::tree::{NONE, NodeNumber, Scope, Tree};
use super::{NO_PATH, OUTSIDE, PROFILE_CHANNEL};
use crate::measure::Value;
use crate::profile::{Frame, LocationIdx, MetricIdx, NodeIdx, Profile};
use rustc_hash::FxHashMap;

/// Frames that are put below the path of another reference of the same record, at most.
const MAX_APPENDED: usize = 32;

/// A record without its ids.
#[derive(Default)]
pub(super) struct Snapshot {
    /// Nearest path nodes of the references, where they have one.
    pub(super) paths: Vec<NodeNumber>,
    /// Number of the metric's attribute, and the value.
    pub(super) values: Vec<(u32, Value)>,
}

/// A profile that is being put together, with the places of its nodes and metrics.
pub(super) struct Group {
    pub(super) profile: Profile,
    nodes: FxHashMap<NodeNumber, NodeIdx>,
    metrics: FxHashMap<u32, MetricIdx>,
    recent_place: Option<((i32, i32), LocationIdx)>,
    /// Threads by ids too large to be numbers of threads.
    threads: HashMap<i64, i32>,
    pub(super) num_records: u64,
    pub(super) num_values: u64,
}

/// Counts and findings of one record.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Met {
    /// Values that were kept.
    pub(super) values: u64,
    pub(super) is_outside: bool,
    /// References whose frames are too many to be put below those of another.
    pub(super) second_paths: u64,
    /// Bytes of metrics' names that the record made a profile keep.
    pub(super) name_bytes: usize,
    pub(super) has_impossible_place: bool,
}

/// A profile with the number of its channel, if that is not the run's profile, and the first
/// iteration of its window of time.
pub(super) type OfChannel = (Option<u32>, Option<i64>, Group);

/// All profiles of a file.
#[derive(Default)]
pub(super) struct Groups {
    /// In the order of their first record.
    list: Vec<OfChannel>,
    by_key: FxHashMap<(Option<u32>, Option<i64>), usize>,
    recent: Option<((NodeNumber, Option<i64>), usize)>,
    channels: Vec<String>,
    channels_by_name: HashMap<String, u32>,
    channels_by_node: FxHashMap<NodeNumber, Option<u32>>,
    /// Whether records state that they are of the profile.
    pub(super) has_profile_channel: bool,
}

impl Groups {
    /// Adds the values of a record.
    pub(super) fn add(&mut self, tree: &Tree, scope: &Scope, snapshot: &Snapshot) -> Met {
        let at = self.place(tree, scope);
        match self.list.get_mut(at) {
            Some((.., group)) => group.add(tree, scope, snapshot),
            None => Met::default(),
        }
    }

    fn place(&mut self, tree: &Tree, scope: &Scope) -> usize {
        let key = (scope.channel, scope.window);
        if let Some((recent, at)) = self.recent
            && recent == key
        {
            return at;
        }
        let channel = self.channel(tree, scope.channel);
        let next = self.list.len();
        let at = *self.by_key.entry((channel, scope.window)).or_insert(next);
        if at == next {
            self.list.push((channel, scope.window, Group::new()));
        }
        self.recent = Some((key, at));
        at
    }

    /// Number of the channel; none for that of the profile.
    fn channel(&mut self, tree: &Tree, node: NodeNumber) -> Option<u32> {
        if node == NONE {
            return None;
        }
        if let Some(&known) = self.channels_by_node.get(&node) {
            return known;
        }
        let name = tree.text(node);
        let channel = if name == PROFILE_CHANNEL {
            self.has_profile_channel = true;
            None
        } else if let Some(&known) = self.channels_by_name.get(name) {
            Some(known)
        } else {
            let number = u32::try_from(self.channels.len()).unwrap_or(u32::MAX);
            self.channels.push(name.to_owned());
            self.channels_by_name.insert(name.to_owned(), number);
            Some(number)
        };
        self.channels_by_node.insert(node, channel);
        channel
    }

    /// Distinct profiles so far.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// The names of channels, and the profiles by channel and first iteration.
    pub(super) fn finish(mut self) -> (Vec<String>, Vec<OfChannel>) {
        self.list
            .sort_by_key(|(channel, window, _)| (*channel, *window));
        (self.channels, self.list)
    }
}

impl Group {
    fn new() -> Self {
        Self {
            profile: Profile::new(RunMeta::new("", "")),
            nodes: FxHashMap::default(),
            metrics: FxHashMap::default(),
            recent_place: None,
            threads: HashMap::new(),
            num_records: 0,
            num_values: 0,
        }
    }

    fn add(&mut self, tree: &Tree, scope: &Scope, snapshot: &Snapshot) -> Met {
        self.num_records += 1;
        let mut met = Met::default();
        let Some(location) = self.location(scope) else {
            met.has_impossible_place = true;
            return met;
        };
        let Some(node) = self.leaf(tree, scope, snapshot, &mut met) else {
            return met;
        };
        for &(attribute, value) in &snapshot.values {
            if let Some(metric) = self.metric(tree, attribute, &mut met) {
                self.profile.add(node, metric, location, value);
                met.values += 1;
            }
        }
        self.num_values += met.values;
        met
    }

    /// The node that a record is of; nothing for one without path and values.
    fn leaf(
        &mut self,
        tree: &Tree,
        scope: &Scope,
        snapshot: &Snapshot,
        met: &mut Met,
    ) -> Option<NodeIdx> {
        let mut paths = snapshot.paths.iter();
        let mut last = NONE;
        let mut node = None;
        if let Some(&path) = paths.next() {
            // Of a sample the function is known better than the region it was taken in.
            last = path;
            node = if scope.function == NONE {
                Some(self.path(tree, path))
            } else {
                self.above(tree, path)
            };
        }
        for &path in paths {
            match self.appended(tree, node, path) {
                Some(appended) => node = Some(appended),
                None => met.second_paths += 1,
            }
        }
        for leaf in [scope.function, activity(tree, scope)] {
            if leaf != NONE {
                node = Some(self.child(tree, node, leaf, scope.module));
            }
        }
        if node.is_none() && last == NONE && !snapshot.values.is_empty() {
            met.is_outside = true;
            let definition = self.profile.definition(Frame {
                kind: OUTSIDE,
                name: NO_PATH,
                ..Frame::default()
            });
            node = Some(self.profile.node(None, definition));
        }
        node
    }

    /// The node of a call path; each node of the tree is looked at once.
    fn path(&mut self, tree: &Tree, path: NodeNumber) -> NodeIdx {
        let mut open = vec![];
        let mut at = path;
        let mut node = None;
        while at != NONE {
            if let Some(&known) = self.nodes.get(&at) {
                node = Some(known);
                break;
            }
            open.push(at);
            at = tree.path(tree.parent(at));
        }
        for &step in open.iter().rev() {
            let child = self.child(tree, node, step, NONE);
            self.nodes.insert(step, child);
            node = Some(child);
        }
        node.unwrap_or(NodeIdx(0))
    }

    /// The path without its last frame.
    fn above(&mut self, tree: &Tree, path: NodeNumber) -> Option<NodeIdx> {
        let above = tree.path(tree.parent(path));
        (above != NONE).then(|| self.path(tree, above))
    }

    /// The path below that of another reference; nothing when it is long.
    fn appended(
        &mut self,
        tree: &Tree,
        node: Option<NodeIdx>,
        path: NodeNumber,
    ) -> Option<NodeIdx> {
        let mut open = Vec::new();
        let mut at = path;
        while at != NONE {
            if open.len() == MAX_APPENDED {
                return None;
            }
            open.push(at);
            at = tree.path(tree.parent(at));
        }
        let steps = open.iter().rev();
        steps.fold(node, |node, &step| Some(self.child(tree, node, step, NONE)))
    }

    fn child(
        &mut self,
        tree: &Tree,
        parent: Option<NodeIdx>,
        frame: NodeNumber,
        module: NodeNumber,
    ) -> NodeIdx {
        let kind = tree
            .attribute_at(frame)
            .map_or("", |attribute| match attribute.role {
                Role::SampledFunction => "function",
                _ => attribute.name.as_str(),
            });
        let module = (module != NONE).then(|| file_name(tree.text(module)));
        let definition = self.profile.definition(Frame {
            kind,
            name: tree.text(frame),
            module: module.filter(|name| !name.is_empty()),
            ..Frame::default()
        });
        self.profile.node(parent, definition)
    }

    fn metric(&mut self, tree: &Tree, attribute: u32, met: &mut Met) -> Option<MetricIdx> {
        if let Some(&metric) = self.metrics.get(&attribute) {
            return Some(metric);
        }
        let known = tree.attribute(attribute)?;
        // Name, raw name and alias are much alike.
        met.name_bytes += known.name.len() * 3;
        let metric = self.profile.metric(known.spec.clone()?);
        if let Some(alias) = &known.alias {
            self.profile.label(metric, alias);
        }
        self.metrics.insert(attribute, metric);
        Some(metric)
    }

    fn location(&mut self, scope: &Scope) -> Option<LocationIdx> {
        let rank = i32::try_from(scope.rank.unwrap_or(0)).ok();
        let rank = rank.filter(|&rank| rank >= 0)?;
        let thread = scope.thread.unwrap_or(0);
        let thread = match i32::try_from(thread) {
            Ok(number) if number >= 0 => number,
            _ => {
                let next = i32::try_from(self.threads.len()).ok()?;
                *self.threads.entry(thread).or_insert(next)
            }
        };
        if let Some((recent, location)) = self.recent_place
            && recent == (rank, thread)
        {
            return Some(location);
        }
        let location = self.profile.location(rank, thread);
        self.recent_place = Some(((rank, thread), location));
        Some(location)
    }
}

/// What a device did: the kernel where one is named, else the activity.
fn activity(tree: &Tree, scope: &Scope) -> NodeNumber {
    let is_kernel = matches!(
        tree.text(scope.activity),
        "kernel" | "KERNEL_DISPATCH_COMPLETE"
    );
    match scope.activity {
        NONE => NONE,
        _ if is_kernel && scope.kernel != NONE => scope.kernel,
        activity => activity,
    }
}

pub(super) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
