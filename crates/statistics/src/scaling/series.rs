//! Times by number of workers, and the ratios that people read first.

use std::fmt;

/// One positive time per number of workers, in ascending order of workers.
///
/// ```
/// use sheaf_statistics::scaling::Series;
/// let series = Series::new([(4.0, 30.0), (1.0, 100.0), (2.0, 52.5)])?;
/// let last = series.scaled()[2];
/// assert_eq!((last.speedup, last.p), (100.0 / 30.0, 4.0));
/// # Ok::<(), sheaf_statistics::scaling::SeriesError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    points: Vec<(f64, f64)>,
}

/// Why values are no series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SeriesError {
    /// There are no points.
    Empty,
    /// A number of workers is not positive and finite.
    Workers(f64),
    /// A time is not positive and finite.
    Time(f64),
    /// Two points have the same number of workers: reduce repeats to their median first.
    Repeated(f64),
}

impl fmt::Display for SeriesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("there are no points"),
            Self::Workers(p) => write!(f, "`{p}` is not a number of workers"),
            Self::Time(time) => write!(f, "`{time}` is no positive time"),
            Self::Repeated(p) => write!(f, "two points have `{p}` workers; take their median"),
        }
    }
}

impl std::error::Error for SeriesError {}

/// A point of a series in relation to the first one, p₀ with T(p₀).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scaled {
    /// Workers.
    pub p: f64,
    /// Time T.
    pub time: f64,
    /// T(p₀) / T: what the same problem gains.
    pub speedup: f64,
    /// Speedup · p₀ / p.
    pub efficiency: f64,
    /// Karp & Flatt's (1/S − 1/p) / (1 − 1/p), where p₀ is 1 and p is not. Constant: a serial part;
    /// growing: overhead grows; negative: superlinear.
    pub karp_flatt: Option<f64>,
    /// T(p₀) / T read as the efficiency of a problem that grows with p.
    pub weak_efficiency: f64,
    /// Weak efficiency · p / p₀.
    pub scaled_speedup: f64,
    /// Gustafson's serial part (p − S) / (p − 1) of the scaled speedup S, where p₀ is 1 and p is not.
    pub gustafson: Option<f64>,
}

impl Series {
    /// A series of pairs of workers and time, in any order.
    ///
    /// # Errors
    /// When there are none, one is not positive and finite, or two have the same number of workers.
    pub fn new(points: impl IntoIterator<Item = (f64, f64)>) -> Result<Self, SeriesError> {
        let mut points: Vec<(f64, f64)> = points.into_iter().collect();
        let is_positive = |value: f64| value.is_finite() && value > 0.0;
        for &(p, time) in &points {
            if !is_positive(p) {
                return Err(SeriesError::Workers(p));
            }
            if !is_positive(time) {
                return Err(SeriesError::Time(time));
            }
        }
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let same = points.windows(2).find(|pair| pair[0].0 >= pair[1].0);
        if let Some(pair) = same {
            return Err(SeriesError::Repeated(pair[0].0));
        }
        if points.is_empty() {
            return Err(SeriesError::Empty);
        }
        Ok(Self { points })
    }

    /// Pairs of workers and time, ascending.
    pub fn points(&self) -> &[(f64, f64)] {
        &self.points
    }

    /// Number of distinct p.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Never: a series has a point.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The smallest p, to which the others are related, and its time.
    pub fn first(&self) -> (f64, f64) {
        self.points.first().copied().unwrap_or((1.0, 1.0))
    }

    /// Whether the smallest p is one worker.
    pub fn starts_at_one(&self) -> bool {
        (self.first().0 - 1.0).abs() < f64::EPSILON
    }

    /// Every point in relation to the first.
    pub fn scaled(&self) -> Vec<Scaled> {
        let (first, base) = self.first();
        let has_one = self.starts_at_one();
        let scaled = |&(p, time): &(f64, f64)| {
            let speedup = base / time;
            let scaled_speedup = p / first * speedup;
            let beyond_one = has_one && p > 1.0;
            Scaled {
                p,
                time,
                speedup,
                efficiency: speedup * first / p,
                karp_flatt: beyond_one.then(|| (1.0 / speedup - 1.0 / p) / (1.0 - 1.0 / p)),
                weak_efficiency: speedup,
                scaled_speedup,
                gustafson: beyond_one.then(|| (p - scaled_speedup) / (p - 1.0)),
            }
        };
        self.points.iter().map(scaled).collect()
    }
}
