/** The groups with the largest values: what there is to see before anything is selected. */

import { useMemo } from 'preact/hooks';
import type { Sankey } from '@grainsheaf/views';
import { sampleScale } from '@grainsheaf/views/logic/colour.ts';
import { ABSENT, formatCount, formatShare, formatValue } from '@grainsheaf/views/logic/format.ts';
import { partsOf } from '@grainsheaf/views/logic/labels.ts';
import { unitLabel } from '@grainsheaf/views/logic/metrics.ts';
import { presentOf, type Summary, summarise, valueAt } from '@grainsheaf/views/logic/values.ts';
import { shownName } from '@grainsheaf/views/sankey/frame.ts';
import type { Lane } from '@grainsheaf/views/sankey/model.ts';
import { MANY_RUNS } from '@grainsheaf/views/sankey/ticks.ts';
import { selectGroup } from './actions.ts';
import { cohorts, metricInfo, picture, runs, scope } from './data.ts';
import { lanesOf } from '@grainsheaf/views/sankey/lanes.ts';
import { page, palette } from './state.ts';
import { Body } from './states.tsx';

/** Rows at most. */
const MOST = 60;
const WIDTH = 150;

interface Row {
  readonly id: string;
  readonly name: string;
  readonly glyph: string;
  readonly summary: Summary;
  readonly values: readonly (number | null)[];
  /** Median over runs of the share of the run's total. */
  readonly share: number | null;
}

/** Total of each run: that of the run table, or the largest group of the run until it is known. */
function totalsOf(data: Sankey, known: ReadonlyMap<string, number>): number[] {
  return data.runs.map((id, run) => {
    const total = known.get(id);
    if (total !== undefined) return total;
    const values = data.nodes.map((node) => valueAt(node.inclusive_by_run, run) ?? 0);
    return Math.max(0, ...values);
  });
}

function rowsOf(data: Sankey, isExclusive: boolean, totals: readonly number[]): Row[] {
  return data.nodes
    .filter((node) => node.kind !== 'others')
    .map((node) => {
      const values = isExclusive ? node.exclusive_by_run : node.inclusive_by_run;
      const { text, glyph } = partsOf(shownName(node), node.definition_kind ?? '');
      const shares = Array.from({ length: values.length }, (_, run) => {
        const [value, total] = [valueAt(values, run), totals[run] ?? 0];
        return value === null || total <= 0 ? null : value / total;
      });
      return {
        id: node.id,
        name: text,
        glyph,
        summary: summarise(values),
        values: Array.from({ length: values.length }, (_, run) => valueAt(values, run)),
        share: summarise(shares).median,
      };
    })
    .sort((a, b) => (b.summary.median ?? -1) - (a.summary.median ?? -1));
}

/** Few runs as ticks, many as a bar from the first to the last quartile in a line from least to largest. */
function Spread({ row, most, lanes }: { row: Row; most: number; lanes: readonly Lane[] }) {
  const place = (value: number | null): number => (most > 0 ? ((value ?? 0) / most) * WIDTH : 0);
  const colours = palette.value.cohorts;
  const { summary } = row;
  return (
    <svg width={WIDTH} height="16" aria-hidden="true" class="spread">
      <line x1="0" x2={WIDTH} y1="8" y2="8" class="spread-line" />
      {row.values.length < MANY_RUNS ? (
        lanes.flatMap(({ run, share }) => {
          const value = row.values[run] ?? null;
          return value === null
            ? []
            : [
                <rect
                  key={run}
                  x={place(value) - 1}
                  y="2"
                  width="2"
                  height="12"
                  fill={sampleScale(colours, share)}
                />,
              ];
        })
      ) : (
        <>
          <rect
            x={place(summary.min)}
            y="7"
            width={Math.max(1, place(summary.max) - place(summary.min))}
            height="2"
            class="spread-range"
          />
          <rect
            x={place(summary.q1)}
            y="4"
            width={Math.max(1, place(summary.q3) - place(summary.q1))}
            height="8"
            class="spread-box"
          />
          <rect x={place(summary.median) - 1} y="2" width="2" height="12" class="spread-median" />
        </>
      )}
    </svg>
  );
}

function Table({ data }: { data: Sankey }) {
  const isExclusive = scope.value === 'exclusive';
  const all = runs.value;
  const rows = useMemo(() => {
    const known = new Map(
      all.flatMap(({ run, total }) => (typeof total === 'number' ? [[run, total]] : [])),
    );
    return rowsOf(data, isExclusive, totalsOf(data, known));
  }, [data, isExclusive, all]);
  const lanes = useMemo(() => lanesOf(data.runs, runs.peek(), cohorts.peek()), [data]);
  const order = lanes.lanes ?? data.runs.map((_, run) => ({ run, share: 0.6 }));
  const shown = rows.slice(0, MOST);
  const most = Math.max(0, ...rows.map((row) => row.summary.max ?? 0));
  const { unit } = data;
  const label = [metricInfo.value?.label ?? data.metric, unitLabel(unit)].filter(Boolean);
  return (
    <div class="scroll">
      <table class="top-groups">
        <caption class="visually-hidden">
          Groups by median {scope.value} {label.join(', ')}
        </caption>
        <thead>
          <tr>
            <th scope="col">group</th>
            <th scope="col" class="number">
              median {scope.value} {label[0]}
            </th>
            <th scope="col" class="number">
              share of the run
            </th>
            <th scope="col">0 to {formatValue(most, unit)}</th>
            <th scope="col" class="number">
              absent
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={row.id} aria-selected={row.id === page.value.group}>
              <th scope="row">
                <button
                  type="button"
                  class="link mono"
                  title={row.name}
                  onClick={() => selectGroup(row.id)}
                >
                  <bdi>{row.name}</bdi> <span class="quiet">{row.glyph}</span>
                </button>
              </th>
              <td class="number">{data.isPartial ? '…' : formatValue(row.summary.median, unit)}</td>
              <td class="number">{row.share === null ? ABSENT : formatShare(row.share)}</td>
              <td>
                <Spread row={row} most={most} lanes={order} />
              </td>
              <td class="number">
                {row.summary.absent > 0
                  ? `${formatCount(row.summary.absent)} of ${formatCount(row.values.length)}`
                  : formatCount(
                      data.isPartial ? data.runs.length - presentOf(row.values).length : 0,
                    )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MOST && <p class="hint">+ {formatCount(rows.length - MOST)} more groups</p>}
    </div>
  );
}

export function TopGroups() {
  return (
    <Body resource={picture} skeleton="rows">
      {(data) => <Table data={data} />}
    </Body>
  );
}
