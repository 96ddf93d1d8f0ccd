//! Names and units of metrics as HPCToolkit writes them: `CPUTIME (usec)`, `PAPI_TOT_CYC`.

use std::collections::HashSet;

use sheaf_model::{Direction, MetricKind, Unit};

use crate::measure::{MetricSpec, snake_case};
use crate::profile::{MetricIdx, Profile};

/// A metric with the name that people know it by, where that is not the source's own.
#[derive(Debug, Clone)]
pub(crate) struct Named {
    pub(crate) spec: MetricSpec,
    pub(crate) alias: Option<String>,
}

impl Named {
    /// The metric of a profile.
    pub(crate) fn metric_of(&self, profile: &mut Profile) -> MetricIdx {
        let metric = profile.metric(self.spec.clone());
        if let Some(alias) = &self.alias {
            profile.label(metric, alias);
        }
        metric
    }
}

/// Gives metrics names, each its own.
#[derive(Default)]
pub(crate) struct MetricNames {
    taken: HashSet<String>,
}

impl MetricNames {
    /// The metric `name` of the source, of which `word` states what part of the whole its values
    /// are. Nothing is converted: the unit is the one in the name, else that of `events`.
    pub(crate) fn spec(
        &mut self,
        name: &str,
        word: &str,
        kind: MetricKind,
        events: Unit,
    ) -> MetricSpec {
        let (base, unit, suffix) = match in_parentheses(name) {
            Some((base, unit, suffix)) => (base, unit, suffix),
            None if counts_cycles(name) => (name.to_owned(), Unit::Cycles, "cycles"),
            None => (name.to_owned(), events, ""),
        };
        let plain = snake_case(&format!("{base} {word}"), suffix);
        let mut own = plain.clone();
        let mut number = 2_u32;
        while !self.taken.insert(own.clone()) {
            own = snake_case(&format!("{base} {word} {number}"), suffix);
            number += 1;
        }
        let is_cost = !matches!(unit, Unit::Count | Unit::Unknown | Unit::Bytes);
        MetricSpec {
            name: own,
            unit,
            kind,
            direction: if is_cost {
                Direction::HigherIsWorse
            } else {
                Direction::Neutral
            },
            is_integer: false,
            source: Some(name.to_owned()),
        }
    }
}

/// The name without the unit that stands in it in parentheses.
fn in_parentheses(name: &str) -> Option<(String, Unit, &'static str)> {
    for (start, _) in name.match_indices('(') {
        let rest = name.get(start + 1..)?;
        let (word, rest) = rest.split_once(')')?;
        let (unit, suffix) = match word {
            "nsec" | "ns" => (Unit::Nanoseconds, "ns"),
            "usec" | "us" => (Unit::Microseconds, "us"),
            "sec" | "s" => (Unit::Seconds, "s"),
            "B" | "bytes" => (Unit::Bytes, "bytes"),
            "cycles" => (Unit::Cycles, "cycles"),
            _ => continue,
        };
        return Some((format!("{}{rest}", name.get(..start)?), unit, suffix));
    }
    None
}

fn counts_cycles(name: &str) -> bool {
    name.split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| word.eq_ignore_ascii_case("cyc") || word.eq_ignore_ascii_case("cycles"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_stand_in_names() {
        let mut names = MetricNames::default();
        let mut name = |source: &str| {
            let spec = names.spec(source, "inclusive", MetricKind::Inclusive, Unit::Count);
            format!("{} {}", spec.name, spec.unit)
        };
        let sources = [
            "CPUTIME (usec)",
            "CPUTIME (sec)",
            "cputime (sec)",
            "PAPI_TOT_CYC",
            "GMEM:LUM (B)",
            "PAPI_L2_TCM",
            "f(x) (sec)",
        ];
        assert_eq!(
            sources.map(&mut name).join("\n"),
            "cputime_inclusive_us us\ncputime_inclusive_s s\ncputime_inclusive_2_s s\n\
             papi_tot_cyc_inclusive_cycles cycles\ngmem_lum_inclusive_bytes bytes\n\
             papi_l2_tcm_inclusive count\nf_x_inclusive_s s"
        );
    }
}
