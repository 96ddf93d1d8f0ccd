//! Causes in English.

use super::{change, difference, number, percent, quantity};
use sheaf_model::ProgramPart;

use crate::{Association, CauseKind};

/// Share from which a sentence counts differences instead of percent.
const MAX_PERCENT: f64 = 10.0;

/// A cause in a sentence. `names` go from the outermost group, and are empty where the cause concerns the whole run;
/// `share` is that of the difference.
pub fn cause(
    kind: CauseKind,
    names: &[String],
    part: Option<ProgramPart>,
    (unit, delta): (&str, f64),
    share: Option<f64>,
) -> String {
    let name = names
        .last()
        // A backtick in a name would end the name.
        .map_or_else(String::new, |name| format!("`{}`", name.replace('`', "'")));
    let words = Words {
        name: &name,
        amount: quantity(unit, delta.abs()),
        is_more: delta > 0.0,
    };
    let text = match kind {
        CauseKind::Inflation
        | CauseKind::Grains
        | CauseKind::New
        | CauseKind::Vanished
        | CauseKind::OffCpu => words.of_work(kind),
        CauseKind::Lock
        | CauseKind::Mpi
        | CauseKind::Creation
        | CauseKind::Synchronisation
        | CauseKind::Continuation
        | CauseKind::Dependence
        | CauseKind::Scheduling => words.of_wait(kind),
        CauseKind::Mean | CauseKind::Imbalance => words.of_rank(kind, part),
        CauseKind::NotExplained => format!("{} is not explained", difference(unit, delta)),
        CauseKind::Delay
        | CauseKind::NoWork
        | CauseKind::Idle
        | CauseKind::Workers
        | CauseKind::Before
        | CauseKind::After => words.of_run(kind),
    };
    match share.filter(|share| share.is_finite()) {
        Some(share) => format!("{text} ({})", of_difference(share)),
        None => text,
    }
}

/// A share of the difference; causes that cancel out are many times as large as what remains.
fn of_difference(share: f64) -> String {
    if share.abs() < MAX_PERCENT {
        format!("{} of the difference", percent(share))
    } else {
        format!("{} times the difference", number(share))
    }
}

/// Metrics that moved with a cause, with their changes; `None` without any.
pub fn associated(all: &[Association]) -> Option<String> {
    let shown = |it: &Association| format!("{} {}", it.metric, change(it.ratio - 1.0));
    let shown: Vec<String> = all.iter().map(shown).collect();
    (!shown.is_empty()).then(|| shown.join(", "))
}

/// The parts of a sentence.
struct Words<'a> {
    name: &'a str,
    amount: String,
    is_more: bool,
}

impl Words<'_> {
    const fn either<'a>(&self, more: &'a str, less: &'a str) -> &'a str {
        if self.is_more { more } else { less }
    }

    fn longer(&self) -> String {
        format!("{} {}", self.amount, self.either("longer", "less"))
    }

    fn later(&self) -> String {
        format!("{} {}", self.amount, self.either("later", "earlier"))
    }

    fn of_work(&self, kind: CauseKind) -> String {
        let Self { name, amount, .. } = self;
        match kind {
            CauseKind::Inflation => {
                format!(
                    "grains of {name} that both sides have take {}",
                    self.longer()
                )
            }
            CauseKind::New | CauseKind::Vanished => {
                let which = if kind == CauseKind::New {
                    "new"
                } else {
                    "vanished"
                };
                // Work that moves to their parents or from them is part of it, so both signs occur.
                let verb = self.either("cost", "save");
                format!("{which} grains of {name} {verb} {amount} on balance")
            }
            CauseKind::OffCpu => {
                format!(
                    "threads are without a processor for {} in {name}",
                    self.longer()
                )
            }
            _ => {
                let which = self.either("more", "fewer");
                let verb = self.either("add", "save");
                format!("{which} or other grains of {name} {verb} {amount}")
            }
        }
    }

    fn of_wait(&self, kind: CauseKind) -> String {
        let (name, longer, later) = (self.name, self.longer(), self.later());
        match kind {
            CauseKind::Lock => format!("waits for {name} take {longer}"),
            CauseKind::Mpi => format!("calls of MPI in {name} take {longer}"),
            CauseKind::Creation => {
                format!("the path waits {longer} for the begin of {name} after its creation")
            }
            CauseKind::Synchronisation => {
                format!("{name} continues {later} after the wait is over")
            }
            CauseKind::Dependence => format!("{name} begins {later} after what it depends on"),
            CauseKind::Scheduling => {
                format!("{name} waits {longer} while its worker runs other grains")
            }
            _ => format!("{name} pauses {longer} between its fragments"),
        }
    }

    fn of_rank(&self, kind: CauseKind, part: Option<ProgramPart>) -> String {
        let name = self.name;
        let part = match part {
            Some(ProgramPart::Mpi) => " (MPI)",
            Some(ProgramPart::Io) => " (files)",
            Some(ProgramPart::Computation) | None => "",
        };
        if kind == CauseKind::Mean {
            return format!("{name}{part} takes {} on average over ranks", self.longer());
        }
        let more = self.either("more", "less");
        format!(
            "the slowest rank spends {} {more} than before in {name}{part}, compared with the mean rank",
            self.amount
        )
    }

    fn of_run(&self, kind: CauseKind) -> String {
        let longer = self.longer();
        match kind {
            CauseKind::Delay => format!("workers are idle {longer} although grains are ready"),
            CauseKind::NoWork => format!("workers are idle {longer} because no grain is ready"),
            CauseKind::Workers => {
                let change = self.either("fewer workers cost", "more workers save");
                format!(
                    "{change} {}, if everything were divided ideally",
                    self.amount
                )
            }
            CauseKind::Before => {
                format!("the program begins its first fragment {}", self.later())
            }
            CauseKind::After => format!("the end of the run takes {longer}"),
            _ => format!("workers are idle {longer}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(share: f64) -> String {
        cause(CauseKind::Delay, &[], None, ("ns", 2e6), Some(share))
    }

    #[test]
    fn grains_of_one_side_cost_or_save() {
        let of = |kind, delta| cause(kind, &["f".to_owned()], None, ("ns", delta), None);
        let texts = [
            of(CauseKind::New, 2e6),
            of(CauseKind::New, -2e6),
            of(CauseKind::Vanished, -2e6),
            of(CauseKind::Vanished, 2e6),
        ];
        let expected = [
            "new grains of `f` cost 2.00 ms on balance",
            "new grains of `f` save 2.00 ms on balance",
            "vanished grains of `f` save 2.00 ms on balance",
            "vanished grains of `f` cost 2.00 ms on balance",
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn a_large_share_is_a_multiple_of_the_difference() {
        let texts = [0.125, -0.5, 9.99, 10.0, -98.54, f64::INFINITY].map(shared);
        let ends = texts.map(|text| text.split_once(" (").map(|(_, end)| end.to_owned()));
        let expected = [
            Some("12.5 % of the difference)"),
            Some("−50 % of the difference)"),
            Some("999 % of the difference)"),
            Some("10.0 times the difference)"),
            Some("−98.5 times the difference)"),
            None,
        ];
        assert_eq!(ends.each_ref().map(Option::as_deref), expected);
    }
}
