//! The universal scalability law.

use super::Series;
use super::laws::Line;

/// Capacity C(p) = λ p / (1 + σ (p − 1) + κ p (p − 1)) (Gunther 2007).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Usl {
    /// λ: capacity of one worker; 1 where it is not free.
    pub lambda: f64,
    /// σ ≥ 0: contention, the share of work that is done one after the other.
    pub sigma: f64,
    /// κ ≥ 0: coherency, the cost of each pair of workers keeping in step.
    pub kappa: f64,
    /// Sum of squares of the residuals of the capacity.
    pub rss: f64,
}

/// Iterations at most; the fits here take below twenty.
const MAX_STEPS: usize = 200;

/// Relative change of parameters at which a fit ends.
const PRECISE: f64 = 1e-15;
/// The same where thousands of fits make one interval.
const NEAR: f64 = 1e-9;

/// κ that changes no capacity within the points is rounding.
const NEGLIGIBLE: f64 = 1e-9;

impl Usl {
    /// By least squares of the speedup, with λ = 1 or free; the first point must then not be one worker.
    ///
    /// Absent below four points (six are advised), and with λ = 1 where the first point is not one worker.
    /// Each choice of parameters at their bound 0 is fitted by damped Gauss–Newton steps and the best
    /// kept, so that no start value decides.
    pub fn fit(series: &Series, is_lambda_free: bool) -> Option<Self> {
        let points = capacities(series, is_lambda_free)?;
        let start = usl_start(series).unwrap_or((0.0, 0.0));
        let free_sets = [[true, true], [true, false], [false, true], [false, false]];
        let fits = free_sets.into_iter().filter_map(|[sigma, kappa]| {
            let free = [is_lambda_free, sigma, kappa];
            let start = [
                1.0,
                if sigma { start.0.max(0.0) } else { 0.0 },
                if kappa { start.1.max(0.0) } else { 0.0 },
            ];
            Some(descend(&points, start, free, PRECISE)).filter(Usl::is_allowed)
        });
        let best = fits.min_by(|a, b| a.rss.total_cmp(&b.rss))?;
        Some(best.rounded(&points))
    }

    /// The fit to a series that differs little from this law's, as resampled ones do: to nine digits, in a
    /// quarter of the time of [`Usl::fit`].
    ///
    /// Starts from this law with every parameter free. Where that ends within the bounds, no fit with a
    /// parameter at its bound is better; where it does not, all are tried.
    pub fn refit(&self, series: &Series, is_lambda_free: bool) -> Option<Self> {
        let points = capacities(series, is_lambda_free)?;
        let start = [self.lambda, self.sigma, self.kappa];
        let found = descend(&points, start, [is_lambda_free, true, true], NEAR);
        if found.is_allowed() && found.kappa > 0.0 {
            return Some(found.rounded(&points));
        }
        Self::fit(series, is_lambda_free)
    }

    /// Workers, at least 1, at which capacity is largest: √((1 − σ) / κ); `None` where it grows for ever.
    pub fn peak(&self) -> Option<f64> {
        // With σ of 1 and more, a second worker adds nothing.
        if self.sigma >= 1.0 {
            return Some(1.0);
        }
        let peak = ((1.0 - self.sigma) / self.kappa).sqrt().max(1.0);
        (self.kappa > 0.0 && peak.is_finite()).then_some(peak)
    }

    fn rounded(self, points: &[(f64, f64)]) -> Self {
        let most = points.last().map_or(1.0, |point| point.0);
        let is_negligible = self.kappa * most * most < NEGLIGIBLE;
        let kappa = if is_negligible { 0.0 } else { self.kappa };
        Self { kappa, ..self }
    }

    /// Capacity of p workers.
    pub fn at(&self, p: f64) -> f64 {
        self.lambda * p / self.divisor(p)
    }

    fn divisor(&self, p: f64) -> f64 {
        1.0 + self.sigma * (p - 1.0) + self.kappa * p * (p - 1.0)
    }

    fn is_allowed(&self) -> bool {
        self.rss.is_finite() && self.lambda > 0.0 && self.sigma >= 0.0 && self.kappa >= 0.0
    }

    fn with_parameters([lambda, sigma, kappa]: [f64; 3], points: &[(f64, f64)]) -> Self {
        let law = Self {
            lambda,
            sigma,
            kappa,
            rss: 0.0,
        };
        let square = |&(p, capacity): &(f64, f64)| (capacity - law.at(p)) * (capacity - law.at(p));
        Self {
            rss: points.iter().map(square).sum(),
            ..law
        }
    }
}

/// Pairs of workers and capacity; `None` where the law cannot be fitted.
fn capacities(series: &Series, is_lambda_free: bool) -> Option<Vec<(f64, f64)>> {
    if series.len() < 4 || (!is_lambda_free && !series.starts_at_one()) {
        return None;
    }
    let (first, base) = series.first();
    let points = series.points().iter();
    let capacity = |&(p, time): &(f64, f64)| (p, base / time * first);
    Some(points.map(capacity).collect())
}

/// σ and κ of the line (p / C − 1) / (p − 1) = σ + κ p through the points beyond one worker: where a fit
/// starts. Can be negative. `None` below two such points.
pub fn usl_start(series: &Series) -> Option<(f64, f64)> {
    let (first, _) = series.first();
    let scaled = series.scaled();
    let beyond = scaled.iter().filter(|point| point.p > 1.0);
    if beyond.clone().count() < 2 {
        return None;
    }
    let line = Line::fit(beyond.map(|point| {
        let capacity = point.speedup * first;
        (point.p, (point.p / capacity - 1.0) / (point.p - 1.0))
    }))?;
    Some((line.intercept, line.slope))
}

/// Levenberg–Marquardt from `start` over the free parameters, until they change by less than `tolerance`.
fn descend(points: &[(f64, f64)], start: [f64; 3], free: [bool; 3], tolerance: f64) -> Usl {
    let mut values = start;
    let mut law = Usl::with_parameters(values, points);
    let mut damping = 1e-3;
    for _ in 0..MAX_STEPS {
        let (matrix, gradient) = normal_equations(points, &law, free);
        let Some(step) = solve_damped(matrix, gradient, damping) else {
            break;
        };
        let next = [0, 1, 2].map(|place| values[place] + step[place]);
        let candidate = Usl::with_parameters(next, points);
        let is_small =
            (0..3).all(|place| step[place].abs() <= tolerance * next[place].abs().max(1e-6));
        if candidate.rss <= law.rss {
            (values, law) = (next, candidate);
            damping = (damping * 0.1).max(1e-12);
        } else {
            damping *= 10.0;
        }
        if is_small || damping > 1e12 {
            break;
        }
    }
    law
}

type Matrix = [[f64; 3]; 3];

/// The normal equations' matrix and right side over the free parameters; rows and columns of the others are those of the unit matrix.
fn normal_equations(points: &[(f64, f64)], law: &Usl, free: [bool; 3]) -> (Matrix, [f64; 3]) {
    let mut matrix = [[0.0; 3]; 3];
    let mut gradient = [0.0; 3];
    for &(p, capacity) in points {
        let divisor = law.divisor(p);
        let value = law.lambda * p / divisor;
        let mut slopes = [
            p / divisor,
            -value * (p - 1.0) / divisor,
            -value * p * (p - 1.0) / divisor,
        ];
        for (slope, is_free) in slopes.iter_mut().zip(free) {
            *slope *= f64::from(u8::from(is_free));
        }
        for (row, slope) in slopes.iter().enumerate() {
            gradient[row] += slope * (capacity - value);
            for (column, other) in slopes.iter().enumerate() {
                matrix[row][column] += slope * other;
            }
        }
    }
    for place in 0..3 {
        if !free[place] {
            matrix[place][place] = 1.0;
        }
    }
    (matrix, gradient)
}

/// Solves (A + damping · diag A) x = b by elimination with pivots.
fn solve_damped(mut matrix: Matrix, mut right: [f64; 3], damping: f64) -> Option<[f64; 3]> {
    for (place, row) in matrix.iter_mut().enumerate() {
        row[place] *= 1.0 + damping;
    }
    for column in 0..3 {
        let pivot = (column..3).max_by(|&a, &b| {
            let size = |row: usize| matrix[row][column].abs();
            size(a).total_cmp(&size(b))
        })?;
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        let head = matrix[column];
        if head[column].abs() < f64::MIN_POSITIVE {
            return None;
        }
        for row in column + 1..3 {
            let factor = matrix[row][column] / head[column];
            for place in column..3 {
                matrix[row][place] -= factor * head[place];
            }
            right[row] -= factor * right[column];
        }
    }
    let mut solution = [0.0; 3];
    for row in (0..3).rev() {
        let known: f64 = (row + 1..3).map(|at| matrix[row][at] * solution[at]).sum();
        solution[row] = (right[row] - known) / matrix[row][row];
    }
    solution
        .iter()
        .all(|value| value.is_finite())
        .then_some(solution)
}
