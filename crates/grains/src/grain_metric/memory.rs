//! Memory: stalls, computation per stall, footprint.

use sheaf_model::{Direction, Unit};

use super::{AbsenceReason, Evaluation, GrainMetric, Need, PAPER, RATIO, TOOL, Values};
use crate::aggregation::Propagation;

/// Cycles stalled on a resource.
const STALLS: &[&str] = &["PAPI_RES_STL_sum", "PAPI_RES_STL", "stalled_cycles_backend"];
const FOOTPRINT: &[&str] = &["mem_fp"];
const INSTRUCTIONS: &[&str] = &["ins_count"];

pub(super) const METRICS: [GrainMetric; 4] = [
    GrainMetric {
        id: "mem_hier_util",
        definition: "Cycles stalled on a resource per cycle of work.",
        // The aggregation tool takes the least of a group, which hides the problem.
        citation: TOOL,
        needs: &[Need::Measure(STALLS)],
        given_as: &["mem_hier_util"],
        compute: |evaluation| {
            let (stalls, work) = cycles(evaluation)?;
            Ok(ratios(stalls.iter(), work.iter()))
        },
        ..RATIO
    },
    GrainMetric {
        id: "memory_hierarchy_utilisation",
        direction: Direction::HigherIsBetter,
        definition: "Cycles of work per cycle stalled on a resource.",
        citation: PAPER,
        needs: &[Need::Measure(STALLS)],
        propagation: Propagation::Minimum,
        compute: |evaluation| {
            let (stalls, work) = cycles(evaluation)?;
            Ok(ratios(work.iter(), stalls.iter()))
        },
        ..RATIO
    },
    GrainMetric {
        id: "compute_int",
        direction: Direction::HigherIsBetter,
        definition: "Instructions per byte touched.",
        citation: TOOL,
        needs: &[Need::Measure(INSTRUCTIONS), Need::Measure(FOOTPRINT)],
        propagation: Propagation::Minimum,
        given_as: &["compute_int"],
        compute: |evaluation| {
            let instructions = evaluation.measures().get(INSTRUCTIONS)?;
            let bytes = evaluation.measures().get(FOOTPRINT)?;
            Ok(ratios(instructions.iter(), bytes.iter()))
        },
        ..RATIO
    },
    GrainMetric {
        id: "mem_fp_bytes",
        unit: Unit::Bytes,
        definition: "Bytes of memory touched.",
        citation: TOOL,
        needs: &[Need::Measure(FOOTPRINT)],
        given_as: FOOTPRINT,
        compute: |evaluation| evaluation.measures().get(FOOTPRINT),
        ..RATIO
    },
];

/// Stalled cycles and cycles of work.
fn cycles(evaluation: &Evaluation<'_>) -> Result<(Values, Values), AbsenceReason> {
    let stalls = evaluation.measures().get(STALLS)?;
    let work = evaluation.measures().work_cycles()?;
    Ok((stalls, Values::Integers(work)))
}

/// Absent where an operand is, and where the divisor is not positive.
fn ratios(
    dividends: impl Iterator<Item = Option<f64>>,
    divisors: impl Iterator<Item = Option<f64>>,
) -> Values {
    let both = dividends.zip(divisors);
    let ratio = both.map(|(dividend, by)| Some(dividend? / by.filter(|&by| by > 0.0)?));
    Values::Floats(ratio.collect())
}
