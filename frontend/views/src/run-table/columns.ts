/** Columns of the run table. */

import type { Parameter, Run, Runs } from '../api.ts';
import { ABSENT, formatCount, formatParameter, formatValue } from '../logic/format.ts';
import { metricLabel } from '../logic/metrics.ts';
import type { Cell } from '../logic/table.ts';

export interface Column {
  readonly key: string;
  readonly title: string;
  /** Unit, in the header. */
  readonly unit: string;
  readonly width: number;
  readonly isNumber: boolean;
  readonly hasBar: boolean;
  cell(run: Run): Cell;
  text(run: Run): string;
}

/** Columns of a set of runs; parameters that do not vary are left out unless asked for. */
export function columnsOf(runs: Runs, isFolded: boolean, metric: string | undefined): Column[] {
  const unit = runs.metrics.find((known) => known.name === metric)?.unit;
  const columns: Column[] = [
    {
      key: 'name',
      title: 'run',
      unit: '',
      width: 190,
      isNumber: false,
      hasBar: false,
      cell: (run) => run.name,
      text: (run) => run.name,
    },
  ];
  for (const parameter of runs.parameters) {
    if (isFolded && isFoldedAway(parameter)) continue;
    const isNumber = parameter.type === 'number';
    columns.push({
      key: `param:${parameter.name}`,
      title: parameter.name,
      unit: '',
      width: Math.max(
        70,
        Math.min(
          150,
          8 *
            Math.max(
              parameter.name.length + 2,
              ...parameter.values.slice(0, 8).map((value) => String(value).length),
            ),
        ),
      ),
      isNumber,
      hasBar: false,
      cell: (run) => run.params[parameter.name],
      text: (run) => formatParameter(run.params[parameter.name]),
    });
  }
  const number = (
    key: string,
    title: string,
    width: number,
    value: (run: Run) => number | null | undefined,
    of: string | undefined,
    hasBar = false,
  ): Column => ({
    key,
    title,
    unit: '',
    width,
    isNumber: true,
    hasBar,
    cell: value,
    text: (run) => (of === '' ? formatCount(value(run)) : formatValue(value(run), of)),
  });
  columns.push(
    number(
      'total',
      `total ${metric === undefined ? '' : metricLabel(runs.metrics.find((one) => one.name === metric) ?? { name: metric })}`.trim(),
      150,
      (run) => run.total,
      unit,
      true,
    ),
    number('elapsed', 'elapsed', 130, (run) => run.elapsed_ns, 'ns', true),
    number('workers', 'workers', 72, (run) => run.workers, ''),
    number('ranks', 'ranks', 60, (run) => run.ranks, ''),
    number('grains', 'grains', 90, (run) => run.grains, ''),
    number('contexts', 'contexts', 78, (run) => run.contexts, ''),
    {
      key: 'format',
      title: 'format',
      unit: '',
      width: 90,
      isNumber: false,
      hasBar: false,
      cell: (run) => run.format,
      text: (run) => run.format,
    },
    {
      key: 'source',
      title: 'source',
      unit: '',
      width: 150,
      isNumber: false,
      hasBar: false,
      cell: (run) => run.source?.file,
      text: (run) => run.source?.file ?? ABSENT,
    },
    number('warnings', 'warnings', 76, (run) => run.warnings.length, ''),
  );
  return columns;
}

/** Whether a parameter does not show how runs differ: it is the same in all, or identifies a launch. */
function isFoldedAway(parameter: Parameter): boolean {
  return !parameter.varies || parameter.role === 'incidental';
}

/** Parameters that are folded away, with their value if it is the same in all runs. */
export function foldedOf(runs: Runs): string[] {
  return runs.parameters
    .filter(isFoldedAway)
    .map(({ name, varies, values }) => (varies ? name : `${name}=${formatParameter(values[0])}`));
}
