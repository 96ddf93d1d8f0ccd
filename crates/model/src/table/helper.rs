//! Helper threads of a runtime: their grains are part of the run, but they are not workers.

use super::{LocationRow, Locations};

impl LocationRow {
    /// Whether it is a helper, such as the threads of LLVM's runtime that run the tasks of `target nowait`.
    pub const fn is_helper(&self) -> bool {
        self.thread < 0
    }
}

impl Locations {
    /// Whether a row is a helper.
    pub fn is_helper(&self, row: i32) -> bool {
        let thread = usize::try_from(row).ok();
        let thread = thread.and_then(|row| self.thread.values().get(row));
        thread.is_some_and(|&thread| thread < 0)
    }

    /// Whether any row is a helper.
    pub fn have_helpers(&self) -> bool {
        self.thread.values().iter().any(|&thread| thread < 0)
    }

    /// Number of rows that are workers.
    pub fn num_workers(&self) -> usize {
        let threads = self.thread.values().iter();
        threads.filter(|&&thread| thread >= 0).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn helpers_are_no_workers() {
        let row = |thread| LocationRow {
            rank: 0,
            thread,
            core: None,
            numa_node: None,
        };
        let table: Locations = [0, 1, -1].map(row).into_iter().collect();
        assert!(row(-1).is_helper() && table.have_helpers());
        assert_eq!(table.num_workers(), 2);
        let are_helpers = [-1, 0, 1, 2, 3].map(|row| table.is_helper(row));
        assert_eq!(are_helpers, [false, false, false, true, false]);
    }
}
