//! Facts about the run in a graph that Grainsheaf exported.

/// An attribute of the graph as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fact {
    Exporter,
    Complete,
    Workers,
}

impl Fact {
    /// The fact that an attribute of this name states.
    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "exporter" => Self::Exporter,
            "complete" => Self::Complete,
            "workers" => Self::Workers,
            _ => return None,
        })
    }
}

/// The attributes of a graph. Those of graphs that other tools wrote have no effect.
#[derive(Debug, Default)]
pub(super) struct About {
    is_own: bool,
    is_incomplete: bool,
    workers: Option<i64>,
}

impl About {
    /// Takes the value of an attribute.
    pub(super) fn set(&mut self, fact: Fact, value: &str) {
        let value = value.trim_ascii();
        match fact {
            Fact::Exporter => self.is_own = value == "grainsheaf",
            Fact::Complete => self.is_incomplete = value == "false",
            Fact::Workers => {
                let number: Option<u32> = value.parse().ok();
                self.workers = number.filter(|number| *number > 0).map(i64::from);
            }
        }
    }

    /// Whether the run was incomplete when it was exported.
    pub(super) fn is_incomplete(&self) -> bool {
        self.is_own && self.is_incomplete
    }

    /// The number of workers of the exported run.
    pub(super) fn workers(&self) -> Option<i64> {
        self.workers.filter(|_| self.is_own)
    }
}
