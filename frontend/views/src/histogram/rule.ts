/** The number of bins that the values suggest. */

import type { Distribution } from '../api.ts';

/** Bins that a lens can ask for. */
const MOST = 200;

/**
 * Bins of width 2 · IQR / ∛n over the range of the values (Freedman and Diaconis 1981); nothing without a spread between
 * the quartiles.
 */
export function suggestedBins({
  bins,
  count,
  quantiles,
}: Pick<Distribution, 'bins' | 'count' | 'quantiles'>): number | undefined {
  const [, q1, , q3] = quantiles ?? [];
  const [low, high] = [bins[0]?.lo, bins[bins.length - 1]?.hi];
  if (q1 === undefined || q3 === undefined || low === undefined || high === undefined)
    return undefined;
  const width = (2 * (q3 - q1)) / Math.cbrt(count);
  return width > 0 ? Math.min(MOST, Math.max(1, Math.ceil((high - low) / width))) : undefined;
}
