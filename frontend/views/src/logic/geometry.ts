/** Shapes of the ensemble-Sankey. */

/** A cross-section of a band. */
export interface Section {
  readonly x: number;
  readonly y: number;
  readonly height: number;
}

/**
 * Path of a filled band through cross-sections, with control points at 40 % and 60 % of the
 * horizontal distance. `shares` scales the height at each end, measured from the band's top.
 */
export function bandPath(
  band: readonly Section[],
  shares: readonly [number, number] = [1, 1],
): string {
  const first = band[0];
  const last = band[band.length - 1];
  if (!first || !last || band.length < 2) return '';
  const length = last.x - first.x;
  const points = band.map((section) => {
    const along = length > 0 ? (section.x - first.x) / length : 0;
    const share = shares[0] + (shares[1] - shares[0]) * along;
    // Less than half a pixel is not seen; where anything flows, something is drawn.
    const height = share > 0 ? Math.max(0.5, section.height * share) : 0;
    return { x: section.x, top: section.y, bottom: section.y + height };
  });
  const curve = (x0: number, y0: number, x1: number, y1: number): string =>
    `C${round(x0 + (x1 - x0) * 0.4)},${round(y0)} ${round(x0 + (x1 - x0) * 0.6)},${round(y1)} ${round(x1)},${round(y1)}`;
  let path = `M${round(first.x)},${round(first.y)}`;
  for (let i = 1; i < points.length; i += 1) {
    const [from, to] = [points[i - 1], points[i]];
    if (from && to) path += curve(from.x, from.top, to.x, to.top);
  }
  const end = points[points.length - 1];
  if (end) path += `L${round(end.x)},${round(end.bottom)}`;
  for (let i = points.length - 1; i > 0; i -= 1) {
    const [from, to] = [points[i], points[i - 1]];
    if (from && to) path += curve(from.x, from.bottom, to.x, to.bottom);
  }
  return `${path}Z`;
}

/** A rectangle. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Arc of a back edge: from the source's bottom, under the picture, to the target's bottom. */
export function backPath(source: Box, target: Box): string {
  const x0 = source.x + source.width / 2;
  const y0 = source.y + source.height;
  const x1 = target.x + target.width / 2;
  const y1 = target.y + target.height;
  const sag = Math.max(y0, y1) + 24 + Math.abs(x0 - x1) * 0.08;
  return `M${round(x0)},${round(y0)}C${round(x0)},${round(sag)} ${round(x1)},${round(sag)} ${round(x1)},${round(y1)}`;
}

/** A label that wants to stand at `y`. */
export interface Label {
  readonly id: string;
  readonly y: number;
}

/**
 * Places labels of one column so that no two are closer than `gap` and none leaves `from..to`;
 * the order stays. Labels that find no room are left out.
 */
export function placeLabels(
  labels: readonly Label[],
  gap: number,
  from: number,
  to: number,
): Map<string, number> {
  const room = Math.max(0, Math.floor((to - from) / gap) + 1);
  const sorted = [...labels].sort((a, b) => a.y - b.y).slice(0, room);
  const places: number[] = [];
  for (const label of sorted) {
    const before = places[places.length - 1];
    places.push(Math.max(from, label.y, before === undefined ? from : before + gap));
  }
  let limit = to;
  for (let i = places.length - 1; i >= 0; i -= 1) {
    places[i] = Math.min(places[i] ?? limit, limit);
    limit = (places[i] ?? limit) - gap;
  }
  return new Map(sorted.map((label, i) => [label.id, places[i] ?? label.y]));
}

/** An edge of a graph of nodes by index. */
export interface Link {
  readonly source: number;
  readonly target: number;
  readonly max_inclusive: number;
}

/** Follows the heaviest child while it holds at least `least` of its parent. Indices of nodes. */
export function hotPath(
  weights: readonly number[],
  edges: readonly Link[],
  root: number,
  least = 0.5,
): number[] {
  const path = [root];
  const seen = new Set(path);
  for (let at = root; ;) {
    const next = edges
      .filter((edge) => edge.source === at && !seen.has(edge.target))
      .sort((a, b) => b.max_inclusive - a.max_inclusive)[0];
    if (!next || next.max_inclusive < least * (weights[at] ?? 0)) return path;
    at = next.target;
    seen.add(at);
    path.push(at);
  }
}

/** A number with two decimals at most, for paths. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
