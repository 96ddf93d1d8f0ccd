/** The head and the rows of the run table. */

import type { Run } from '../api.ts';
import type { Palette } from '../logic/colour.ts';
import { runDetails } from '../logic/source.ts';
import { html, svg } from '../ui/dom.ts';
import { type ByGroup, drawGroups, type GroupMark } from './by-group.ts';
import type { Column } from './columns.ts';

/** Width of the buttons before each row. */
export const PICKS = 152;
/** Width of the column of groups. */
export const GROUPS = 240;

/** What all rows are drawn for. */
export interface Rows {
  readonly columns: readonly Column[];
  /** Largest value of each column with bars. */
  readonly most: ReadonlyMap<string, number>;
  readonly groups: ByGroup | undefined;
  readonly mark: GroupMark;
  readonly palette: Palette;
  readonly picked: ReadonlySet<string>;
  readonly target: readonly string[];
  readonly a: readonly string[];
  readonly b: readonly string[];
}

export function widthOf({ columns, mark }: Rows): number {
  return (
    columns.reduce((sum, column) => sum + column.width, PICKS) + (mark === 'none' ? 0 : GROUPS)
  );
}

/** Cells of the head: buttons that sort. */
export function headOf(rows: Rows, sort: string): HTMLElement[] {
  const key = sort.replace(/^-/, '');
  const isDescending = sort.startsWith('-');
  const cells = rows.columns.map((column) => {
    const isSorted = column.key === key;
    const cell = html(
      'span',
      {
        role: 'columnheader',
        class: column.isNumber ? 'gs-cell gs-number' : 'gs-cell',
        'aria-sort': isSorted ? (isDescending ? 'descending' : 'ascending') : 'none',
      },
      html(
        'button',
        {
          type: 'button',
          class: 'gs-sort gs-cut',
          'data-column': column.key,
          title: `Sort by ${column.title}`,
        },
        column.title,
        isSorted ? (isDescending ? ' ↓' : ' ↑') : '',
      ),
    );
    cell.style.width = `${column.width}px`;
    return cell;
  });
  const picks = html(
    'span',
    { class: 'gs-cell gs-picks', role: 'columnheader' },
    html('span', { title: 'picked' }, '☑'),
    html('span', { title: 'target' }, '◉'),
    html('span', { title: 'baseline' }, 'A'),
    html('span', { title: 'candidate' }, 'B'),
    html('span', { title: 'open the run' }, '▸'),
  );
  picks.style.width = `${PICKS}px`;
  const [name, ...others] = cells;
  return [picks, ...(name ? [name] : []), ...groupHead(rows), ...others];
}

/** Head of the column of groups: what the bars are scaled to, or the numbers of the columns of cells. */
function groupHead({ groups, mark }: Rows): HTMLElement[] {
  if (mark === 'none') return [];
  const cell = html('span', { class: 'gs-cell gs-by-group', role: 'columnheader' });
  cell.style.width = `${GROUPS}px`;
  if (mark === 'heat' && groups)
    cell.append(
      ...groups.groups.map(({ name }, at) => html('span', { title: name }, String(at + 1))),
    );
  else cell.append(html('span', { class: 'gs-cut' }, 'exclusive, by group'));
  return [cell];
}

/** One run. */
export function rowOf(run: Run, at: number, isCursor: boolean, rows: Rows): HTMLElement {
  const isTarget = rows.target.includes(run.run);
  const isPicked = rows.picked.has(run.run);
  const classes = [
    'gs-row',
    isTarget ? 'gs-is-target' : '',
    isPicked ? 'gs-is-picked' : '',
    isCursor ? 'gs-cursor' : '',
  ];
  const row = html('div', {
    class: classes.filter(Boolean).join(' '),
    role: 'row',
    'data-run': run.run,
    'aria-rowindex': String(at + 2),
    'aria-selected': String(isPicked),
    title: runDetails(run),
  });
  const [name, ...others] = rows.columns.map((column) => cellOf(run, column, rows));
  row.append(picksOf(run, isPicked, isTarget, rows));
  if (name) row.append(name);
  if (rows.mark !== 'none') row.append(groupCell(run, rows));
  row.append(...others);
  return row;
}

function picksOf(run: Run, isPicked: boolean, isTarget: boolean, { a, b }: Rows): HTMLElement {
  const pick = (side: string, label: string, isOn: boolean | undefined, text: string) =>
    html(
      'button',
      {
        type: 'button',
        tabindex: '-1',
        class: isOn ? 'gs-on' : '',
        'data-pick': side,
        'aria-pressed': isOn === undefined ? undefined : String(isOn),
        'aria-label': `${label}: ${run.name}`,
        title: label,
      },
      text,
    );
  const picks = html(
    'span',
    { class: 'gs-cell gs-picks', role: 'gridcell' },
    pick('pick', 'Pick', isPicked, isPicked ? '☑' : '☐'),
    pick('target', 'Target', isTarget, isTarget ? '◉' : '○'),
    pick('a', 'Baseline A', a.includes(run.run), 'A'),
    pick('b', 'Candidate B', b.includes(run.run), 'B'),
    pick('open', 'Open the run, key O', undefined, '▸'),
  );
  picks.style.width = `${PICKS}px`;
  return picks;
}

function cellOf(run: Run, column: Column, { most }: Rows): HTMLElement {
  const cell = html('span', {
    class: `gs-cell${column.isNumber ? ' gs-number' : ''}${column.key === 'name' ? ' gs-mono' : ''}`,
    role: 'gridcell',
  });
  cell.style.width = `${column.width}px`;
  const largest = most.get(column.key) ?? 0;
  if (column.hasBar && largest > 0) {
    const bar = html('span', { class: 'gs-cell-bar' });
    bar.style.width = `${(Number(column.cell(run) ?? 0) / largest) * 100}%`;
    cell.append(bar);
  }
  const text = column.text(run);
  const title = text === '–' ? 'absent: the run has no such value' : text;
  cell.append(html('span', { class: 'gs-cut', title }, text));
  return cell;
}

function groupCell(run: Run, { groups, mark, palette }: Rows): HTMLElement {
  const cell = html('span', { class: 'gs-cell gs-by-group', role: 'gridcell' });
  cell.style.width = `${GROUPS}px`;
  const width = GROUPS - 16;
  if (groups)
    cell.append(
      svg('svg', { width, height: 24 }, drawGroups(groups, run.run, mark, width, palette)),
    );
  else cell.append('…');
  return cell;
}
