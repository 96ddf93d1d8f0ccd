//! What examples that measure have in common.

/// Processor time of this process in seconds, in hundredths at best; 0 where the system does not tell.
pub(crate) fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program comes second, in parentheses, and may hold blanks.
    let fields = text.rsplit(')').next().unwrap_or_default();
    // User and system time are fields 14 and 15, counted from 1.
    let ticks = fields.split_whitespace().skip(11).take(2);
    ticks
        .filter_map(|ticks| ticks.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
}
