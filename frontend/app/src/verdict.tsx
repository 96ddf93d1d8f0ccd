/** Verdict of the selected node. */

import { VERDICT_SIGNS } from '@grainsheaf/views/logic/verdicts.ts';
import { formatNumber, formatPlural, formatValue } from '@grainsheaf/views/logic/format.ts';
import { DIFF_MODES, differenceText, formulaOf } from '@grainsheaf/views/logic/difference.ts';
import { VERDICTS } from '@grainsheaf/views/sankey/content.ts';
import { difference, diffMode, nameOfSelector, quantity, selectedDifference } from './data.ts';
import { Numbers } from './numbers.tsx';

/** Verdict of the selected node, and why. */
export function DiffOfNode() {
  const diff = difference.answer.value.data;
  const mode = diffMode.value;
  if (!diff) return null;
  const found = selectedDifference.value;
  if (!found) return null;
  const { row } = found;
  const { unit } = diff;
  const rows: [string, string, string?][] = [
    [`A, ${nameOfSelector(diff.a.name)}`, formatValue(found.a, unit), 'Mean over its runs'],
    [`B, ${nameOfSelector(diff.b.name)}`, formatValue(found.b, unit), 'Mean over its runs'],
    // First the difference that the whole page states, then the others.
    [formulaOf(mode), found.text],
    ...DIFF_MODES.filter((other) => other !== mode && !found.absent).map(
      (other): [string, string] => [
        formulaOf(other),
        differenceText(found, { mode: other, unit, totals: diff.totals }),
      ],
    ),
  ];
  if (row?.ratio !== undefined && row.ratio !== null) {
    rows.push([
      'typical ratio B/A',
      `${formatNumber(row.ratio)}${row.ci ? ` (${formatNumber(row.ci[0])} to ${formatNumber(row.ci[1])})` : ''}`,
      'Hodges-Lehmann on logarithms, with its distribution-free interval',
    ]);
  }
  if (row?.q !== undefined && row.q !== null)
    rows.push([
      'p, q',
      `${formatNumber(row.p)}, ${formatNumber(row.q)}`,
      'Exact rank-sum test, two-sided; q after Benjamini and Hochberg over the tested groups',
    ]);
  if (row?.cliffs_delta !== undefined && row.cliffs_delta !== null)
    rows.push([
      'Cliff’s delta',
      formatNumber(row.cliffs_delta),
      '1: every run of B above every run of A',
    ]);
  if (row) rows.push(['runs', `${row.runs_a} and ${row.runs_b}`]);
  return (
    <section class="block">
      <h3>verdict</h3>
      <p class="quiet">{quantity.value}</p>
      <p class={`verdict verdict-${found.verdict}`}>
        <span aria-hidden="true">{VERDICT_SIGNS[found.verdict]}</span> {VERDICTS[found.verdict]}
      </p>
      <p>
        {row ? row.reason.text : `Collected groups are not tested; their means: ${found.text}.`}
      </p>
      <Numbers rows={rows} />
      {diff.smallest_p !== undefined && diff.smallest_p !== null && (
        <p class="quiet">
          With {formatPlural(diff.a.runs.length, 'run')} and{' '}
          {formatPlural(diff.b.runs.length, 'run')}, p cannot be below{' '}
          {formatNumber(diff.smallest_p)}.
        </p>
      )}
    </section>
  );
}
