//! Box plots: fences, whiskers and outliers.

use super::Sample;

/// Fences, whiskers and numbers of outliers.
#[derive(Debug, Clone, PartialEq)]
pub struct BoxPlot {
    /// Tukey's fences; absent with fewer than four values, which have no outliers.
    pub fences: Option<[f64; 2]>,
    /// Smallest and largest value that is not an outlier.
    pub whiskers: [f64; 2],
    /// Number of outliers below and above.
    pub outliers: [usize; 2],
}

impl BoxPlot {
    /// Whether a value of the sample is an outlier.
    pub fn is_outlier(&self, value: f64) -> bool {
        value < self.whiskers[0] || value > self.whiskers[1]
    }
}

impl Sample {
    /// The box plot. A value outside of the fences is an outlier if it also deviates from the median by more
    /// than the share `least_deviation`: if most values are equal, the fences coincide, and every other value
    /// would be an outlier. Absent for an empty sample.
    ///
    /// ```
    /// use sheaf_statistics::Sample;
    /// let sample = Sample::new([100.0, 100.0, 100.0, 100.0, 101.0, 150.0]);
    /// let plot = sample.box_plot(0.05).unwrap();
    /// assert_eq!((plot.whiskers, plot.outliers), ([100.0, 101.0], [0, 1]));
    /// ```
    pub fn box_plot(&self, least_deviation: f64) -> Option<BoxPlot> {
        let median = self.median()?;
        let fences = self.outlier_fences().map(|(low, high)| [low, high]);
        let near = median.abs() * least_deviation;
        let [low, high] = fences.map_or([f64::NEG_INFINITY, f64::INFINITY], |[low, high]| {
            [low.min(median - near), high.max(median + near)]
        });
        let below = self.sorted.partition_point(|&value| value < low);
        let inside = self.sorted.partition_point(|&value| value <= high);
        // The median is between the fences, so some value is inside.
        let last = inside.checked_sub(1)?;
        Some(BoxPlot {
            fences,
            whiskers: [*self.sorted.get(below)?, *self.sorted.get(last)?],
            outliers: [below, self.len() - inside],
        })
    }
}
