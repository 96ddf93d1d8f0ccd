//! Attributes: what the values of a record stream are values of.

use sheaf_model::ParamValue;

use crate::measure::{MetricSpec, Value};

use super::metric::{Described, spec};
use super::number;

/// Property bits of an attribute.
mod property {
    pub(super) const AS_VALUE: u32 = 1;
    pub(super) const HIDDEN: u32 = 128;
    pub(super) const NESTED: u32 = 256;
    pub(super) const GLOBAL: u32 = 512;
    pub(super) const AGGREGATABLE: u32 = 2048;
}

/// Type of an attribute's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Sort {
    Integer,
    Float,
    #[default]
    Text,
}

impl Sort {
    pub(super) fn of(name: &str) -> Self {
        match name {
            "int" | "uint" => Self::Integer,
            "double" => Self::Float,
            _ => Self::Text,
        }
    }

    /// A parameter of this type; texts are typed by their form.
    pub(super) fn param(self, text: &str) -> ParamValue {
        let number = match self {
            Self::Integer | Self::Float => {
                text.parse().ok().filter(|number: &f64| number.is_finite())
            }
            Self::Text => None,
        };
        number.map_or_else(|| ParamValue::infer(text), ParamValue::Number)
    }
}

/// What an attribute is to a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Part of the call path.
    Path,
    /// Measured, inline in records.
    Metric,
    /// The number of the process.
    Rank,
    /// The number of the thread.
    Thread,
    /// The first iteration of a time window; a number like a metric.
    Window,
    /// Which of several measurements of the run a record is of.
    Channel,
    /// `kernel`, or the activity itself.
    CuptiActivity,
    CuptiKernel,
    RocmActivity,
    RocmKernel,
    /// The function in which a sample was taken, in place of the last frame.
    SampledFunction,
    SampledModule,
    /// Neither measured nor part of the path.
    Other,
}

/// What a node of the metadata tree states about attributes defined below it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Traits {
    pub(super) properties: u32,
    pub(super) sort: Sort,
    /// Nodes whose text is the alias and the unit.
    pub(super) alias: Option<u32>,
    pub(super) unit: Option<u32>,
    /// Counts iterations of a loop.
    pub(super) is_iteration: bool,
}

/// Bytes of an attribute's name, alias and unit that are kept: they are repeated for every node.
const MAX_NAME: usize = 256;

/// The beginning of a name that is too long.
fn cut(name: &str) -> &str {
    let mut end = name.len().min(MAX_NAME);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    name.get(..end).unwrap_or_default()
}

/// A defined attribute.
#[derive(Debug)]
pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) sort: Sort,
    /// Of metrics; the name is unique in the file.
    pub(super) spec: Option<MetricSpec>,
    pub(super) alias: Option<String>,
}

impl Attribute {
    pub(super) fn new(
        name: &str,
        traits: &Traits,
        alias: Option<&str>,
        unit: Option<&str>,
    ) -> Self {
        let name = cut(name);
        let (alias, unit) = (alias.map(cut), unit.map(cut));
        let role = role(name, traits);
        let spec = matches!(role, Role::Metric | Role::Window).then(|| {
            spec(&Described {
                name,
                alias,
                unit,
                is_integer: traits.sort == Sort::Integer,
                is_additive: traits.properties & property::AGGREGATABLE != 0
                    && !name.ends_with(".iterations"),
            })
        });
        Self {
            name: name.to_owned(),
            role,
            sort: traits.sort,
            spec,
            alias: alias.map(str::to_owned),
        }
    }

    /// A value in the text of a record. What an integer attribute holds may turn out to be a
    /// float all the same; integers beyond 63 bits are none of ours.
    pub(super) fn value(&self, text: &[u8]) -> Option<Value> {
        if self.sort == Sort::Integer && !text.contains(&b'.') {
            return number::integer(text).map(Value::Integer);
        }
        number::float(text).map(Value::Float)
    }
}

fn role(name: &str, traits: &Traits) -> Role {
    let has = |bits| traits.properties & bits != 0;
    match name {
        _ if has(property::HIDDEN) || has(property::GLOBAL) => Role::Other,
        _ if has(property::NESTED) => Role::Path,
        "spot.channel" => Role::Channel,
        "mpi.rank" => Role::Rank,
        "omp.thread.id" | "thread.id" | "pthread.id" => Role::Thread,
        "loop.start_iteration" => Role::Window,
        "cupti.activity.kind" => Role::CuptiActivity,
        "cupti.kernel.name" => Role::CuptiKernel,
        "rocm.activity" => Role::RocmActivity,
        "rocm.kernel.name" => Role::RocmKernel,
        "source.function#cali.sampler.pc" => Role::SampledFunction,
        "module#cali.sampler.pc" => Role::SampledModule,
        _ if has(property::AS_VALUE) && traits.sort != Sort::Text && !traits.is_iteration => {
            Role::Metric
        }
        _ => Role::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_typed() {
        assert_eq!(Sort::Float.param("4.500"), ParamValue::Number(4.5));
        assert_eq!(Sort::Text.param("1.20"), ParamValue::Text("1.20".into()));
        assert_eq!(Sort::Float.param("nan"), ParamValue::Text("nan".into()));
    }
}
