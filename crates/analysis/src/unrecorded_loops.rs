//! Loops that some runs did not record: runtimes report no static loops of GCC.

use std::collections::{BTreeMap, BTreeSet};

use sheaf_answers::GroupFact;
use sheaf_model::{ParamValue, RunMeta};

use crate::tree::EnsembleTree;

/// Loops by the region that contains them, both as nodes.
type LoopsOf = BTreeMap<usize, BTreeSet<usize>>;

/// Kinds of constructs whose grains a runtime may not report.
pub const LOOPS: [&str; 2] = ["loop", "sections"];

/// Whether loops of the run may not have been recorded. Runtimes report all loops of compilers that are made of LLVM.
pub fn may_lack_loops(run: &RunMeta) -> bool {
    match run.params.get("compiler") {
        Some(ParamValue::Text(compiler)) => !compiler.to_ascii_lowercase().contains("clang"),
        _ => true,
    }
}

/// Regions of which some runs recorded all loops and others did not. A run that recorded some loops lacks others only
/// if a run whose runtime reports all loops has them. Linear in the runs and the contexts of distinct tables.
pub(crate) fn loops_in_some_runs(tree: &EnsembleTree) -> Vec<GroupFact> {
    let kind = |node: usize| &*tree.definition(node).kind;
    let is_loop = |node: usize| LOOPS.contains(&kind(node));
    if !(0..tree.len()).any(is_loop) {
        return Vec::new();
    }
    // Runs with the same context table, and the same kind of runtime, have the same loops.
    let mut classes: BTreeMap<(u32, bool), (LoopsOf, u64)> = BTreeMap::new();
    for (run, summary) in tree.runs().iter().enumerate() {
        let key = (tree.shape_of_run(run), may_lack_loops(&summary.meta));
        let class = classes.entry(key);
        let (_, runs) = class.or_insert_with(|| (loops_of_run(tree, run, is_loop), 0));
        *runs += 1;
    }
    let mut reported = LoopsOf::new();
    let mut has_loops: BTreeSet<usize> = BTreeSet::new();
    for ((_, may_lack), (regions, _)) in &classes {
        for (&region, loops) in regions.iter().filter(|(_, loops)| !loops.is_empty()) {
            has_loops.insert(region);
            if !may_lack {
                reported.entry(region).or_default().extend(loops);
            }
        }
    }
    let mut counts: BTreeMap<usize, [u64; 2]> = BTreeMap::new();
    for ((_, may_lack), (regions, runs)) in &classes {
        for (region, loops) in regions.iter().filter(|it| has_loops.contains(it.0)) {
            let known = reported.get(region).filter(|_| *may_lack);
            let is_whole = !loops.is_empty() && known.is_none_or(|known| known.is_subset(loops));
            let [with, all] = counts.entry(*region).or_default();
            *with += if is_whole { *runs } else { 0 };
            *all += runs;
        }
    }
    let partial = counts.into_iter().filter(|(_, [with, all])| with < all);
    let fact = |(region, [runs, of]): (usize, [u64; 2])| GroupFact::LoopsInSomeRuns {
        region: tree.definition(region).name.to_string(),
        runs,
        of,
    };
    partial.map(fact).collect()
}

fn loops_of_run(tree: &EnsembleTree, run: usize, is_loop: impl Fn(usize) -> bool) -> LoopsOf {
    let rows = tree.nodes_of_run(run).iter().zip(tree.parents_in_run(run));
    // By row, the region around it or which it is.
    let mut around: Vec<Option<usize>> = Vec::with_capacity(rows.len());
    let mut found = LoopsOf::new();
    for (&node, &parent) in rows {
        let node = node as usize;
        let outer = around.get(parent as usize).copied().flatten();
        let is_region = &*tree.definition(node).kind == "parallel";
        if is_region {
            found.entry(node).or_default();
        } else if let Some(region) = outer.filter(|_| is_loop(node)) {
            found.entry(region).or_default().insert(node);
        }
        around.push(if is_region { Some(node) } else { outer });
    }
    found
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sheaf_model::table::{ContextRow, DefinitionRow};
    use sheaf_model::{ContextId, DefinitionId, RunId, RunSummary};

    use super::*;

    /// A region with some of the loops `b` and `c`.
    fn run(id: u8, compiler: &str, loops: &[&str]) -> Arc<RunSummary> {
        let rows = [("parallel", "a")].into_iter();
        let rows = rows.chain(loops.iter().map(|name| ("loop", *name)));
        let definition = |(kind, name): (&str, &str)| DefinitionRow {
            id: DefinitionId::new(kind, name, 0).0,
            kind: kind.to_owned(),
            name: name.to_owned(),
            ..DefinitionRow::default()
        };
        let definitions: Vec<_> = rows.map(definition).collect();
        let root = ContextId::root(DefinitionId(definitions[0].id));
        let context = |(row, own): (usize, &DefinitionRow)| {
            let is_root = row == 0;
            let id = if is_root {
                root
            } else {
                root.child(DefinitionId(own.id))
            };
            ContextRow {
                id: id.0,
                parent: (!is_root).then_some(0),
                definition: i32::try_from(row).unwrap(),
                depth: i32::from(!is_root),
            }
        };
        let mut run = RunSummary::empty(RunMeta::new("p", "trace"));
        run.contexts = definitions.iter().enumerate().map(context).collect();
        run.definitions = definitions.into_iter().collect();
        let compiler = ParamValue::Text(compiler.to_owned());
        run.meta_mut().params.insert("compiler".into(), compiler);
        run.meta_mut().id = RunId([id; 16]);
        Arc::new(run)
    }

    fn found(runs: &[Arc<RunSummary>]) -> Vec<(u64, u64)> {
        let tree = EnsembleTree::union(runs.iter().cloned());
        let counts = |fact| match fact {
            GroupFact::LoopsInSomeRuns { region, runs, of } if region == "a" => (runs, of),
            other => panic!("{other:?}"),
        };
        loops_in_some_runs(&tree).into_iter().map(counts).collect()
    }

    #[test]
    fn regions_of_which_some_runs_lack_loops_are_counted() {
        let whole = run(1, "clang 19", &["b", "c"]);
        let (none, some) = (run(2, "GCC 12", &[]), run(3, "GCC 12", &["c"]));
        assert_eq!(found(&[whole.clone(), none.clone()]), [(1, 2)]);
        assert_eq!(found(&[whole.clone(), some.clone()]), [(1, 2)]);
        assert_eq!(
            found(&[whole.clone(), none.clone(), some.clone()]),
            [(1, 3)]
        );
        // Nobody knows of another loop.
        assert_eq!(found(&[some.clone(), run(4, "GCC 12", &["b", "c"])]), []);
        assert_eq!(found(&[some, none]), [(1, 2)]);
        // LLVM's compilers report all loops: this program has other ones.
        assert_eq!(found(&[whole, run(5, "clang 19", &["c"])]), []);
    }
}
