//! Constructs of functions on either side, with the marks that distinguish them.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{DiffContext, DiffDefinition};
use sheaf_analysis::LOOPS;

/// One construct of a function.
#[derive(Debug, Clone)]
pub(super) struct Construct {
    /// Index of the definition.
    pub(super) definition: usize,
    pub(super) ordinal: i32,
    pub(super) line: Option<i32>,
    /// Lines from the construct around it, where that is of the same function.
    pub(super) offset: Option<i32>,
    /// The construct around it, where that is one on both sides.
    pub(super) around: Option<usize>,
    /// The same if it is known to be the same on both sides, of a function of which one side may lack loops.
    pub(super) region: Option<usize>,
    /// Whether its grains are counted.
    pub(super) has_grains: bool,
    /// Whether anything is below it.
    pub(super) has_content: bool,
    /// Its own grains, where they are counted.
    pub(super) grains: Option<u64>,
    /// Iterations of it and of loops below it, where some are known.
    pub(super) iterations: Option<u64>,
    /// The same with numbers of grains, where any of these are known; definitions do not matter.
    pub(super) amount: Option<u64>,
    /// Contexts below it, with numbers of grains.
    pub(super) exact: u64,
    /// The same without numbers.
    pub(super) loose: u64,
    /// Kinds below it.
    pub(super) shape: u64,
    /// Contexts that contain it.
    pub(super) place: u64,
}

/// The constructs of a function by kind, in order of their ordinals.
#[derive(Debug, Clone, Default)]
pub(super) struct Function {
    pub(super) kinds: BTreeMap<String, Vec<Construct>>,
    /// First and last line of all its constructs, those that were left out included.
    pub(super) lines: Option<[i32; 2]>,
    pub(super) file: Option<String>,
    /// Whether its side or the other one may lack loops, as the compilers differ: they state lines differently too.
    pub(super) may_lack_loops: bool,
}

impl Function {
    pub(super) fn is_empty(&self) -> bool {
        self.kinds.values().all(Vec::is_empty)
    }

    pub(super) fn len(&self) -> usize {
        self.kinds.values().map(Vec::len).sum()
    }

    /// Some of its constructs. Distances are from the first and the last of those.
    pub(super) fn only(&self, is_kept: impl Fn(usize) -> bool) -> Self {
        let mut kept = Self {
            kinds: BTreeMap::new(),
            lines: None,
            file: self.file.clone(),
            may_lack_loops: self.may_lack_loops,
        };
        for (kind, all) in &self.kinds {
            let own = all.iter().filter(|one| is_kept(one.definition)).cloned();
            let own: Vec<Construct> = own.collect();
            if !own.is_empty() {
                kept.kinds.insert(kind.clone(), own);
            }
        }
        kept.measure();
        kept
    }

    fn measure(&mut self) {
        let lines = || self.kinds.values().flatten().filter_map(|one| one.line);
        self.lines = lines().min().zip(lines().max()).map(|(a, b)| [a, b]);
    }
}

/// The functions of either side by name.
pub(super) struct Sides<'a> {
    pub(super) functions: [BTreeMap<&'a str, Function>; 2],
    present: Vec<[bool; 2]>,
}

impl<'a> Sides<'a> {
    /// `may_lack_loops` if the runtime of one side reports all loops and that of the other may not.
    pub(super) fn new(
        contexts: &[DiffContext],
        definitions: &'a [DiffDefinition],
        may_lack_loops: bool,
    ) -> Self {
        let mut present = vec![[false; 2]; definitions.len()];
        for context in contexts {
            for (known, is_there) in present[context.definition]
                .iter_mut()
                .zip(context.is_present())
            {
                *known |= is_there;
            }
        }
        let labels = labels(definitions, &present);
        let is_known = if may_lack_loops {
            same_but_for_loops(definitions, &present)
        } else {
            Vec::new()
        };
        let renamed = renamed_file(definitions, &present);
        let functions = [0, 1].map(|side| {
            let marks = Marks::new(contexts, definitions, &labels, side);
            let mut functions: BTreeMap<&str, Function> = BTreeMap::new();
            for (at, definition) in definitions.iter().enumerate() {
                let Some(name) = function_of(definition).filter(|_| present[at][side]) else {
                    continue;
                };
                let function = functions.entry(name).or_default();
                function.may_lack_loops = may_lack_loops;
                function.file = function.file.take().or_else(|| {
                    let file = definition.file.as_deref()?;
                    let moved = renamed.filter(|[_, new]| side == 1 && *new == file);
                    Some(moved.map_or(file, |[old, _]| old).to_owned())
                });
                let own = function.kinds.entry(definition.kind.to_string());
                own.or_default().push(Construct {
                    definition: at,
                    ordinal: definition.ordinal,
                    line: definition.lines[side],
                    offset: marks.offset[at],
                    around: marks.around[at].filter(|&at| present[at] == [true, true]),
                    region: marks.around[at].filter(|&at| is_known.get(at) == Some(&true)),
                    has_grains: marks.has_grains[at],
                    has_content: marks.has_content[at],
                    grains: marks.grains[at],
                    iterations: marks.iterations[at],
                    amount: marks.amount[at],
                    exact: marks.exact[at],
                    loose: marks.loose[at],
                    shape: marks.shape[at],
                    place: marks.place[at],
                });
            }
            for function in functions.values_mut() {
                for own in function.kinds.values_mut() {
                    own.sort_by_key(|one| (one.ordinal, one.line, one.definition));
                }
                function.measure();
            }
            functions
        });
        Self { functions, present }
    }

    pub(super) fn is_both(&self, definition: usize) -> bool {
        self.present[definition] == [true, true]
    }
}

/// The function of a construct; nothing of functions themselves, as in call profiles, and of what has none.
pub(super) fn function_of(definition: &DiffDefinition) -> Option<&str> {
    let function = definition.function.as_deref()?;
    (is_construct(&definition.kind) && !function.is_empty()).then_some(function)
}

/// Whether definitions of a kind stand in functions.
pub(super) fn is_construct(kind: &str) -> bool {
    !matches!(kind, "function" | "program" | "region")
}

/// The only file that one side alone has, and the only one of the other: the program was copied, or its file renamed.
fn renamed_file<'a>(
    definitions: &'a [DiffDefinition],
    present: &[[bool; 2]],
) -> Option<[&'a str; 2]> {
    let [first, second] = [0, 1].map(|side: usize| -> BTreeSet<&str> {
        let own = definitions.iter().zip(present).filter(|it| it.1[side]);
        own.filter_map(|(definition, _)| definition.file.as_deref())
            .collect()
    });
    let only = |own: &BTreeSet<&'a str>, other: &BTreeSet<&'a str>| {
        let mut alone = own.difference(other).copied();
        alone.next().filter(|_| alone.next().is_none())
    };
    Some([only(&first, &second)?, only(&second, &first)?])
}

/// Function, kind and ordinal of every construct of a side.
pub(super) fn list_constructs(
    definitions: &[DiffDefinition],
    is_there: impl Fn(usize) -> bool,
) -> BTreeMap<&str, BTreeSet<(&str, i32)>> {
    let mut all: BTreeMap<&str, BTreeSet<(&str, i32)>> = BTreeMap::new();
    for (at, definition) in definitions.iter().enumerate() {
        if let Some(function) = function_of(definition).filter(|_| is_there(at)) {
            let own = all.entry(function).or_default();
            own.insert((&definition.kind, definition.ordinal));
        }
    }
    all
}

/// Finds definitions that are not loops, in functions whose sides differ in loops only. Returns a flag for each
/// definition.
fn same_but_for_loops(definitions: &[DiffDefinition], present: &[[bool; 2]]) -> Vec<bool> {
    let is_loop = |at: usize| LOOPS.contains(&&*definitions[at].kind);
    let of_side =
        |side: usize| list_constructs(definitions, |at| present[at][side] && !is_loop(at));
    let sides = [of_side(0), of_side(1)];
    let is_known = |(at, definition): (usize, &DiffDefinition)| {
        let function = function_of(definition).filter(|_| !is_loop(at));
        function.is_some_and(|function| sides[0].get(function) == sides[1].get(function))
    };
    definitions.iter().enumerate().map(is_known).collect()
}

/// Label of each definition on both sides: itself if its function has the same constructs on both, else its
/// kind.
fn labels(definitions: &[DiffDefinition], present: &[[bool; 2]]) -> Vec<u64> {
    let sides = [0, 1].map(|side: usize| list_constructs(definitions, |at| present[at][side]));
    let label = |(at, definition): (usize, &DiffDefinition)| {
        let is_stable = match function_of(definition) {
            Some(function) => sides[0].get(function) == sides[1].get(function),
            None => present[at] == [true, true],
        };
        let kind = hash_text(&definition.kind);
        if is_stable {
            let halves = definition.id.0.as_chunks::<8>().0.iter();
            mix(halves.fold(kind, |label, half| label ^ u64::from_le_bytes(*half)))
        } else {
            kind
        }
    };
    definitions.iter().enumerate().map(label).collect()
}

/// Marks of every definition on one side: sums over its contexts, so that their order does not matter.
struct Marks {
    grains: Vec<Option<u64>>,
    iterations: Vec<Option<u64>>,
    amount: Vec<Option<u64>>,
    exact: Vec<u64>,
    loose: Vec<u64>,
    shape: Vec<u64>,
    place: Vec<u64>,
    offset: Vec<Option<i32>>,
    around: Vec<Option<usize>>,
    has_grains: Vec<bool>,
    has_content: Vec<bool>,
}

impl Marks {
    /// Linear in the contexts, which stand in pre-order.
    fn new(
        contexts: &[DiffContext],
        definitions: &[DiffDefinition],
        labels: &[u64],
        side: usize,
    ) -> Self {
        let count = contexts.len();
        let (mut exact, mut loose, mut shape) = (vec![0; count], vec![0; count], vec![0; count]);
        let nothing = || vec![0_u64; definitions.len()];
        let (mut iterations, mut amounts) = (vec![None; count], vec![None; count]);
        let mut marks = Self {
            grains: vec![None; definitions.len()],
            iterations: vec![None; definitions.len()],
            amount: vec![None; definitions.len()],
            exact: nothing(),
            loose: nothing(),
            shape: nothing(),
            place: nothing(),
            offset: vec![None; definitions.len()],
            around: vec![None; definitions.len()],
            has_grains: vec![false; definitions.len()],
            has_content: vec![false; definitions.len()],
        };
        let line = |at: usize| definitions[at].lines[side];
        let add = |sums: &mut [u64], at: usize, value: u64| sums[at] = sums[at].wrapping_add(value);
        for (at, context) in contexts.iter().enumerate().rev() {
            if !context.is_present()[side] {
                continue;
            }
            let own = context.definition;
            marks.has_grains[own] |= context.grains[side].is_some();
            if let Some(around) = context.parent.map(|at| contexts[at].definition) {
                marks.has_content[around] = true;
                marks.around[own] = function_of(&definitions[around]).map(|_| around);
                let is_one = function_of(&definitions[own]) == function_of(&definitions[around]);
                let both = line(own).zip(line(around)).filter(|_| is_one);
                marks.offset[own] = both.map(|(own, around)| own - around);
            }
            let kind = hash_text(&definitions[own].kind);
            let own_iterations = context.iterations[side].map(|it| mix(kind ^ hash_range(it)));
            let own_grains = context.grains[side].map(hash_range);
            plus(&mut marks.grains[own], own_grains);
            plus(&mut iterations[at], own_iterations);
            plus(&mut amounts[at], own_iterations);
            plus(&mut amounts[at], own_grains.map(|it| mix(!kind ^ it)));
            plus(&mut marks.iterations[own], iterations[at]);
            plus(&mut marks.amount[own], amounts[at]);
            if let Some(parent) = context.parent {
                let (below, amount) = (iterations[at], amounts[at]);
                plus(&mut iterations[parent], below);
                plus(&mut amounts[parent], amount);
            }
            exact[at] = mix(labels[own] ^ mix(exact[at]) ^ own_grains.unwrap_or(0));
            loose[at] = mix(labels[own] ^ mix(loose[at]));
            shape[at] = mix(kind ^ mix(shape[at]));
            if let Some(parent) = context.parent {
                for sums in [&mut exact, &mut loose, &mut shape] {
                    let own = mix(sums[at]);
                    add(sums, parent, own);
                }
            }
            let around = context
                .parent
                .map_or(0, |at| labels[contexts[at].definition]);
            add(&mut marks.exact, own, mix(exact[at]));
            add(&mut marks.loose, own, mix(loose[at]));
            add(&mut marks.shape, own, mix(shape[at]));
            add(&mut marks.place, own, mix(around ^ 1));
        }
        marks
    }
}

/// Adds what is known.
const fn plus(sum: &mut Option<u64>, value: Option<u64>) {
    if let Some(value) = value {
        let known = match *sum {
            Some(known) => known,
            None => 0,
        };
        *sum = Some(known.wrapping_add(value));
    }
}

fn hash_range([least, most]: [i64; 2]) -> u64 {
    mix(least.cast_unsigned()) ^ mix(most.cast_unsigned()).rotate_left(1)
}

fn hash_text(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Spreads every bit over all others (the finaliser of `SplitMix64`).
const fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
