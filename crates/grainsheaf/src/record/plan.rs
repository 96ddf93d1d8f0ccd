//! The order of a sweep's launches.

/// One launch of the program that is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Launch {
    /// Threads asked for; the program's own choice when absent.
    pub(crate) threads: Option<u32>,
    /// Which repeat, from 1.
    pub(crate) repeat: u32,
}

/// Every launch, repeats outermost: slow changes of the machine then spread over all thread
/// counts instead of falling on one. Thread counts named twice run once.
pub(crate) fn launches(threads: &[u32], repeat: u32) -> Vec<Launch> {
    let choices = thread_choices(threads);
    (1..=repeat)
        .flat_map(|repeat| {
            choices.iter().map(move |threads| Launch {
                threads: *threads,
                repeat,
            })
        })
        .collect()
}

/// The distinct thread counts in the order given.
pub(crate) fn thread_choices(threads: &[u32]) -> Vec<Option<u32>> {
    let mut choices: Vec<Option<u32>> = Vec::new();
    for count in threads {
        if !choices.contains(&Some(*count)) {
            choices.push(Some(*count));
        }
    }
    if choices.is_empty() {
        vec![None]
    } else {
        choices
    }
}

impl Launch {
    /// For people: `4 threads, repeat 2`.
    pub(crate) fn label(&self) -> String {
        match self.threads {
            Some(1) => format!("1 thread, repeat {}", self.repeat),
            Some(threads) => format!("{threads} threads, repeat {}", self.repeat),
            None => format!("repeat {}", self.repeat),
        }
    }

    /// For names of runs and folders: `t4-r2`.
    pub(crate) fn suffix(&self) -> String {
        match self.threads {
            Some(threads) => format!("t{threads}-r{}", self.repeat),
            None => format!("r{}", self.repeat),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(threads: &[u32], repeat: u32, expected: &str) {
        let shown: Vec<_> = launches(threads, repeat)
            .iter()
            .map(Launch::suffix)
            .collect();
        assert_eq!(shown.join(" "), expected);
    }

    #[test]
    fn repeats_are_outermost() {
        check(&[1, 4, 1], 2, "t1-r1 t4-r1 t1-r2 t4-r2");
        check(&[], 3, "r1 r2 r3");
    }
}
