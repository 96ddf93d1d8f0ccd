/** Answers of large generated runs, made in the browser, and what is timed there. */

import type { Columns } from '@grainsheaf/views/data/columns.ts';
import { groupTree } from '@grainsheaf/views/logic/group-tree.ts';
import { visibleNodes } from '@grainsheaf/views/logic/open-groups.ts';
import { place } from '@grainsheaf/views/logic/series-parallel.ts';
import { edgesOf } from '@grainsheaf/views/logic/series-parallel-edges.ts';

type Answers = Record<string, unknown>;

const SPACING = { along: 22, across: 10, band: 26, pad: 9, title: 14, bar: 1, row: 100 };

interface Made {
  group: number;
  parent: number | null;
  depth: number;
  kind: string;
  children: number;
}

/** The tree of a recursion of at most so many nodes: sequences of a grain and a fork of three. */
function recursion(nodes: number): unknown {
  const groups: Made[] = [{ group: 0, parent: null, depth: 0, kind: 'linear', children: 0 }];
  for (let at = 0; at < groups.length; at += 1) {
    const one = groups[at];
    if (!one || one.kind === 'grain') continue;
    const kinds = one.kind === 'linear' ? ['grain', 'fork_join'] : ['linear', 'linear', 'linear'];
    if (groups.length + kinds.length > nodes) {
      one.kind = 'grain';
      continue;
    }
    one.children = kinds.length;
    for (const kind of kinds)
      groups.push({
        group: groups.length,
        parent: one.group,
        depth: one.depth + 1,
        kind,
        children: 0,
      });
  }
  return treeWith(groups);
}

/** One fork with so many children. */
function fork(children: number): unknown {
  const groups: Made[] = [{ group: 0, parent: null, depth: 0, kind: 'fork_join', children }];
  for (let at = 1; at <= children; at += 1)
    groups.push({ group: at, parent: 0, depth: 1, kind: 'grain', children: 0 });
  return treeWith(groups);
}

function treeWith(groups: readonly Made[]): unknown {
  return {
    run: 'a',
    unit: 'ns',
    grains: groups.length,
    nodes: groups.length,
    depth: 64,
    unstructured: 0,
    is_separated: false,
    metrics: [{ name: 'work_ns', unit: 'ns' }],
    groups: groups.map((one) => ({
      ...one,
      grains: 1,
      nodes: 1,
      is_critical: one.group % 7 === 0,
      is_restructured: false,
      definition: `f${one.group % 9} (task)`,
      work_ns: 1000 + ((one.group * 7919) % 100_000),
      ...(one.kind === 'grain' ? { grain: one.group } : {}),
    })),
  };
}

/** Pages of values of so many grains. */
function values(grains: number): Answers {
  const answers: Answers = {};
  const page = 100_000;
  for (let from = 0; from < grains; from += page) {
    const column = (of: (at: number) => number): Float64Array =>
      Float64Array.from({ length: page }, (_, at) => of(from + at));
    const pageOf: Columns = {
      schema: 'columns/1',
      rows: page,
      columns: {
        grain: column((at) => at),
        work_ns: column((at) => 1000 + ((at * 7919) % 100_000)),
        parallel_benefit: column((at) => ((at * 104_729) % 1000) / 100),
        definition: Array.from({ length: page }, (_, at) => `f${at % 9} (task)`),
        path: Array.from({ length: page }, (_, at) => `f[${at}]`),
      },
    };
    answers[`values ${from / page}`] = pageOf;
  }
  return answers;
}

/** A window of a time line as the service sends it: so many parts of each worker. */
function timeline(workers: number, parts: number, elapsed: number): Answers {
  const count = workers * parts;
  const step = elapsed / parts;
  const column = (of: (at: number) => number): Float64Array =>
    Float64Array.from({ length: count }, (_, at) => of(at));
  const rows: Columns = {
    schema: 'columns/1',
    rows: count,
    columns: {
      worker: column((at) => Math.floor(at / parts)),
      start: column((at) => (at % parts) * step),
      end: column((at) => ((at % parts) + 1) * step),
      busy: column((at) => ((at * 7919) % 100) / 100),
      grain: column((at) => at),
      intervals: column(() => 65),
      definition: Array.from({ length: count }, (_, at) => `f${at % 9} (task)`),
    },
  };
  const head = {
    run: 'a',
    unit: 'ns',
    elapsed,
    workers: Array.from({ length: workers }, (_, thread) => ({
      rank: 0,
      thread,
      busy: elapsed / 2,
    })),
    rows: [{ worker: 0, start: 0, end: elapsed, busy: 0.5, intervals: 1, definition: 'f0 (task)' }],
  };
  return { head, rows };
}

/** Median milliseconds of a repeated action. */
function median(repeats: number, act: () => void): number {
  const times = Array.from({ length: repeats }, () => {
    const begin = performance.now();
    act();
    return performance.now() - begin;
  });
  return times.sort((a, b) => a - b)[Math.floor(repeats / 2)] ?? NaN;
}

export const speed = {
  generated: { recursion, fork, values, timeline },
  /** Median milliseconds of the layout of a recursion with so many visible nodes, and of its edges. */
  layout(nodes: number): { nodes: number; place: number; edges: number } {
    const tree = groupTree(recursion(nodes) as never, []);
    const visible = visibleNodes(tree, 0, () => true, 'work_ns', {
      isFramed: true,
      size: () => [168, 34],
    });
    const placed = place(visible, SPACING);
    return {
      nodes: visible.kind.length,
      place: median(51, () => place(visible, SPACING)),
      edges: median(51, () => edgesOf(visible, placed, SPACING)),
    };
  },
};
