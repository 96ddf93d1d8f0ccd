//! What pictures are drawn from: Sankey, hierarchy, distribution.

use sheaf_answers as api;
use sheaf_ensemble::{
    Bin, DistributionAnswer, DistributionMode, EdgeKind, HierarchyAnswer, Histogram, NodeKind,
    SankeyAnswer, SankeyEdge, SankeyNode, Site, SiteId,
};

use super::stats::{box_plot, modes};

/// The ensemble-Sankey.
pub(crate) fn sankey(answer: SankeyAnswer) -> api::Sankey {
    api::Sankey {
        schema: "sankey/1".to_owned(),
        lens: answer.lens.to_string(),
        runs: ids(&answer.runs),
        metric: answer.metric,
        unit: answer.unit,
        direction: answer.direction,
        over: answer.over.to_string(),
        grouped_by: answer.grouped_by.to_owned(),
        nodes: answer.nodes.into_iter().map(node).collect(),
        edges: answer.edges.into_iter().map(edge).collect(),
        levels: answer.levels,
        max_bin_count: answer.max_bin_count,
        max_exclusive: answer.max_exclusive,
        width: answer.width,
        height: answer.height,
        common_share: answer.common_share,
        hidden: answer.hidden,
        notes: answer.notes,
    }
}

fn ids(runs: &[sheaf_model::RunId]) -> Vec<String> {
    runs.iter().map(ToString::to_string).collect()
}

fn node(node: SankeyNode) -> api::SankeyNode {
    let entries = node
        .entry_functions
        .into_iter()
        .map(|entry| api::EntryFunction {
            name: entry.name,
            max_inclusive: entry.max_inclusive,
        });
    api::SankeyNode {
        id: node.id.to_string(),
        name: node.name,
        kind: match node.kind {
            NodeKind::Module => api::NodeKind::Module,
            NodeKind::File => api::NodeKind::File,
            NodeKind::Definition => api::NodeKind::Definition,
            NodeKind::Context => api::NodeKind::Context,
            NodeKind::Others => api::NodeKind::Others,
        },
        definition_kind: node.definition_kind,
        module: node.module,
        source: node.source,
        level: node.level,
        inclusive_by_run: node.inclusive_by_run,
        exclusive_by_run: node.exclusive_by_run,
        max_inclusive: node.max_inclusive,
        max_exclusive: node.max_exclusive,
        present: node.present,
        count: node.count,
        histogram: histogram(node.histogram),
        entry_functions: entries.collect(),
        entry_function_count: node.entry_function_count,
        is_recursive: node.is_recursive,
        members: node.members,
        geometry: api::Geometry {
            x: node.geometry.x,
            y: node.geometry.y,
            width: node.geometry.width,
            height: node.geometry.height,
        },
    }
}

fn edge(edge: SankeyEdge) -> api::SankeyEdge {
    let point = |point: &sheaf_ensemble::BandPoint| api::Point {
        x: point.x,
        y: point.y,
        height: point.height,
    };
    api::SankeyEdge {
        source: edge.source,
        target: edge.target,
        kind: match edge.kind {
            EdgeKind::Forward => api::EdgeKind::Forward,
            EdgeKind::Back => api::EdgeKind::Back,
        },
        inclusive_by_run: edge.inclusive_by_run,
        max_inclusive: edge.max_inclusive,
        present: edge.present,
        band: edge.band.iter().map(point).collect(),
    }
}

fn histogram(histogram: Histogram) -> api::Histogram {
    api::Histogram {
        min: histogram.min,
        max: histogram.max,
        counts: histogram.counts,
        bin_of: histogram.bin_of,
    }
}

/// The tree inside a group.
pub(crate) fn hierarchy(answer: HierarchyAnswer) -> api::Hierarchy {
    api::Hierarchy {
        schema: "hierarchy/1".to_owned(),
        lens: answer.lens.to_string(),
        group: answer.group.to_string(),
        name: answer.name,
        runs: ids(&answer.runs),
        unit: answer.unit,
        sites: answer.sites.into_iter().map(site).collect(),
        omitted: answer.omitted,
        recursive_edges_cut: answer.recursive_edges_cut,
        max_bin_count: answer.max_bin_count,
        max_exclusive: answer.max_exclusive,
        notes: answer.notes,
    }
}

fn site(site: Site) -> api::Site {
    api::Site {
        id: match site.id {
            SiteId::Context(id) | SiteId::Path(id) => id.to_string(),
            SiteId::Group(id) => id.to_string(),
        },
        parent: site.parent,
        name: site.name,
        kind: site.kind,
        source: site.source,
        depth: site.depth,
        inclusive_by_run: site.inclusive_by_run,
        exclusive_by_run: site.exclusive_by_run,
        max_inclusive: site.max_inclusive,
        max_exclusive: site.max_exclusive,
        present: site.present,
        histogram: histogram(site.histogram),
    }
}

/// What is counted, from the wire.
pub(crate) const fn mode(mode: api::DistributionMode) -> DistributionMode {
    match mode {
        api::DistributionMode::Runs => DistributionMode::Runs,
        api::DistributionMode::CallSites => DistributionMode::CallSites,
        api::DistributionMode::Ranks => DistributionMode::Ranks,
        api::DistributionMode::Workers => DistributionMode::Workers,
    }
}

/// A histogram of one group.
pub(crate) fn distribution(answer: DistributionAnswer) -> api::Distribution {
    api::Distribution {
        schema: "distribution/1".to_owned(),
        lens: answer.lens.to_string(),
        group: answer.group.to_string(),
        name: answer.name,
        metric: answer.metric,
        scope: answer.scope,
        unit: answer.unit,
        mode: match answer.mode {
            DistributionMode::Runs => api::DistributionMode::Runs,
            DistributionMode::CallSites => api::DistributionMode::CallSites,
            DistributionMode::Ranks => api::DistributionMode::Ranks,
            DistributionMode::Workers => api::DistributionMode::Workers,
        },
        bins: answer.bins.into_iter().map(bin).collect(),
        count: answer.count,
        absent: answer.absent,
        quantiles: answer.quantiles,
        box_plot: answer.box_plot.map(box_plot),
        modes: answer.modes.map(modes),
        dip: answer.dip.map(|test| test.dip),
        dip_p: answer.dip.map(|test| test.p),
        values: answer.values,
        notes: answer.notes,
    }
}

fn bin(bin: Bin) -> api::Bin {
    api::Bin {
        lo: bin.lo,
        hi: bin.hi,
        count: bin.count,
        target_count: bin.target_count,
        baseline_count: bin.baseline_count,
        runs: ids(&bin.runs),
        members: bin.members,
    }
}
