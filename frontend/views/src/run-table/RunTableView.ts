/** The run table: sorted, grouped, with rows drawn only where they are seen. */

import type { Run, Runs } from '../api.ts';
import { formatParameter } from '../logic/format.ts';
import { runDetails } from '../logic/source.ts';
import { csvOf, sortRows, visibleRows } from '../logic/table.ts';
import { html, svg, textStyle } from '../ui/dom.ts';
import { serialiseSvg } from '../ui/export.ts';
import type { Target, View, ViewContext } from '../ui/view.ts';
import { type Column, columnsOf } from './columns.ts';

export interface RunTableData {
  readonly runs: Runs;
  /** Unknown until an answer states it. */
  readonly metric: string | undefined;
}

export interface RunTableSelection {
  /** Column key, with a leading `-` for descending. */
  readonly sort: string;
  readonly isFolded: boolean;
  /** Parameter that groups the rows. */
  readonly groupBy: string;
  readonly target?: Target | undefined;
  readonly a: readonly string[];
  readonly b: readonly string[];
}

const ROW = 24;
const PICKS = 124;

type Line = { readonly run: Run } | { readonly title: string };

export class RunTableView implements View<RunTableData, RunTableSelection> {
  readonly #root = html('div', {
    class: 'gs-run-table',
    role: 'grid',
    'aria-label': 'Runs',
    tabindex: '0',
  });
  readonly #head = html('div', { class: 'gs-row gs-head', role: 'row' });
  readonly #body = html('div', { class: 'gs-body', role: 'rowgroup' });
  readonly #stop = new AbortController();
  #context: ViewContext | undefined;
  #columns: Column[] = [];
  #lines: Line[] = [];
  #most = new Map<string, number>();
  #selection: RunTableSelection | undefined;
  #cursor = 0;

  mount(element: HTMLElement, context: ViewContext): void {
    this.#context = context;
    this.#root.append(this.#head, this.#body);
    element.append(this.#root);
    const { signal } = this.#stop;
    this.#root.addEventListener('scroll', () => this.#drawRows(), { signal, passive: true });
    this.#root.addEventListener('click', (event) => this.#click(event), { signal });
    this.#root.addEventListener('keydown', (event) => this.#key(event), { signal });
    const observer = new ResizeObserver(() => this.#drawRows());
    observer.observe(this.#root);
    signal.addEventListener('abort', () => observer.disconnect());
  }

  update(data: RunTableData, selection: RunTableSelection): void {
    this.#selection = selection;
    this.#columns = columnsOf(data.runs, selection.isFolded, data.metric);
    this.#most = new Map(
      this.#columns
        .filter((column) => column.hasBar)
        .map((column) => [
          column.key,
          Math.max(0, ...data.runs.runs.map((run) => Number(column.cell(run) ?? 0))),
        ]),
    );
    this.#lines = this.#order(data.runs.runs, selection);
    this.#drawHead(selection);
    this.#root.setAttribute('aria-rowcount', String(data.runs.runs.length + 1));
    this.#body.style.height = `${this.#lines.length * ROW}px`;
    this.#drawRows();
  }

  destroy(): void {
    this.#stop.abort();
    this.#root.remove();
  }

  exportSvg(): string {
    const palette = this.#context?.palette();
    if (!palette) return '';
    const picture = svg('svg', { width: this.#width(), height: (this.#lines.length + 1) * ROW });
    const write = (column: Column, x: number, y: number, text: string): void => {
      picture.append(
        svg(
          'text',
          {
            ...textStyle(12),
            x: column.isNumber ? x + column.width - 8 : x + 8,
            y: y + 16,
            'text-anchor': column.isNumber ? 'end' : 'start',
            fill: palette.ink,
          },
          text,
        ),
      );
    };
    let x = 0;
    for (const column of this.#columns) {
      write(column, x, 0, column.title);
      this.#lines.slice(0, 500).forEach((line, index) => {
        if ('run' in line) write(column, x, (index + 1) * ROW, column.text(line.run));
      });
      x += column.width;
    }
    return serialiseSvg(picture, palette.ground, this.#context?.lens() ?? '');
  }

  /** Visible columns of all rows, in the order shown. */
  exportCsv(): string {
    const rows = this.#lines.flatMap((line) =>
      'run' in line
        ? [[line.run.run, ...this.#columns.map((column) => column.cell(line.run))]]
        : [],
    );
    return csvOf(
      this.#context?.lens() ?? '',
      ['id', ...this.#columns.map((column) => column.title)],
      rows,
    );
  }

  #width(): number {
    return PICKS + this.#columns.reduce((sum, column) => sum + column.width, 0);
  }

  #order(runs: readonly Run[], selection: RunTableSelection): Line[] {
    const isDescending = selection.sort.startsWith('-');
    const key = selection.sort.replace(/^-/, '');
    const column = this.#columns.find((candidate) => candidate.key === key);
    const sorted = column ? sortRows(runs, (run) => column.cell(run), isDescending) : [...runs];
    if (!selection.groupBy) return sorted.map((run) => ({ run }));
    const groups = new Map<string, Run[]>();
    for (const run of sortRows(sorted, (run) => run.params[selection.groupBy], false)) {
      const title = `${selection.groupBy} = ${formatParameter(run.params[selection.groupBy])}`;
      groups.set(title, [...(groups.get(title) ?? []), run]);
    }
    return [...groups].flatMap(([title, members]): Line[] => [
      { title: `${title} · ${members.length}` },
      ...members.map((run) => ({ run })),
    ]);
  }

  #drawHead(selection: RunTableSelection): void {
    const key = selection.sort.replace(/^-/, '');
    const cells = this.#columns.map((column) => {
      const isSorted = column.key === key;
      const isDescending = selection.sort.startsWith('-');
      const cell = html(
        'button',
        {
          type: 'button',
          role: 'columnheader',
          class: column.isNumber ? 'gs-cell gs-number' : 'gs-cell',
          'data-column': column.key,
          'aria-sort': isSorted ? (isDescending ? 'descending' : 'ascending') : 'none',
          title: `Sort by ${column.title}`,
        },
        html('span', { class: 'gs-cut' }, column.title),
        isSorted ? (isDescending ? ' ↓' : ' ↑') : '',
      );
      cell.style.width = `${column.width}px`;
      return cell;
    });
    const picks = html(
      'span',
      { class: 'gs-cell gs-picks', role: 'columnheader' },
      html('span', { title: 'target' }, '◉'),
      html('span', { title: 'baseline' }, 'A'),
      html('span', { title: 'candidate' }, 'B'),
      html('span', { title: 'open the run' }, '▸'),
    );
    picks.style.width = `${PICKS}px`;
    this.#head.replaceChildren(picks, ...cells);
    const width = `${this.#width()}px`;
    this.#head.style.width = width;
    this.#body.style.width = width;
  }

  #drawRows(): void {
    const selection = this.#selection;
    if (!selection) return;
    const [first, last] = visibleRows(
      this.#lines.length,
      ROW,
      this.#root.scrollTop,
      this.#root.clientHeight,
    );
    const rows: HTMLElement[] = [];
    for (let at = first; at < last; at += 1) {
      const line = this.#lines[at];
      if (!line) continue;
      const row =
        'run' in line
          ? this.#row(line.run, at, selection)
          : html('div', { class: 'gs-row gs-group', role: 'row' }, line.title);
      row.style.top = `${at * ROW}px`;
      rows.push(row);
    }
    this.#body.replaceChildren(...rows);
  }

  #row(run: Run, at: number, selection: RunTableSelection): HTMLElement {
    const isTarget = selection.target?.runs.includes(run.run) ?? false;
    const isA = selection.a.includes(run.run);
    const isB = selection.b.includes(run.run);
    const row = html('div', {
      class: `gs-row${isTarget ? ' gs-is-target' : ''}${at === this.#cursor ? ' gs-cursor' : ''}`,
      role: 'row',
      'data-run': run.run,
      'aria-rowindex': String(at + 2),
      'aria-selected': String(isTarget),
      title: runDetails(run),
    });
    const pick = (side: string, label: string, isOn: boolean, text: string): HTMLElement =>
      html(
        'button',
        {
          type: 'button',
          tabindex: '-1',
          class: isOn ? 'gs-on' : '',
          'data-pick': side,
          'aria-pressed': String(isOn),
          'aria-label': `${label}: ${run.name}`,
          title: label,
        },
        text,
      );
    const picks = html(
      'span',
      { class: 'gs-cell gs-picks', role: 'gridcell' },
      pick('target', 'Target', isTarget, isTarget ? '◉' : '○'),
      pick('a', 'Baseline A', isA, 'A'),
      pick('b', 'Candidate B', isB, 'B'),
      html(
        'button',
        {
          type: 'button',
          tabindex: '-1',
          'data-pick': 'open',
          'aria-label': `Open: ${run.name}`,
          title: 'Open the run, key O',
        },
        '▸',
      ),
    );
    picks.style.width = `${PICKS}px`;
    row.append(picks);
    for (const column of this.#columns) {
      const cell = html('span', {
        class: `gs-cell${column.isNumber ? ' gs-number' : ''}${column.key === 'name' ? ' gs-mono' : ''}`,
        role: 'gridcell',
      });
      cell.style.width = `${column.width}px`;
      const most = this.#most.get(column.key) ?? 0;
      if (column.hasBar && most > 0) {
        const bar = html('span', { class: 'gs-cell-bar' });
        bar.style.width = `${(Number(column.cell(run) ?? 0) / most) * 100}%`;
        cell.append(bar);
      }
      const text = column.text(run);
      cell.append(
        html(
          'span',
          { class: 'gs-cut', title: text === '–' ? 'absent: the run has no such value' : text },
          text,
        ),
      );
      row.append(cell);
    }
    return row;
  }

  #click(event: MouseEvent): void {
    const element = event.target instanceof Element ? event.target : null;
    const column = element?.closest('[data-column]')?.getAttribute('data-column');
    if (column) {
      const { sort } = this.#selection ?? { sort: '' };
      this.#context?.emit({
        type: 'sort',
        column: sort === column ? `-${column}` : sort === `-${column}` ? '' : column,
      });
      return;
    }
    const run = element?.closest('[data-run]')?.getAttribute('data-run');
    if (!run) return;
    this.#cursor = this.#lines.findIndex((line) => 'run' in line && line.run.run === run);
    const side = element?.closest('[data-pick]')?.getAttribute('data-pick');
    if (side === 'a' || side === 'b') this.#context?.emit({ type: 'set-side', side, run });
    else if (side === 'open') this.#context?.emit({ type: 'open-run', run });
    else if (side === 'target' || event.detail > 1)
      this.#context?.emit({ type: 'set-target', run });
    else this.#drawRows();
  }

  #key(event: KeyboardEvent): void {
    if (event.target !== this.#root || event.ctrlKey || event.metaKey || event.altKey) return;
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: 10,
      PageUp: -10,
      Home: -1e9,
      End: 1e9,
    };
    const step = steps[event.key];
    const line = this.#lines[this.#cursor];
    if (step !== undefined) {
      this.#cursor = Math.max(0, Math.min(this.#lines.length - 1, this.#cursor + step));
      const top = this.#cursor * ROW;
      if (top < this.#root.scrollTop) this.#root.scrollTop = top;
      else if (top + 2 * ROW > this.#root.scrollTop + this.#root.clientHeight)
        this.#root.scrollTop = top + 2 * ROW - this.#root.clientHeight;
      this.#drawRows();
    } else if (event.key === 'Enter' && line && 'run' in line)
      this.#context?.emit({ type: 'set-target', run: line.run.run });
    else if (event.key === 'o' && line && 'run' in line)
      this.#context?.emit({ type: 'open-run', run: line.run.run });
    else if ((event.key === 'a' || event.key === 'b') && line && 'run' in line)
      this.#context?.emit({ type: 'set-side', side: event.key, run: line.run.run });
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
