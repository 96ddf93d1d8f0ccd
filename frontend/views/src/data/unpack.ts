/** Puts the values of an Arrow stream back to where the answer has them, as views of one buffer. */

import type { Distribution, Hierarchy, Sankey } from '../api.ts';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * The answer with the values of its column. Nodes and call sites have inclusive, then exclusive values, one per run;
 * edges have inclusive ones. A column that is too short leaves them empty: the answer is `isPartial`.
 */
export function unpack(answer: unknown, values: Float32Array): unknown {
  if (typeof answer !== 'object' || answer === null || !('schema' in answer)) return answer;
  const { schema } = answer;
  if (schema === 'distribution/1') {
    const distribution = answer as unknown as Writable<Distribution>;
    distribution.values = Array.from(values);
    return distribution;
  }
  const isSankey = schema === 'sankey/1';
  if (!isSankey && schema !== 'hierarchy/1') return answer;
  const { runs } = answer as unknown as { runs: string[] };
  const rows: Writable<Sankey['nodes'][number] | Hierarchy['sites'][number]>[] = isSankey
    ? (answer as unknown as Sankey).nodes
    : (answer as unknown as Hierarchy).sites;
  const edges: Writable<Sankey['edges'][number]>[] = isSankey
    ? (answer as unknown as Sankey).edges
    : [];
  const count = runs.length;
  if (values.length < (2 * rows.length + edges.length) * count)
    return { ...answer, isPartial: true };
  let at = 0;
  const next = (): Float32Array => {
    const part = values.subarray(at, at + count);
    at += count;
    return part;
  };
  for (const row of rows) {
    row.inclusive_by_run = next();
    row.exclusive_by_run = next();
  }
  for (const edge of edges) edge.inclusive_by_run = next();
  return answer;
}
