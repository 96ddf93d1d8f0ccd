/** The run table: sorted, grouped, with rows drawn only where they are seen. */

import type { Run, Runs, Sankey } from '../api.ts';
import { formatParameter } from '../logic/format.ts';
import { csvOf, sortRows, visibleRows } from '../logic/table.ts';
import { valueAt } from '../logic/values.ts';
import { html, svg, textStyle } from '../ui/dom.ts';
import { serialiseSvg } from '../ui/export.ts';
import { openMenu } from '../ui/menu.ts';
import type { Target, View, ViewContext, ViewEvent } from '../ui/view.ts';
import { type ByGroup, byGroupOf, drawGroups, type GroupMark } from './by-group.ts';
import { type Column, columnsOf } from './columns.ts';
import { groupLegend, itemsOf, pickBar, renameForm, type RunActions } from './foot.ts';
import { between, toggled } from './picks.ts';
import { GROUPS, headOf, rowOf, type Rows, widthOf } from './row.ts';
import '../ui/charts.css';
import './run-table.css';

export interface RunTableData {
  readonly runs: Runs;
  /** Unknown until an answer states it. */
  readonly metric: string | undefined;
  /** The picture whose groups are drawn for each run. */
  readonly sankey?: Sankey | undefined;
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
  /** Picked runs. */
  readonly runs?: readonly string[] | undefined;
  /** How the groups of the picture are drawn. */
  readonly mark?: GroupMark | undefined;
  /** Selected group. */
  readonly group?: string | undefined;
  /** Whether the service may change the store. */
  readonly canEdit?: boolean | undefined;
}

const ROW = 24;
/** Rows of an exported picture at most; the CSV has all. */
const MAX_EXPORTED = 500;

type Line = { readonly run: Run } | { readonly title: string; readonly members: readonly Run[] };

export class RunTableView implements View<RunTableData, RunTableSelection> {
  readonly #root = html('div', { class: 'gs-runs' });
  readonly #grid = html('div', {
    class: 'gs-run-table',
    role: 'grid',
    'aria-label': 'Runs',
    'aria-multiselectable': 'true',
    tabindex: '0',
  });
  readonly #head = html('div', { class: 'gs-row gs-head', role: 'row' });
  readonly #body = html('div', { class: 'gs-body', role: 'rowgroup' });
  readonly #foot = html('div', { class: 'gs-runs-foot' });
  readonly #stop = new AbortController();
  #context: ViewContext | undefined;
  #runs: readonly Run[] = [];
  #columns: Column[] = [];
  #lines: Line[] = [];
  #rows: Rows | undefined;
  #sankey: Sankey | undefined;
  #groups: ByGroup | undefined;
  #selection: RunTableSelection | undefined;
  #cursor = 0;
  /** Line at which a range starts. */
  #anchor = 0;
  /** The run whose name is being changed. */
  #renamed = '';

  mount(element: HTMLElement, context: ViewContext): void {
    this.#context = context;
    this.#grid.append(this.#head, this.#body);
    this.#root.append(this.#grid, this.#foot);
    element.append(this.#root);
    const { signal } = this.#stop;
    const grid = this.#grid;
    grid.addEventListener('scroll', () => this.#drawRows(), { signal, passive: true });
    grid.addEventListener('click', (event) => this.#click(event), { signal });
    grid.addEventListener('keydown', (event) => this.#key(event), { signal });
    grid.addEventListener('contextmenu', (event) => this.#menu(event), { signal });
    grid.addEventListener(
      'mousedown',
      // A range of rows is not a selection of their text.
      (event) => event.shiftKey && event.preventDefault(),
      { signal },
    );
    const observer = new ResizeObserver(() => this.#drawRows());
    observer.observe(grid);
    signal.addEventListener('abort', () => observer.disconnect());
  }

  update(data: RunTableData, selection: RunTableSelection): void {
    const palette = this.#context?.palette();
    if (!palette) return;
    this.#selection = selection;
    this.#runs = data.runs.runs;
    this.#columns = columnsOf(data.runs, selection.isFolded, data.metric);
    if (data.sankey !== this.#sankey) this.#groups = byGroupOf(data.sankey);
    this.#sankey = data.sankey;
    const most = this.#columns
      .filter((column) => column.hasBar)
      .map(
        (column) =>
          [
            column.key,
            Math.max(0, ...this.#runs.map((run) => Number(column.cell(run) ?? 0))),
          ] as const,
      );
    this.#rows = {
      columns: this.#columns,
      most: new Map(most),
      groups: this.#groups,
      mark: data.sankey ? (selection.mark ?? 'none') : 'none',
      palette,
      picked: new Set(selection.runs),
      target: selection.target?.runs ?? [],
      a: selection.a,
      b: selection.b,
    };
    this.#lines = this.#order(this.#runs, selection);
    this.#head.replaceChildren(...headOf(this.#rows, selection.sort));
    const width = `${widthOf(this.#rows)}px`;
    this.#head.style.width = width;
    this.#body.style.width = width;
    this.#grid.setAttribute('aria-rowcount', String(this.#runs.length + 1));
    this.#body.style.height = `${this.#lines.length * ROW}px`;
    this.#drawFoot(this.#rows);
    this.#drawRows();
  }

  destroy(): void {
    this.#stop.abort();
    this.#root.remove();
  }

  exportSvg(): string {
    const palette = this.#context?.palette();
    if (!palette || !this.#rows) return '';
    const height = (this.#lines.length + 1) * ROW;
    const picture = svg('svg', { width: widthOf(this.#rows), height });
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
    const lines = this.#lines.slice(0, MAX_EXPORTED);
    const { mark, groups } = this.#rows;
    this.#columns.forEach((column, at) => {
      write(column, x, 0, column.title);
      lines.forEach((line, index) => {
        if ('run' in line) write(column, x, (index + 1) * ROW, column.text(line.run));
      });
      x += column.width;
      if (at > 0 || mark === 'none' || !groups) return;
      lines.forEach((line, index) => {
        if (!('run' in line)) return;
        const cell = drawGroups(groups, line.run.run, mark, GROUPS - 16, palette);
        cell.setAttribute('transform', `translate(${x + 8},${(index + 1) * ROW})`);
        picture.append(cell);
      });
      x += GROUPS;
    });
    return serialiseSvg(picture, palette.ground, this.#context?.lens() ?? '');
  }

  /** Visible columns of all rows, and their groups, in the order shown. */
  exportCsv(): string {
    const data = this.#rows?.mark === 'none' ? undefined : this.#groups;
    const groups = data?.groups ?? [];
    const rows = this.#lines.flatMap((line) => {
      if (!('run' in line)) return [];
      const row = data?.rowOf.get(line.run.run) ?? -1;
      const own = groups.map(({ values }) => valueAt(values, row));
      return [[line.run.run, ...this.#columns.map((column) => column.cell(line.run)), ...own]];
    });
    const titles = this.#columns.map((column) => column.title);
    const names = groups.map(({ name }) => `exclusive ${name}`);
    return csvOf(this.#context?.lens() ?? '', ['id', ...titles, ...names], rows);
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
      { title: `${title} · ${members.length}`, members },
      ...members.map((run) => ({ run })),
    ]);
  }

  #drawFoot(rows: Rows): void {
    const { group = '' } = this.#selection ?? {};
    const renamed = this.#runs.find(({ run }) => run === this.#renamed);
    // A form that is being filled in stays.
    if (renamed && this.#foot.querySelector('form')) return;
    const emit = (event: ViewEvent): void => this.#context?.emit(event);
    const close = (): void => {
      this.#renamed = '';
      this.#foot.replaceChildren();
      if (this.#rows) this.#drawFoot(this.#rows);
      this.#grid.focus();
    };
    const legend =
      rows.groups && rows.mark !== 'none'
        ? [groupLegend(rows.groups, rows.mark, rows.palette, group, emit)]
        : [];
    const bar = renamed
      ? [renameForm(renamed, emit, close)]
      : pickBar(this.#actions(this.#picked()));
    this.#foot.replaceChildren(...legend, ...bar);
    if (renamed) this.#foot.querySelector('input')?.select();
  }

  /** Picked runs of the table, in its order. */
  #picked(): readonly Run[] {
    const { picked } = this.#rows ?? {};
    return this.#lines.flatMap((line) =>
      'run' in line && picked?.has(line.run.run) ? [line.run] : [],
    );
  }

  #actions(runs: readonly Run[]): RunActions {
    return {
      runs,
      count: this.#runs.length,
      canEdit: this.#selection?.canEdit ?? false,
      emit: (event) => this.#context?.emit(event),
      rename: () => {
        this.#renamed = runs[0]?.run ?? '';
        if (this.#rows) this.#drawFoot(this.#rows);
      },
    };
  }

  #drawRows(): void {
    const rows = this.#rows;
    if (!rows) return;
    const { scrollTop, clientHeight } = this.#grid;
    const [first, last] = visibleRows(this.#lines.length, ROW, scrollTop, clientHeight);
    const drawn: HTMLElement[] = [];
    for (let at = first; at < last; at += 1) {
      const line = this.#lines[at];
      if (!line) continue;
      const isCursor = at === this.#cursor;
      const row =
        'run' in line
          ? rowOf(line.run, at, isCursor, rows)
          : html(
              'div',
              { class: `gs-row gs-group${isCursor ? ' gs-cursor' : ''}`, role: 'row' },
              html('span', { role: 'gridcell' }, line.title),
            );
      row.setAttribute('data-line', String(at));
      row.style.top = `${at * ROW}px`;
      drawn.push(row);
    }
    this.#body.replaceChildren(...drawn);
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
    const at = this.#lineOf(element);
    const line = this.#lines[at];
    if (!line) return;
    this.#cursor = at;
    const side = element?.closest('[data-pick]')?.getAttribute('data-pick');
    if (event.shiftKey) this.#pickRange(at);
    else if (event.ctrlKey || event.metaKey || side === 'pick') this.#toggle(at);
    else if (!('run' in line)) this.#drawRows();
    else this.#act(line.run.run, side ?? (event.detail > 1 ? 'target' : undefined));
  }

  /** What a button of a row does; without one, the row has the cursor. */
  #act(run: string, side: string | undefined): void {
    if (side === 'a' || side === 'b') this.#context?.emit({ type: 'set-side', side, run });
    else if (side === 'open') this.#context?.emit({ type: 'open-run', run });
    else if (side === 'target') this.#context?.emit({ type: 'set-target', run });
    else {
      this.#anchor = this.#cursor;
      this.#drawRows();
    }
  }

  #lineOf(element: Element | null): number {
    return Number(element?.closest('[data-line]')?.getAttribute('data-line') ?? -1);
  }

  #runsOf(at: number): readonly string[] {
    const line = this.#lines[at];
    if (!line) return [];
    return 'run' in line ? [line.run.run] : line.members.map(({ run }) => run);
  }

  /** Picks a run or drops it; at a title, all of its group. */
  #toggle(at: number): void {
    this.#anchor = at;
    const picked = this.#selection?.runs ?? [];
    this.#pick(toggled(picked, this.#runsOf(at)));
  }

  #pickRange(at: number): void {
    const ids = this.#lines.map((line) => ('run' in line ? line.run.run : undefined));
    this.#pick(between(ids, this.#anchor, at));
  }

  #pick(runs: readonly string[]): void {
    this.#context?.emit({ type: 'select', patch: { runs } });
    this.#drawRows();
  }

  /** Menu of the picked runs, or of the run under the pointer if it is not picked. */
  #menu(event: MouseEvent): void {
    const element = event.target instanceof Element ? event.target : null;
    // The key of the menu reports the grid itself.
    const at = element === this.#grid ? this.#cursor : this.#lineOf(element);
    const ids = new Set(this.#runsOf(at));
    if (ids.size === 0) return;
    event.preventDefault();
    const picked = this.#picked();
    const isPicked = picked.some(({ run }) => ids.has(run));
    const runs = isPicked ? picked : this.#runs.filter(({ run }) => ids.has(run));
    const row = this.#body.querySelector(`[data-line="${at}"]`)?.getBoundingClientRect();
    const isByKey = element === this.#grid;
    const [x, y] = isByKey && row ? [row.left + 24, row.bottom] : [event.clientX, event.clientY];
    openMenu(itemsOf(this.#actions(runs)), x, y, 'Runs', this.#root);
  }

  #key(event: KeyboardEvent): void {
    if (event.target !== this.#grid || event.ctrlKey || event.metaKey || event.altKey) return;
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: 10,
      PageUp: -10,
      Home: -Infinity,
      End: Infinity,
    };
    const step = steps[event.key];
    const line = this.#lines[this.#cursor];
    const run = line && 'run' in line ? line.run.run : undefined;
    if (step !== undefined) this.#go(step, event.shiftKey);
    else if (event.key === ' ') this.#toggle(this.#cursor);
    else if (event.key === 'Escape' && this.#picked().length > 0) this.#pick([]);
    else if (run === undefined) return;
    else if (event.key === 'Enter') this.#act(run, 'target');
    else if (event.key === 'o') this.#act(run, 'open');
    else if (event.key === 'a' || event.key === 'b') this.#act(run, event.key);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #go(step: number, isRange: boolean): void {
    this.#cursor = Math.max(0, Math.min(this.#lines.length - 1, this.#cursor + step));
    const grid = this.#grid;
    const top = this.#cursor * ROW;
    if (top < grid.scrollTop) grid.scrollTop = top;
    else if (top + 2 * ROW > grid.scrollTop + grid.clientHeight)
      grid.scrollTop = top + 2 * ROW - grid.clientHeight;
    if (isRange) return this.#pickRange(this.#cursor);
    this.#anchor = this.#cursor;
    this.#drawRows();
  }
}
