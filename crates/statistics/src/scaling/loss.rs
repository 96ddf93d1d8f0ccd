//! Where workers × time went, in exact integers.

/// What one run spent, in its unit of time. `workers × elapsed` is the area that everything adds up to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spent {
    /// Workers p.
    pub workers: i64,
    /// Time T from begin to end.
    pub elapsed: i64,
    /// W: useful time of all workers.
    pub work: i64,
    /// O: time of workers in the runtime: creating, scheduling, synchronising, communicating.
    pub overhead: Option<i64>,
    /// I: time of workers with nothing to do.
    pub idle: Option<i64>,
    /// T₁: work of the same problem on one worker, or on the fewest there are.
    pub reference_work: i64,
}

/// The area of a run in parts that add up to it exactly. Divided by the workers, parts of the elapsed
/// time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loss {
    /// `workers × elapsed`.
    pub area: i128,
    /// T₁: what remains when nothing is lost.
    pub ideal: i128,
    /// W − T₁; negative where more workers made work cheaper.
    pub inflation: i128,
    /// O, where it is known.
    pub overhead: Option<i128>,
    /// I, where it is known.
    pub idle: Option<i128>,
    /// Of what is not work, the part that neither O nor I explains: all of it where neither is known, 0
    /// where both are and the clocks are right.
    pub unexplained: i128,
}

impl Loss {
    /// The parts of what a run spent.
    pub fn of(spent: &Spent) -> Self {
        let area = i128::from(spent.workers) * i128::from(spent.elapsed);
        let [work, ideal] = [spent.work, spent.reference_work].map(i128::from);
        let [overhead, idle] = [spent.overhead, spent.idle].map(|part| part.map(i128::from));
        let explained = overhead.unwrap_or(0) + idle.unwrap_or(0);
        Self {
            area,
            ideal,
            inflation: work - ideal,
            overhead,
            idle,
            unexplained: area - work - explained,
        }
    }

    /// The sum of all parts: the area.
    pub fn sum(&self) -> i128 {
        let known = self.overhead.unwrap_or(0) + self.idle.unwrap_or(0);
        self.ideal + self.inflation + known + self.unexplained
    }
}

/// Efficiencies of the POP model (Rosas, Giménez & Labarta 2014); below 0.8 is worth a look.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pop {
    /// Mean over largest useful time of workers.
    pub load_balance: f64,
    /// Largest useful time over elapsed time. In a task runtime, waiting for dependences and the
    /// scheduler are in it. For processes that send messages, [`Communication`] has its parts.
    pub communication_efficiency: f64,
    /// Load balance × communication efficiency: work over area.
    pub parallel_efficiency: f64,
    /// T₁ over work: the inverse of inflation.
    pub computation_scaling: f64,
    /// Parallel efficiency × computation scaling.
    pub global_efficiency: f64,
}

impl Pop {
    /// Of the useful time of each worker, idle ones included; `None` where nothing was done or took no
    /// time.
    pub fn of(useful: &[i64], elapsed: i64, reference_work: i64) -> Option<Self> {
        let greatest = *useful.iter().max().filter(|&&greatest| greatest > 0)?;
        let work: i128 = useful.iter().copied().map(i128::from).sum();
        if elapsed <= 0 || work <= 0 {
            return None;
        }
        let workers = useful.len() as f64;
        let load_balance = work as f64 / (workers * greatest as f64);
        let communication_efficiency = greatest as f64 / elapsed as f64;
        let parallel_efficiency = work as f64 / (workers * elapsed as f64);
        let computation_scaling = reference_work as f64 / work as f64;
        Some(Self {
            load_balance,
            communication_efficiency,
            parallel_efficiency,
            computation_scaling,
            global_efficiency: parallel_efficiency * computation_scaling,
        })
    }
}

/// The two parts of the communication efficiency of processes (Rosas, Giménez & Labarta 2014), by a replay on a network
/// without latency and with unlimited bandwidth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Communication {
    /// Largest useful time over the time on that network: what waiting for each other costs.
    pub serialisation: f64,
    /// Time on that network over elapsed time: what the network costs.
    pub transfer: f64,
}

impl Communication {
    /// Computes the factors from the largest useful time of a worker, the time on the ideal network, and the elapsed time; `None` where one of
    /// the times is 0.
    pub fn of(greatest: i64, ideal: i64, elapsed: i64) -> Option<Self> {
        (greatest > 0 && ideal > 0 && elapsed > 0).then(|| Self {
            serialisation: greatest as f64 / ideal as f64,
            transfer: ideal as f64 / elapsed as f64,
        })
    }
}

/// Between what a greedy scheduler without overhead stays (Brent 1974, Blumofe & Leiserson 1999).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// max(T₁ / p, T∞): nothing is faster.
    pub lower: f64,
    /// T₁ / p + (p − 1) / p · T∞.
    pub upper: f64,
    /// The upper bound with the work of the run itself for T₁: what lies between the two is inflation.
    pub upper_inflated: f64,
}

/// Where a time lies among the bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WithinBounds {
    /// Below the lower bound: an error of data, or the reference is another problem.
    Below,
    /// Between the bounds: as good as greedy scheduling gets.
    Greedy,
    /// Above the upper bound and not above the inflated one: inflation explains it.
    Inflated,
    /// Above both: overhead, or a scheduler that leaves workers idle.
    Above,
}

impl Bounds {
    /// Of T₁, the length T∞ of the critical path, the work of the run and its workers.
    pub fn of(reference_work: f64, span: f64, work: f64, workers: f64) -> Self {
        let upper = |work: f64| work / workers + (workers - 1.0) / workers * span;
        Self {
            lower: (reference_work / workers).max(span),
            upper: upper(reference_work),
            upper_inflated: upper(work.max(reference_work)),
        }
    }

    /// Where `time` lies.
    pub fn place(&self, time: f64) -> WithinBounds {
        if time < self.lower {
            WithinBounds::Below
        } else if time <= self.upper {
            WithinBounds::Greedy
        } else if time <= self.upper_inflated {
            WithinBounds::Inflated
        } else {
            WithinBounds::Above
        }
    }

    /// T₁ / T∞: workers beyond it have nothing to do; `None` without a path.
    pub fn parallelism(reference_work: f64, span: f64) -> Option<f64> {
        (span > 0.0).then(|| reference_work / span)
    }
}
