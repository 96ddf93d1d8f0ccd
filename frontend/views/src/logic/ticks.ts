/** Nice ticks of an axis. */

/** About `count` round values from `from` to `to`. */
export function ticks(from: number, to: number, count: number): number[] {
  if (!(to > from) || count < 1) return [from];
  const raw = (to - from) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step =
    [1, 2, 5, 10].map((factor) => factor * power).find((value) => value >= raw * 0.999) ?? raw;
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => (first + i) * step);
}

/** Counts on a linear or logarithmic axis as a share 0..1; zero stays zero on both. */
export function countShare(count: number, maximum: number, isLog: boolean): number {
  if (count <= 0 || maximum <= 0) return 0;
  return isLog ? Math.log1p(count) / Math.log1p(maximum) : count / maximum;
}
