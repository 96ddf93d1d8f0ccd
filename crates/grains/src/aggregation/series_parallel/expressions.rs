//! What is in a row and what is side by side.

use super::{EMPTY, Part};
use crate::grain_graph::to_u32;

/// Series and parallel expressions; those below `count` are grains.
pub(super) struct Expressions {
    count: u32,
    pairs: Vec<(bool, u32, u32)>,
}

impl Expressions {
    /// Of so many grains.
    pub(super) fn new(count: u32) -> Self {
        Self {
            count,
            pairs: Vec::new(),
        }
    }

    /// Two in a row, or side by side.
    pub(super) fn pair(&mut self, is_series: bool, a: u32, b: u32) -> u32 {
        if a == EMPTY {
            return b;
        }
        if b == EMPTY {
            return a;
        }
        self.pairs.push((is_series, a, b));
        self.count + to_u32(self.pairs.len() - 1)
    }

    fn get(&self, expression: u32) -> Option<(bool, u32, u32)> {
        let at = expression.checked_sub(self.count)?;
        self.pairs.get(at as usize).copied()
    }

    /// The first grain of every pair: a pair stands behind its parts.
    fn firsts(&self) -> Vec<u32> {
        let mut firsts: Vec<u32> = Vec::with_capacity(self.pairs.len());
        let of = |firsts: &[u32], part: u32| match part.checked_sub(self.count) {
            Some(at) => firsts[at as usize],
            None => part,
        };
        for &(_, a, b) in &self.pairs {
            firsts.push(of(&firsts, a).min(of(&firsts, b)));
        }
        firsts
    }

    /// Flattens pairs of pairs.
    pub(super) fn parts(&self, root: u32) -> Vec<Part> {
        enum Step {
            Write(u32),
            End,
        }
        let firsts = self.firsts();
        let first = |part: &u32| match part.checked_sub(self.count) {
            Some(at) => firsts[at as usize],
            None => *part,
        };
        let mut parts = Vec::new();
        let mut rest: Vec<Step> = Vec::new();
        let mut is_root = true;
        rest.push(Step::Write(root));
        while let Some(step) = rest.pop() {
            let Step::Write(expression) = step else {
                parts.push(Part::End);
                continue;
            };
            let Some((is_series, ..)) = self.get(expression) else {
                parts.push(Part::Grain(expression));
                is_root = false;
                continue;
            };
            if is_series || !is_root {
                parts.push(if is_series {
                    Part::Series
                } else {
                    Part::Parallel
                });
                rest.push(Step::End);
            }
            is_root = false;
            let mut members = self.members(expression, is_series);
            if !is_series {
                members.sort_unstable_by_key(first);
            }
            rest.extend(members.into_iter().rev().map(Step::Write));
        }
        parts
    }

    /// What an expression of one sort is made of, in order, once pairs of the same sort are dissolved.
    fn members(&self, expression: u32, is_series: bool) -> Vec<u32> {
        let mut members = Vec::new();
        let mut rest = vec![expression];
        while let Some(part) = rest.pop() {
            match self.get(part) {
                Some((sort, a, b)) if sort == is_series => rest.extend([b, a]),
                _ => members.push(part),
            }
        }
        members
    }
}
