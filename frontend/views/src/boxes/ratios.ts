/** A column per cohort: its median as a multiple of the lowest in the row, coloured as ratios of runs are. */

import { type Palette, ratioColour, textOn } from '../logic/colour.ts';
import {
  ABSENT,
  formatFactor,
  formatParameter,
  formatPlural,
  formatValue,
} from '../logic/format.ts';
import { uniqueNames } from '../logic/unique-names.ts';
import { html } from '../ui/dom.ts';
import type { GridColumn } from '../ui/grid.ts';
import { type BoxRow, cohortName, ratioOf } from './model.ts';

/** Width of a column, and the smallest one. */
const WIDTH = 92;
const LEAST_WIDTH = 58;

/** Beginning of the keys of these columns. */
const PREFIX = 'cohort ';
export const isRatio = ({ key }: GridColumn<BoxRow>): boolean => key.startsWith(PREFIX);

/** Names of the cohorts of all rows, in their order. */
export function cohortNames(rows: readonly BoxRow[]): string[] {
  return [...new Set(rows.flatMap(({ cohorts }) => cohorts.map(cohortName)))];
}

/** Short texts of cohorts: their values, if all have one value of one parameter. */
function titlesOf(rows: readonly BoxRow[], names: readonly string[], most: number): string[] {
  const values = new Map<string, string>();
  for (const { cohorts } of rows)
    for (const cohort of cohorts) {
      const [value, ...others] = Object.values(cohort.cohort);
      if (others.length === 0) values.set(cohortName(cohort), formatParameter(value).trim());
    }
  return uniqueNames(
    names.map((name) => values.get(name) ?? name),
    most,
  );
}

/** Columns of as many cohorts as there is room for; none if there is one cohort only. */
export function ratioColumns(
  rows: readonly BoxRow[],
  palette: Palette,
  room: number,
): GridColumn<BoxRow>[] {
  const all = cohortNames(rows);
  if (all.length < 2) return [];
  const width = Math.min(WIDTH, Math.max(LEAST_WIDTH, Math.floor(room / all.length)));
  const titles = titlesOf(rows, all, Math.floor((width - 12) / 7.4));
  return all.slice(0, Math.max(1, Math.floor(room / width))).map((name, index) => ({
    key: `${PREFIX}${name}`,
    title: titles[index] ?? name,
    hint: name,
    width,
    isNumber: true,
    draw: (row) => ratioCell(row, name, palette),
  }));
}

function ratioCell(row: BoxRow, name: string, palette: Palette): string | Node {
  const cohort = row.cohorts.find((one) => cohortName(one) === name);
  const ratio = cohort && ratioOf(row, cohort);
  if (!cohort || ratio === undefined) return ABSENT;
  const title = `${formatValue(cohort.median, row.unit)}, median of ${formatPlural(cohort.runs, 'run')} with ${name}`;
  const cell = html('span', { class: 'gs-ratio', title }, formatFactor(ratio));
  const fill = ratioColour(palette, ratio);
  cell.style.background = fill;
  cell.style.color = textOn(fill);
  return cell;
}
