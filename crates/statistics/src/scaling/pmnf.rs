//! The performance model normal form with one term, f(p) = c₀ + c₁ · p^i · log₂(p)^j.
//!
//! Calotoiu, Hoefler, Poke, Wolf: “Using automated performance modeling to find scalability bugs in
//! complex codes”, SC 2013. Candidates, costs and the choice among them are those of Extra-P 4.2.5:
//! the constant model competes with its error on the data themselves, every other with the errors at
//! points that were left out of its fit, so that growth must show clearly to be stated.

use std::fmt;

use super::laws::{Line, residual_squares, total_squares};

/// Exponents (numerator, denominator) of p with the exponents of log₂ p that go with each, in the order
/// in which they are tried; the first of equals wins.
const TERMS: &[(i32, i32, &[i32])] = &[
    (0, 1, &[1, 2]),
    (1, 4, &[0, 1, 2]),
    (1, 3, &[0, 1, 2]),
    (1, 2, &[0, 1, 2]),
    (2, 3, &[0, 1, 2]),
    (3, 4, &[0, 1, 2]),
    (4, 5, &[0]),
    (1, 1, &[0, 1, 2]),
    (5, 4, &[0, 1]),
    (4, 3, &[0, 1]),
    (3, 2, &[0, 1, 2]),
    (5, 3, &[0]),
    (7, 4, &[0]),
    (2, 1, &[0, 1, 2]),
    (9, 4, &[0]),
    (7, 3, &[0]),
    (5, 2, &[0, 1, 2]),
    (8, 3, &[0]),
    (11, 4, &[0]),
    (3, 1, &[0, 1]),
];

/// A term below this share of every value counts for nothing, and neither does such a constant.
const MIN_CONTRIBUTION: f64 = 0.0005;

/// p^i · log₂(p)^j.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PmnfTerm {
    /// Numerator of i.
    pub numerator: i32,
    /// Denominator of i.
    pub denominator: i32,
    /// j.
    pub logarithm: i32,
}

impl PmnfTerm {
    /// Its value at p.
    pub fn at(&self, p: f64) -> f64 {
        let power = p.powf(self.exponent());
        match self.logarithm {
            0 => power,
            times => power * p.log2().powi(times),
        }
    }

    /// i.
    pub fn exponent(&self) -> f64 {
        f64::from(self.numerator) / f64::from(self.denominator)
    }

    const fn mirrored(self) -> Self {
        Self {
            numerator: -self.numerator,
            logarithm: -self.logarithm,
            ..self
        }
    }
}

impl fmt::Display for PmnfTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let log = match self.logarithm {
            0 => String::new(),
            1 => "log2(p)".to_owned(),
            times => format!("log2(p)^{times}"),
        };
        let power = match (self.numerator, self.denominator) {
            (0, _) => String::new(),
            (1, 1) => "p".to_owned(),
            (numerator, 1) => format!("p^{numerator}"),
            (numerator, denominator) => format!("p^({numerator}/{denominator})"),
        };
        match (power.is_empty(), log.is_empty()) {
            (true, true) => f.write_str("1"),
            (false, true) => f.write_str(&power),
            (true, false) => f.write_str(&log),
            (false, false) => write!(f, "{power} * {log}"),
        }
    }
}

/// A fitted model. Errors are in the unit of the values, or its square.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pmnf {
    /// c₀.
    pub constant: f64,
    /// c₁ and its term; `None` for a constant model.
    pub term: Option<(f64, PmnfTerm)>,
    /// Symmetric mean absolute percentage error, in per cent: of a constant model on the data, of others
    /// at points left out of the fit.
    pub smape: f64,
    /// Adjusted R² of the squares at points left out; `None` for a constant model.
    pub adjusted_r_squared: Option<f64>,
    /// Squares of residuals at points left out of the fit; of the data for a constant model.
    pub rss_left_out: f64,
    /// Squares of residuals on the data.
    pub rss: f64,
    /// Whether there were fewer than five points: then it shows what would fit, and proves nothing.
    pub is_underdetermined: bool,
}

impl Pmnf {
    /// The model of pairs of p and value, one value for each distinct p.
    ///
    /// `allow_negative` adds terms that shrink, which strong scaling needs: without them its model is a
    /// wrong one. Logarithms are left out where a p is below 1, and with `allow_negative` where one is 1.
    /// Takes O(n²) for each of some eighty terms; `None` below two points and for values that are not
    /// finite.
    ///
    /// ```
    /// use sheaf_statistics::scaling::Pmnf;
    /// let points = [2.0, 4.0, 8.0, 16.0, 32.0].map(|p: f64| (p, 3.0 + 2.0 * p * p.log2()));
    /// let model = Pmnf::fit(&points, false).unwrap();
    /// assert_eq!(model.term.unwrap().1.to_string(), "p * log2(p)");
    /// ```
    pub fn fit(points: &[(f64, f64)], allow_negative: bool) -> Option<Self> {
        let is_usable = |&(p, value): &(f64, f64)| p.is_finite() && p > 0.0 && value.is_finite();
        if points.len() < 2 || !points.iter().all(is_usable) {
            return None;
        }
        let constant = Self::constant(points);
        let scale: f64 = points.iter().map(|(_, value)| value * value).sum();
        // Equal values, apart from rounding.
        if constant.rss <= 1e-28 * scale {
            return Some(constant);
        }
        let terms = terms(points, allow_negative);
        Some(terms.fold(constant, |best, term| {
            let next = Self::of_term(points, term, constant.rss, best.smape);
            next.filter(|next| next.smape < best.smape).unwrap_or(best)
        }))
    }

    /// Its value at p.
    pub fn at(&self, p: f64) -> f64 {
        self.constant + self.term.map_or(0.0, |(factor, term)| factor * term.at(p))
    }

    fn constant(points: &[(f64, f64)]) -> Self {
        let count = points.len() as f64;
        let mean = points.iter().map(|point| point.1).sum::<f64>() / count;
        let rss = total_squares(points.iter().map(|point| point.1));
        let errors = points.iter().map(|&(_, value)| relative_error(value, mean));
        Self {
            constant: mean,
            term: None,
            smape: errors.sum::<f64>() / count * 100.0,
            adjusted_r_squared: None,
            rss_left_out: rss,
            rss,
            is_underdetermined: points.len() < 5,
        }
    }

    /// The model with a term; `None` as soon as its error is not below `least_error`.
    fn of_term(
        points: &[(f64, f64)],
        term: PmnfTerm,
        constant_rss: f64,
        least_error: f64,
    ) -> Option<Self> {
        let count = points.len();
        // Powers and logarithms cost more than all the rest, and every fit below has the same.
        let measured: Vec<(f64, f64)> = points
            .iter()
            .map(|&(p, value)| (term.at(p), value))
            .collect();
        let (mut smape, mut rss_left_out) = (0.0, 0.0);
        for (left_out, &(x, value)) in measured.iter().enumerate() {
            let others = measured.iter().enumerate();
            let others = others.filter(|(at, _)| *at != left_out).map(|(_, it)| *it);
            let line = Line::fit(others.clone())?;
            let least = others.map(|other| other.1).fold(f64::INFINITY, f64::min);
            let share = if least.abs() > 0.0 {
                line.intercept / least
            } else {
                line.intercept
            };
            let intercept = if share.abs() < MIN_CONTRIBUTION {
                0.0
            } else {
                line.intercept
            };
            let fitted = intercept + line.slope * x;
            smape += relative_error(value, fitted) / count as f64 * 100.0;
            if smape >= least_error {
                return None;
            }
            rss_left_out += (value - fitted) * (value - fitted);
        }
        let line = Line::fit(measured.iter().copied())?;
        let contribution = measured
            .iter()
            .map(|&(x, value)| (line.slope * x / value).abs())
            .fold(0.0, f64::max);
        let is_valid = rss_left_out.is_finite() && contribution >= MIN_CONTRIBUTION;
        let fitted = measured.iter().map(|&(x, value)| (value, line.at(x)));
        let freedom = count as f64 - 2.0;
        is_valid.then(|| Self {
            constant: line.intercept,
            term: Some((line.slope, term)),
            smape,
            adjusted_r_squared: (freedom > 0.0)
                .then(|| 1.0 - rss_left_out / constant_rss * (count as f64 - 1.0) / freedom),
            rss_left_out,
            rss: residual_squares(fitted),
            is_underdetermined: count < 5,
        })
    }
}

impl fmt::Display for Pmnf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.term {
            None => write!(f, "{}", self.constant),
            Some((factor, term)) if factor < 0.0 => {
                write!(f, "{} - {} * {term}", self.constant, -factor)
            }
            Some((factor, term)) => write!(f, "{} + {factor} * {term}", self.constant),
        }
    }
}

/// |value − fitted| / ((|value| + |fitted|) / 2); 0 where both are.
fn relative_error(value: f64, fitted: f64) -> f64 {
    let sum = value.abs() + fitted.abs();
    if sum > 0.0 {
        (value - fitted).abs() / sum * 2.0
    } else {
        0.0
    }
}

/// The terms that the points allow.
fn terms(points: &[(f64, f64)], allow_negative: bool) -> impl Iterator<Item = PmnfTerm> {
    let least = points
        .iter()
        .map(|point| point.0)
        .fold(f64::INFINITY, f64::min);
    let has_logarithms = if allow_negative {
        least > 1.0
    } else {
        least >= 1.0
    };
    let growing = TERMS
        .iter()
        .flat_map(|&(numerator, denominator, logarithms)| {
            logarithms.iter().map(move |&logarithm| PmnfTerm {
                numerator,
                denominator,
                logarithm,
            })
        });
    let shrinking = growing.clone().map(PmnfTerm::mirrored);
    let shrinking = shrinking.filter(move |_| allow_negative);
    growing
        .chain(shrinking)
        .filter(move |term| has_logarithms || term.logarithm == 0)
}
