//! Vertical positions: relaxation towards the neighbours, without overlap.

use super::columns::Columns;

/// Rounds at most; a round moves every column twice, once in each direction.
const ROUNDS: usize = 32;
/// Movement below which the positions count as settled.
const SETTLED: f64 = 0.5;
/// How much more invisible slots are drawn than nodes, so that long bands run straight.
const STRAIGHTEN: f64 = 4.0;

/// Which neighbours draw.
#[derive(Clone, Copy)]
enum Side {
    Left,
    Both,
}

/// The top of every slot.
///
/// Each column in turn takes the positions that minimise the weighted squared slopes of its bands,
/// the other columns standing still. That is an isotonic regression, so order and gaps are kept
/// exactly and the sum of squares falls with every step.
pub(super) fn positions(columns: &Columns, height: f64) -> Vec<f64> {
    let mut tops = vec![0.0; columns.slots.len()];
    let offsets: Vec<Vec<f64>> = (0..columns.order.len())
        .map(|column| offsets(columns, column))
        .collect();
    for (column, offsets) in offsets.iter().enumerate() {
        let middle = slack(offsets, height) / 2.0;
        for (&slot, offset) in columns.order[column].iter().zip(offsets) {
            tops[slot] = offset + middle;
        }
    }
    for (column, offsets) in offsets.iter().enumerate() {
        place_column(columns, column, offsets, height, Side::Left, &mut tops);
    }
    let count = columns.order.len();
    for _ in 0..ROUNDS {
        let mut moved = 0.0_f64;
        for column in (0..count).rev().chain(0..count) {
            let step = place_column(
                columns,
                column,
                &offsets[column],
                height,
                Side::Both,
                &mut tops,
            );
            moved = moved.max(step);
        }
        if moved < SETTLED {
            break;
        }
    }
    tops
}

/// Tops of the column's slots when packed from zero, and last their common extent.
fn offsets(columns: &Columns, column: usize) -> Vec<f64> {
    let slots = &columns.order[column];
    let mut offsets = Vec::with_capacity(slots.len() + 1);
    let mut top = 0.0;
    for (index, &slot) in slots.iter().enumerate() {
        if index > 0 {
            top += columns.gap(column, slots[index - 1], slot);
        }
        offsets.push(top);
        top += columns.slots[slot].height;
    }
    offsets.push(top);
    offsets
}

/// Room that the packed column leaves.
fn slack(offsets: &[f64], height: f64) -> f64 {
    (height - offsets.last().copied().unwrap_or(0.0)).max(0.0)
}

/// Moves a column to its best positions and returns the greatest movement.
fn place_column(
    columns: &Columns,
    column: usize,
    offsets: &[f64],
    height: f64,
    side: Side,
    tops: &mut [f64],
) -> f64 {
    let wishes: Vec<(f64, f64)> = columns.order[column]
        .iter()
        .zip(offsets)
        .map(|(&slot, offset)| {
            let (top, weight) = wish(columns, slot, side, tops);
            (top - offset, weight)
        })
        .collect();
    let slack = slack(offsets, height);
    let mut moved = 0.0_f64;
    for ((&slot, offset), free) in columns.order[column]
        .iter()
        .zip(offsets)
        .zip(isotonic(&wishes))
    {
        let top = offset + free.clamp(0.0, slack);
        moved = moved.max((top - tops[slot]).abs());
        tops[slot] = top;
    }
    moved
}

/// Where the bands of a slot draw its top, and how strongly.
fn wish(columns: &Columns, slot: usize, side: Side, tops: &[f64]) -> (f64, f64) {
    let (mut sum, mut weight) = (0.0, 0.0);
    let mut draw = |other: usize, shift: f64, pull: f64| {
        let invisible = columns.slots[slot]
            .node
            .or(columns.slots[other].node)
            .is_none();
        let pull = if invisible { STRAIGHTEN * pull } else { pull };
        sum += pull * (tops[other] + shift);
        weight += pull;
    };
    for &index in &columns.slots[slot].incoming {
        let segment = &columns.segments[index];
        let shift = segment.source_middle - segment.target_middle;
        draw(segment.source, shift, segment.pull);
    }
    if matches!(side, Side::Both) {
        for &index in &columns.slots[slot].outgoing {
            let segment = &columns.segments[index];
            let shift = segment.target_middle - segment.source_middle;
            draw(segment.target, shift, segment.pull);
        }
    }
    if weight > 0.0 {
        (sum / weight, weight)
    } else {
        // Nothing draws it: stay, but give way to everything.
        (tops[slot], 1e-6)
    }
}

/// The non-decreasing sequence closest to the values in weighted squares, by pooling adjacent
/// violators (Ayer et al. 1955). Elements are (value, positive weight).
fn isotonic(values: &[(f64, f64)]) -> Vec<f64> {
    let mut pools: Vec<(f64, f64, usize)> = Vec::with_capacity(values.len());
    for &(value, weight) in values {
        let mut pool = (value, weight, 1);
        while let Some(&(above, above_weight, size)) = pools.last() {
            if above <= pool.0 {
                break;
            }
            pools.pop();
            let sum = above_weight + pool.1;
            pool = (
                (above * above_weight + pool.0 * pool.1) / sum,
                sum,
                size + pool.2,
            );
        }
        pools.push(pool);
    }
    pools
        .into_iter()
        .flat_map(|(value, _, size)| std::iter::repeat_n(value, size))
        .collect()
}
