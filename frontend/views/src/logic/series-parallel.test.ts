import { describe, expect, it } from 'vitest';
import { edgesOf } from './series-parallel-edges.ts';
import { FORK, LEAF, place, SERIES, type Spacing, type SpTree, STRIP } from './series-parallel.ts';

const SPACING: Spacing = { along: 10, across: 6, band: 20, pad: 8, title: 14, bar: 1, row: 12 };

/** Numbers below one that follow from a seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** A random tree of about `size` nodes. */
function randomTree(seed: number, size: number): SpTree {
  const next = random(seed);
  const kind: number[] = [];
  const parent: number[] = [];
  const framed: number[] = [];
  const waiting: (readonly [parent: number, kind: number])[] = [[-1, SERIES]];
  for (let top = waiting.pop(); top; top = waiting.pop()) {
    const node = kind.length;
    kind.push(top[1]);
    parent.push(top[0]);
    framed.push(top[1] !== LEAF && next() < 0.5 ? 1 : 0);
    if (top[1] === LEAF) continue;
    const children = 1 + Math.floor(next() * (top[1] === STRIP ? 40 : 5));
    for (let at = 0; at < children; at += 1) {
      const isFull = kind.length + waiting.length > size || top[1] === STRIP;
      const one = next();
      const of = isFull || one < 0.4 ? LEAF : one < 0.65 ? SERIES : one < 0.95 ? FORK : STRIP;
      waiting.push([node, of]);
    }
  }
  return {
    kind: Uint8Array.from(kind),
    parent: Int32Array.from(parent),
    framed: Uint8Array.from(framed),
    along: Float64Array.from(kind, (of) => (of === LEAF ? 4 + next() * 60 : 0)),
    across: Float64Array.from(kind, (of) => (of === LEAF ? 5 + Math.floor(next() * 3) : 0)),
  };
}

const SEEDS = Array.from({ length: 40 }, (_, seed) => seed + 1);

interface Box {
  readonly node: number;
  readonly x0: number;
  readonly x1: number;
  readonly y0: number;
  readonly y1: number;
}

function boxesOf(tree: SpTree): { boxes: Box[]; placed: ReturnType<typeof place> } {
  const placed = place(tree, SPACING);
  const boxes = Array.from(tree.kind, (_, node) => ({
    node,
    x0: placed.x[node] ?? NaN,
    x1: (placed.x[node] ?? NaN) + (placed.along[node] ?? NaN),
    y0: placed.y[node] ?? NaN,
    y1: (placed.y[node] ?? NaN) + (placed.across[node] ?? NaN),
  }));
  return { boxes, placed };
}

const SLACK = 1e-6;

function isOver(a: Box, b: Box): boolean {
  return a.x0 < b.x1 - SLACK && b.x0 < a.x1 - SLACK && a.y0 < b.y1 - SLACK && b.y0 < a.y1 - SLACK;
}

function isWithin(inner: Box, outer: Box): boolean {
  return (
    inner.x0 >= outer.x0 - SLACK &&
    inner.x1 <= outer.x1 + SLACK &&
    inner.y0 >= outer.y0 - SLACK &&
    inner.y1 <= outer.y1 + SLACK
  );
}

function ancestors(tree: SpTree, node: number): Set<number> {
  const found = new Set<number>();
  for (let at = node; at >= 0; at = tree.parent[at] ?? -1) found.add(at);
  return found;
}

describe('place', () => {
  it('keeps children within their parents and siblings clear of each other', () => {
    for (const seed of SEEDS) {
      const tree = randomTree(seed, 150);
      const { boxes } = boxesOf(tree);
      const siblings = new Map<number, Box[]>();
      for (const box of boxes) {
        expect(Object.values(box).every(Number.isFinite)).toBe(true);
        const parent = tree.parent[box.node] ?? -1;
        if (parent < 0) continue;
        expect(isWithin(box, boxes[parent] ?? box), `${seed}: ${box.node}`).toBe(true);
        const others = siblings.get(parent) ?? [];
        for (const other of others) expect(isOver(box, other), `${seed}`).toBe(false);
        siblings.set(parent, [...others, box]);
      }
    }
  });

  it('places the same tree the same way', () => {
    const tree = randomTree(7, 300);
    expect(place(tree, SPACING)).toEqual(place(tree, SPACING));
  });

  it('places equal parts at equal relative places', () => {
    for (const seed of SEEDS) {
      const part = randomTree(seed, 40);
      const size = part.kind.length;
      // A fork of twice the same part, with a leaf between.
      const parents = (from: number): number[] =>
        Array.from(part.parent, (parent) => (parent < 0 ? 0 : parent + from));
      const tree: SpTree = {
        kind: Uint8Array.from([FORK, ...part.kind, LEAF, ...part.kind]),
        parent: Int32Array.from([-1, ...parents(1), 0, ...parents(size + 2)]),
        framed: Uint8Array.from([1, ...part.framed, 0, ...part.framed]),
        along: Float64Array.from([0, ...part.along, 33, ...part.along]),
        across: Float64Array.from([0, ...part.across, 9, ...part.across]),
      };
      const { placed } = boxesOf(tree);
      const relative = (from: number): number[] =>
        Array.from({ length: size }, (_, at) => [
          (placed.x[from + at] ?? 0) - (placed.x[from] ?? 0),
          (placed.y[from + at] ?? 0) - (placed.y[from] ?? 0),
        ]).flat();
      const [first, second] = [relative(1), relative(size + 2)];
      first.forEach((value, at) => expect(second[at]).toBeCloseTo(value, 6));
    }
  });

  it('stands children of a fork in their order, and bars of a strip by length', () => {
    const tree: SpTree = {
      kind: Uint8Array.from([FORK, LEAF, STRIP, LEAF, LEAF, LEAF]),
      parent: Int32Array.from([-1, 0, 0, 2, 2, 2]),
      framed: new Uint8Array(6),
      along: Float64Array.from([0, 10, 0, 5, 30, 20]),
      across: Float64Array.from([0, 4, 0, 5, 5, 5]),
    };
    const { placed } = boxesOf(tree);
    expect(placed.y[1]).toBeLessThan(placed.y[2] ?? 0);
    expect([...placed.y.slice(3)]).toEqual([22, 10, 16]);
    expect([...(placed.rows.get(2) ?? [])]).toEqual([20, 50]);
  });

  it('places a chain of 200,000 and a fork of 200,000 nodes', () => {
    for (const kind of [SERIES, FORK]) {
      const size = 200_001;
      const tree: SpTree = {
        kind: new Uint8Array(size).fill(LEAF).fill(kind, 0, 1),
        parent: new Int32Array(size).fill(-1, 0, 1),
        framed: new Uint8Array(size),
        along: new Float64Array(size).fill(4),
        across: new Float64Array(size).fill(4),
      };
      const placed = place(tree, SPACING);
      expect(kind === SERIES ? placed.along[0] : placed.across[0]).toBe(
        200_000 * 4 + 199_999 * (kind === SERIES ? 10 : 6),
      );
    }
    const deep: SpTree = {
      kind: Uint8Array.from({ length: 100_000 }, (_, at) =>
        at === 99_999 ? LEAF : at % 2 === 0 ? SERIES : FORK,
      ),
      parent: Int32Array.from({ length: 100_000 }, (_, at) => at - 1),
      framed: new Uint8Array(100_000),
      along: new Float64Array(100_000).fill(4),
      across: new Float64Array(100_000).fill(4),
    };
    expect(place(deep, SPACING).across[0]).toBe(4);
  });
});

describe('edgesOf', () => {
  it('leads no edge through a node, and crosses none', () => {
    const faults: string[] = [];
    for (const seed of SEEDS) {
      const tree = randomTree(seed, 100);
      const { boxes, placed } = boxesOf(tree);
      const { ends, node } = edgesOf(tree, placed, SPACING);
      const solid = boxes.filter((box) => tree.kind[box.node] === LEAF || tree.framed[box.node]);
      const segments = Array.from(node, (owner, at) => {
        const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = ends.subarray(4 * at, 4 * at + 4);
        if (x1 !== x2 && y1 !== y2) faults.push(`${seed}: edge of ${owner} is slanted`);
        return {
          node: owner,
          x0: Math.min(x1, x2),
          x1: Math.max(x1, x2),
          y0: Math.min(y1, y2),
          y1: Math.max(y1, y2),
        };
      });
      for (const segment of segments) {
        const around = ancestors(tree, segment.node);
        for (const box of solid) {
          // Edges are inside the frames around the node they belong to.
          if (tree.kind[box.node] !== LEAF && around.has(box.node)) continue;
          const isThrough =
            segment.x0 < box.x1 - SLACK &&
            box.x0 < segment.x1 - SLACK &&
            segment.y0 < box.y1 - SLACK &&
            box.y0 < segment.y1 - SLACK;
          if (isThrough) faults.push(`${seed}: edge of ${segment.node} through ${box.node}`);
        }
      }
      const level = segments.filter((one) => one.y0 === one.y1);
      const upright = segments.filter((one) => one.x0 === one.x1);
      for (const a of level)
        for (const b of upright) {
          const isCrossing =
            a.x0 < b.x0 - SLACK &&
            b.x0 < a.x1 - SLACK &&
            b.y0 < a.y0 - SLACK &&
            a.y0 < b.y1 - SLACK;
          if (isCrossing) faults.push(`${seed}: ${a.node} crosses ${b.node}`);
        }
    }
    expect(faults).toEqual([]);
  });

  it('gives each child of a fork a way in and a way out', () => {
    const tree = randomTree(11, 200);
    const { placed } = boxesOf(tree);
    const { ends, node } = edgesOf(tree, placed, SPACING);
    for (let child = 0; child < tree.kind.length; child += 1) {
      const parent = tree.parent[child] ?? -1;
      if (parent < 0 || tree.kind[parent] !== FORK) continue;
      const own = [...node.keys()].filter((at) => node[at] === child);
      const start = placed.x[child] ?? 0;
      const end = start + (placed.along[child] ?? 0);
      expect(own.some((at) => ends[4 * at + 2] === start)).toBe(true);
      expect(own.some((at) => ends[4 * at] === end)).toBe(true);
    }
  });
});
