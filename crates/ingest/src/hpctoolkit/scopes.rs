//! The source's own tree, and which part of a value is a scope's own.
//!
//! Both generations store one value of a scope that holds those of scopes in it: a procedure's
//! exclusive value holds its statements', a call site's inclusive value that of its callees. In
//! our tree a call site is not a node, as its line would be part of every path below: calls from
//! several lines of a procedure are one node, and what a call site has of its own is that of a
//! statement on its line.

use crate::hpctoolkit::frames::{PartIdx, Procedures};
use crate::hpctoolkit::metrics::Named;
use crate::measure::Value;
use crate::profile::{LocationIdx, NodeIdx, Profile};

/// Stands for the parent of outermost scopes.
pub(crate) const NONE: u32 = u32::MAX;

/// Differences of floats that are no more than rounding, as a share of the whole.
const ROUNDING: f64 = 1e-9;

/// Where the values of a scope belong.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place {
    /// The scope is this node.
    Node(NodeIdx),
    /// The scope is a call site: what it has of its own is a statement's below the node.
    Site(NodeIdx, PartIdx),
}

/// A scope of the source.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope {
    /// Stands before it in the list; [`NONE`] for outermost scopes.
    pub(crate) parent: u32,
    /// In which ways its values are contained in its parent's, one bit each.
    pub(crate) propagation: u16,
    pub(crate) place: Place,
}

/// Which part of a value is the scope's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// All of it.
    AsGiven,
    /// All of it, but call sites have none: what is not theirs of it is not known.
    OfNodes,
    /// All of it, but for call sites.
    Inclusive,
    /// What is not that of scopes in it, with these bits of propagation.
    Containing(u16),
}

/// The scopes of a source, parents before children.
pub(crate) struct Scopes {
    /// Differences that are rounding, as a share of the whole.
    rounding: f64,
    list: Vec<Scope>,
    /// Per scope, of the metric at hand: what the scopes in it have.
    below: Vec<f64>,
    is_given: Vec<bool>,
}

impl Default for Scopes {
    fn default() -> Self {
        Self {
            rounding: ROUNDING,
            list: Vec::new(),
            below: Vec::new(),
            is_given: Vec::new(),
        }
    }
}

impl Scopes {
    /// Takes differences for rounding up to this share of the whole.
    pub(crate) fn set_rounding(&mut self, share: f64) {
        self.rounding = share;
    }

    pub(crate) fn push(&mut self, scope: Scope) -> u32 {
        let at = u32::try_from(self.list.len()).unwrap_or(NONE);
        self.list.push(scope);
        self.below.push(0.0);
        self.is_given.push(false);
        at
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn get(&self, scope: u32) -> Option<&Scope> {
        self.list.get(scope as usize)
    }

    /// Adds to `profile` what of the values is the scopes' own. `given` is in ascending order of
    /// scopes; a containing scope that is not in it ends the chain of containment. Returns how
    /// many values were added.
    pub(crate) fn add(
        &mut self,
        profile: &mut Profile,
        procedures: &mut Procedures,
        given: &[(u32, f64)],
        rule: Rule,
        (metric, location): (&Named, LocationIdx),
    ) -> u64 {
        let own = self.own(given, rule);
        if own.is_empty() {
            // A metric that nothing was measured of is none of the run's.
            return 0;
        }
        let metric = metric.metric_of(profile);
        let mut num_added = 0;
        for (scope, value) in own {
            let Some(scope) = self.get(scope) else {
                continue;
            };
            let node = match scope.place {
                Place::Node(node) => node,
                Place::Site(parent, statement) => {
                    match procedures.definition_of(profile, statement) {
                        Some(definition) => profile.node(Some(parent), definition),
                        None => parent,
                    }
                }
            };
            profile.add(node, metric, location, Value::Float(value));
            num_added += 1;
        }
        num_added
    }

    /// What all scopes have of their own, given the value of each.
    pub(crate) fn total_of_own(&mut self, values: &[f64], rule: Rule) -> f64 {
        let given: Vec<(u32, f64)> = (0..).zip(values.iter().copied()).collect();
        self.own(&given, rule).iter().map(|(_, value)| value).sum()
    }

    pub(crate) fn is_outermost(&self, scope: u32) -> bool {
        self.get(scope).is_some_and(|scope| scope.parent == NONE)
    }

    /// What of the values is the scopes' own, in ascending order.
    fn own(&mut self, given: &[(u32, f64)], rule: Rule) -> Vec<(u32, f64)> {
        for (scope, _) in given {
            if let Some(is_given) = self.is_given.get_mut(*scope as usize) {
                *is_given = true;
            }
        }
        let mut own = Vec::with_capacity(given.len());
        for &(at, value) in given.iter().rev() {
            let Some(scope) = self.list.get(at as usize).copied() else {
                continue;
            };
            let below = self.below.get(at as usize).copied().unwrap_or(0.0);
            let (is_site, parent) = (matches!(scope.place, Place::Site(..)), scope.parent);
            let (kept, passed) = match rule {
                Rule::AsGiven => (Some(value), None),
                Rule::OfNodes => ((!is_site).then_some(value), None),
                Rule::Inclusive => {
                    let kept = if is_site {
                        rest(value, below, self.rounding)
                    } else {
                        Some(value)
                    };
                    (kept, self.is_site(parent).then_some(value))
                }
                Rule::Containing(bits) => {
                    let kept = rest(value, below, self.rounding);
                    let is_contained = scope.propagation & bits != 0;
                    let all = kept.unwrap_or(0.0) + below;
                    (kept, is_contained.then_some(all))
                }
            };
            if let Some(kept) = kept {
                own.push((at, kept));
            }
            let is_parent_given = self.is_given.get(parent as usize) == Some(&true);
            if let (Some(passed), true, Some(sum)) =
                (passed, is_parent_given, self.below.get_mut(parent as usize))
            {
                *sum += passed;
            }
        }
        for (scope, _) in given {
            if let Some(is_given) = self.is_given.get_mut(*scope as usize) {
                *is_given = false;
            }
            if let Some(below) = self.below.get_mut(*scope as usize) {
                *below = 0.0;
            }
        }
        own.reverse();
        own
    }

    fn is_site(&self, scope: u32) -> bool {
        let place = self.get(scope).map(|scope| scope.place);
        matches!(place, Some(Place::Site(..)))
    }
}

/// What is left of a value without that of the scopes in it; nothing where they have all of it,
/// or more (then it does not contain them).
fn rest(value: f64, below: f64, rounding: f64) -> Option<f64> {
    let rest = value - below;
    let is_rounding = rest.abs() <= value.abs() * rounding;
    let is_left = value != 0.0 && !is_rounding && (rest > 0.0) == (value > 0.0);
    is_left.then_some(rest)
}

#[cfg(test)]
mod tests {
    use sheaf_model::RunMeta;

    use super::*;
    use crate::hpctoolkit::frames::{Part, Procedure};

    /// `p` calls `q` at a site, and has a loop in a loop with statements in both.
    fn scopes() -> Scopes {
        let mut profile = Profile::new(RunMeta::new("p", "f"));
        let mut procedures = Procedures::default();
        let procedure = procedures.add(Procedure::default());
        let definition = procedures.definition(&mut profile, procedure, "function");
        let node = profile.node(None, definition.unwrap());
        let statement = procedures.part(procedure, Part::Statement, None, Some(1));
        let site = Place::Site(node, statement.unwrap());
        let node = Place::Node(node);
        let mut scopes = Scopes::default();
        for (parent, propagation, place) in [
            (NONE, 0, node), // 0 p
            (0, 1, site),    // 1 call site
            (1, 0, node),    // 2 q
            (0, 1, node),    // 3 loop
            (3, 1, node),    // 4 loop in it
            (4, 1, node),    // 5 statement
            (3, 1, node),    // 6 statement
        ] {
            scopes.push(Scope {
                parent,
                propagation,
                place,
            });
        }
        scopes
    }

    fn own(values: [f64; 7], rule: Rule) -> Vec<(u32, f64)> {
        let given: Vec<(u32, f64)> = (0..).zip(values).collect();
        let mut scopes = scopes();
        let own = scopes.own(&given, rule);
        assert_eq!(own, scopes.own(&given, rule), "nothing is left behind");
        own
    }

    #[test]
    fn exclusive_values_are_kept_once_whatever_loops_contain() {
        let kept = [(5, 5.0), (6, 3.0)];
        // Loops hold all that is in them, or only their own statements.
        for inner in [8.0, 3.0] {
            let values = [8.0, 0.0, 7.0, inner, 5.0, 5.0, 3.0];
            let own = own(values, Rule::Containing(1));
            assert_eq!(own, [&[(2, 7.0)], kept.as_slice()].concat());
        }
        // A procedure with more than its statements.
        let own = own([10.0, 0.0, 0.0, 8.0, 5.0, 5.0, 3.0], Rule::Containing(1));
        assert_eq!(own, [&[(0, 2.0)], kept.as_slice()].concat());
    }

    #[test]
    fn call_sites_keep_what_their_callees_do_not_have() {
        let inclusive = own([12.0, 4.0, 3.0, 8.0, 5.0, 5.0, 3.0], Rule::Inclusive);
        assert_eq!(inclusive.first(), Some(&(0, 12.0)));
        assert_eq!(inclusive.get(1), Some(&(1, 1.0)));
        let exact = own([12.0, 0.3, 0.1 + 0.2, 8.0, 5.0, 5.0, 3.0], Rule::Inclusive);
        assert_eq!(exact.get(1).map(|(scope, _)| *scope), Some(2));
    }
}
