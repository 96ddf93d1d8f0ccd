//! Small graphs as golden text, and what must hold for every graph.

use super::*;
use sheaf_statistics::Random;
use std::collections::BTreeMap;
use std::fmt::Write as _;

const SMALL: LayoutOptions = LayoutOptions {
    width: 210.0,
    height: 100.0,
    node_width: 10.0,
    padding: 10.0,
    min_height: 2.0,
};

/// Reads `name level weight` and `name > name weight` lines.
fn graph(text: &str) -> (Vec<LayoutNode>, Vec<LayoutEdge>) {
    let (mut nodes, mut edges): (Vec<LayoutNode>, Vec<LayoutEdge>) = (Vec::new(), Vec::new());
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let index = |name: &str| nodes.iter().position(|node| node.name == name).unwrap();
        match words[..] {
            [source, ">", target, weight] => edges.push(LayoutEdge {
                source: index(source),
                target: index(target),
                weight: weight.parse().unwrap(),
            }),
            [name, level, weight] => nodes.push(LayoutNode {
                level: level.parse().unwrap(),
                weight: weight.parse().unwrap(),
                name: name.to_owned(),
            }),
            _ => panic!("cannot read `{line}`"),
        }
    }
    (nodes, edges)
}

fn dump(nodes: &[LayoutNode], edges: &[LayoutEdge], layout: &Layout) -> String {
    // Adding zero turns a rounded −0 into 0.
    let round = |value: f64| (value * 10.0).round() / 10.0 + 0.0;
    let mut lines = Vec::new();
    for (node, rect) in nodes.iter().zip(&layout.nodes) {
        let (x, y) = (round(rect.x), round(rect.y));
        let (width, height) = (round(rect.width), round(rect.height));
        lines.push(format!("{} {x},{y} {width}x{height}", node.name));
    }
    for (edge, band) in edges.iter().zip(&layout.bands) {
        let mut line = format!("{} > {}", nodes[edge.source].name, nodes[edge.target].name);
        for point in band {
            let (x, y, height) = (round(point.x), round(point.y), round(point.height));
            write!(line, " {x},{y}:{height}").unwrap();
        }
        lines.push(line);
    }
    lines.sort();
    lines.join("\n")
}

fn check(input: &str, expected: &str) {
    let (nodes, edges) = graph(input);
    let layout = layout_sankey(&nodes, &edges, &SMALL);
    let expected: Vec<&str> = expected.trim().lines().map(str::trim).collect();
    assert_eq!(dump(&nodes, &edges, &layout), expected.join("\n"));
}

/// A graph in which every node but the roots has a caller and some have more.
fn random_graph(random: &mut Random, size: usize) -> (Vec<LayoutNode>, Vec<LayoutEdge>) {
    let mut nodes: Vec<LayoutNode> = Vec::new();
    let mut edges = Vec::new();
    for target in 0..size {
        let callers = if target == 0 { 0 } else { 1 + random.below(3) };
        let sources: Vec<usize> = (0..callers).map(|_| random.below(target)).collect();
        let level = sources.iter().map(|&source| nodes[source].level + 1).max();
        nodes.push(LayoutNode {
            level: level.unwrap_or(0),
            weight: random.below(1000) as f64,
            name: format!("n{target}"),
        });
        edges.extend(sources.into_iter().map(|source| LayoutEdge {
            source,
            target,
            weight: random.below(500) as f64,
        }));
    }
    (nodes, edges)
}

fn check_properties(nodes: &[LayoutNode], layout: &Layout, options: &LayoutOptions) {
    let mut by_level: BTreeMap<u32, Vec<Geometry>> = BTreeMap::new();
    for (node, rect) in nodes.iter().zip(&layout.nodes) {
        for value in [rect.x, rect.y, rect.width, rect.height] {
            assert!(value.is_finite(), "{rect:?}");
        }
        assert!(rect.x >= 0.0 && rect.x + rect.width <= options.width + 1e-6);
        assert!(
            rect.y >= 0.0 && rect.y + rect.height <= options.height + 1e-6,
            "{rect:?}"
        );
        by_level.entry(node.level).or_default().push(*rect);
    }
    for point in layout.bands.iter().flatten() {
        assert!(point.x.is_finite() && point.y.is_finite() && point.height.is_finite());
        assert!(point.y >= -1e-6 && point.y + point.height <= options.height + 1e-6);
    }
    for column in by_level.values_mut() {
        column.sort_by(|a, b| a.y.total_cmp(&b.y));
        for pair in column.windows(2) {
            assert!(pair[0].y + pair[0].height <= pair[1].y + 1e-6, "{pair:?}");
        }
        // No band runs under a node that it does not touch.
        for (point, rect) in layout
            .bands
            .iter()
            .flat_map(|band| inner(band))
            .flat_map(|point| column.iter().map(move |rect| (point, rect)))
        {
            let inside = (point.x - rect.x).abs() < 1e-6;
            let apart =
                point.y + point.height <= rect.y + 1e-6 || rect.y + rect.height <= point.y + 1e-6;
            assert!(!inside || apart, "{point:?} {rect:?}");
        }
    }
}

/// Points of a band at columns that it crosses.
fn inner(band: &[Point]) -> &[Point] {
    band.get(1..band.len().saturating_sub(1)).unwrap_or(&[])
}

#[test]
fn exclusive_part_stays_free_at_the_bottom() {
    check(
        "
        main 0 10
        a 1 5
        b 1 3
        main > a 5
        main > b 3",
        "
        a 200,0 10x50
        b 200,60 10x30
        main 0,0 10x100
        main > a 10,0:50 200,0:50
        main > b 10,50:30 200,60:30",
    );
}

#[test]
fn maxima_may_exceed_the_caller() {
    // The paper's example: 20 + 10 + 35 out of a node of 40.
    check(
        "
        m 0 40
        a 1 20
        b 1 10
        c 1 35
        m > a 20
        m > b 10
        m > c 35",
        "
        a 200,53.1 10x24.6
        b 200,87.7 10x12.3
        c 200,0 10x43.1
        m 0,21.5 10x49.2
        m > a 10,48:15.1 200,53.1:24.6
        m > b 10,63.2:7.6 200,87.7:12.3
        m > c 10,21.5:26.5 200,0:43.1",
    );
}

#[test]
fn bands_pass_beside_nodes() {
    check(
        "
        a 0 10
        b 1 6
        c 2 9
        a > b 6
        a > c 4
        b > c 5",
        "
        a 0,4 10x90
        a > b 10,4:54 100,0:54
        a > c 10,58:36 100,64:36 110,64:36 200,53.4:36
        b 100,0 10x54
        b > c 110,0:45 200,8.4:45
        c 200,8.4 10x81",
    );
}

#[test]
fn crossings_are_resolved() {
    check(
        "
        r 0 10
        a 1 6
        b 1 4
        x 2 4
        y 2 3
        r > a 6
        r > b 4
        a > y 3
        b > x 4",
        "
        a 100,0 10x54
        a > y 110,0:27 200,0:27
        b 100,64 10x36
        b > x 110,64:36 200,64:36
        r 0,4 10x90
        r > a 10,4:54 100,0:54
        r > b 10,58:36 100,64:36
        x 200,64 10x36
        y 200,0 10x27",
    );
}

#[test]
fn awkward_input_has_a_place() {
    let empty = layout_sankey(&[], &[], &SMALL);
    assert_eq!(empty, Layout::default());
    check("main 0 7", "main 0,0 10x100");
    check("main 0 0", "main 0,49 10x2");
    check(
        "a 0 NaN\nb 4000000000 -1\na > b 0\nb > a 3",
        "a 0,49 10x2\na > b 10,49:0 200,49:0\nb 200,49 10x2\nb > a",
    );
    let (nodes, mut edges) = graph("a 0 1\nb 1 1\na > b inf");
    edges.push(LayoutEdge {
        source: 7,
        target: 1,
        weight: 1.0,
    });
    let layout = layout_sankey(&nodes, &edges, &SMALL);
    assert!(layout.bands[1].is_empty());
    check_properties(&nodes, &layout, &SMALL);
    let nowhere = LayoutOptions {
        width: 0.0,
        height: f64::NAN,
        ..SMALL
    };
    check_properties(
        &nodes,
        &layout_sankey(&nodes, &edges, &nowhere),
        &nowhere.sane(),
    );
}

#[test]
fn a_crowded_column_still_fits() {
    let nodes: Vec<LayoutNode> = (0..300_u32)
        .map(|index| LayoutNode {
            level: 0,
            weight: f64::from(index),
            name: format!("n{index}"),
        })
        .collect();
    let layout = layout_sankey(&nodes, &[], &SMALL);
    check_properties(&nodes, &layout, &SMALL);
    assert!(layout.scale > 0.0);
}

#[test]
fn one_scale_and_least_height_hold_for_all_nodes() {
    let mut random = Random::new(3);
    let options = LayoutOptions::default();
    for _ in 0..30 {
        let (nodes, edges) = random_graph(&mut random, 30);
        let layout = layout_sankey(&nodes, &edges, &options);
        for (node, rect) in nodes.iter().zip(&layout.nodes) {
            let expected = (node.weight * layout.scale).max(options.min_height);
            assert!((rect.height - expected).abs() < 1e-6, "{node:?} {rect:?}");
        }
    }
}

#[test]
fn bands_leave_and_enter_within_their_nodes() {
    let mut random = Random::new(4);
    for _ in 0..30 {
        let (nodes, edges) = random_graph(&mut random, 40);
        let layout = layout_sankey(&nodes, &edges, &LayoutOptions::default());
        for (edge, band) in edges.iter().zip(&layout.bands) {
            let (source, target) = (layout.nodes[edge.source], layout.nodes[edge.target]);
            for (point, rect) in [(band[0], source), (band[band.len() - 1], target)] {
                assert!(rect.y - 1e-6 <= point.y);
                assert!(point.y + point.height <= rect.y + rect.height + 1e-6);
            }
            let levels = nodes[edge.target].level - nodes[edge.source].level;
            assert_eq!(band.len(), 2 * levels as usize);
        }
    }
}

#[test]
fn order_of_the_input_does_not_matter() {
    let mut random = Random::new(1);
    for size in [2, 5, 20, 60] {
        let (nodes, edges) = random_graph(&mut random, size);
        let first = layout_sankey(&nodes, &edges, &SMALL);
        check_properties(&nodes, &first, &SMALL);
        let mut order: Vec<usize> = (0..size).collect();
        random.shuffle(&mut order);
        let place = |node: usize| order.iter().position(|&old| old == node).unwrap();
        let shuffled: Vec<LayoutNode> = order.iter().map(|&node| nodes[node].clone()).collect();
        let mut moved: Vec<LayoutEdge> = edges
            .iter()
            .map(|edge| LayoutEdge {
                source: place(edge.source),
                target: place(edge.target),
                ..*edge
            })
            .collect();
        random.shuffle(&mut moved);
        let second = layout_sankey(&shuffled, &moved, &SMALL);
        assert_eq!(
            dump(&nodes, &edges, &first),
            dump(&shuffled, &moved, &second)
        );
        for (index, &old) in order.iter().enumerate() {
            assert_eq!(first.nodes[old], second.nodes[index]);
        }
    }
}

#[test]
fn five_hundred_nodes_are_quick() {
    let (nodes, edges) = random_graph(&mut Random::new(2), 500);
    let layout = layout_sankey(&nodes, &edges, &LayoutOptions::default());
    check_properties(&nodes, &layout, &LayoutOptions::default());
}
