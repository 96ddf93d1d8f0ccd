/** A table of many rows: only what is seen is drawn. Sorting, one cursor, pictures in cells. */

import { type Cell, sortRows, visibleRows } from '../logic/table.ts';
import { html } from './dom.ts';

export interface GridColumn<R> {
  readonly key: string;
  readonly title: string;
  /** Tooltip of the header. */
  readonly hint?: string;
  /** Unit, in the header. */
  readonly unit?: string;
  /** Pixels; one column without a width takes the rest. */
  readonly width?: number;
  readonly isNumber?: boolean;
  /** What rows are sorted by; a column without it cannot be sorted. */
  cell?(row: R): Cell;
  /** Text or picture of the cell. */
  draw(row: R): string | Node;
}

export interface GridOptions<R> {
  readonly label: string;
  readonly rowHeight?: number;
  key(row: R): string;
  pick?(row: R): void;
  /** A double click, or `O` on the row with the cursor. */
  open?(row: R, event: MouseEvent | KeyboardEvent): void;
  /** Column to sort by was chosen; `-` in front for descending. */
  sort?(column: string): void;
}

export class Grid<R> {
  readonly root: HTMLElement;
  readonly #head = html('div', { class: 'gs-row gs-head', role: 'row' });
  readonly #body = html('div', { class: 'gs-body', role: 'rowgroup' });
  readonly #options: GridOptions<R>;
  readonly #height: number;
  #columns: readonly GridColumn<R>[] = [];
  #rows: readonly R[] = [];
  #cursor = 0;
  #picked: ReadonlySet<string> = new Set();
  #sort = '';

  constructor(options: GridOptions<R>, signal: AbortSignal) {
    this.#options = options;
    this.#height = options.rowHeight ?? 24;
    this.root = html('div', {
      class: 'gs-grid',
      role: 'grid',
      tabindex: 0,
      'aria-label': options.label,
    });
    this.root.append(this.#head, this.#body);
    this.root.addEventListener('scroll', () => this.#drawRows(), { signal, passive: true });
    this.root.addEventListener('click', (event) => this.#click(event), { signal });
    this.root.addEventListener('dblclick', (event) => this.#open(event), { signal });
    this.root.addEventListener('keydown', (event) => this.#key(event), { signal });
    const observer = new ResizeObserver(() => this.#drawRows());
    observer.observe(this.root);
    signal.addEventListener('abort', () => observer.disconnect());
  }

  update(
    columns: readonly GridColumn<R>[],
    rows: readonly R[],
    state: { readonly sort?: string; readonly picked?: Iterable<string> } = {},
  ): void {
    const held = this.#rows[this.#cursor];
    this.#columns = columns;
    this.#sort = state.sort ?? '';
    this.#picked = new Set(state.picked);
    const column = columns.find(({ key }) => key === this.#sort.replace(/^-/, ''));
    const { cell } = column ?? {};
    this.#rows = cell ? sortRows(rows, (row) => cell(row), this.#sort.startsWith('-')) : rows;
    const key = held && this.#options.key(held);
    this.#cursor = Math.max(
      0,
      this.#rows.findIndex((row) => this.#options.key(row) === key),
    );
    this.#drawHead();
    this.#body.style.height = `${this.#rows.length * this.#height}px`;
    this.root.setAttribute('aria-rowcount', String(rows.length + 1));
    this.#drawRows();
  }

  /** Rows in the order shown. */
  get rows(): readonly R[] {
    return this.#rows;
  }

  /** Puts the cursor on the row of a key. */
  go(key: string): void {
    const at = this.#rows.findIndex((row) => this.#options.key(row) === key);
    if (at >= 0) this.#go(at);
  }

  #drawHead(): void {
    this.#head.replaceChildren(
      ...this.#columns.map((column) => {
        const isSorted = this.#sort.replace(/^-/, '') === column.key;
        const arrow = isSorted ? (this.#sort.startsWith('-') ? ' ▾' : ' ▴') : '';
        const unit = column.unit ? `, ${column.unit}` : '';
        const content = `${column.title}${unit}${arrow}`;
        const isSortable = column.cell && this.#options.sort;
        const head = html(
          'span',
          {
            class: `gs-cell${column.isNumber ? ' gs-number' : ''}`,
            role: 'columnheader',
            title: column.hint,
            'aria-sort': isSorted
              ? this.#sort.startsWith('-')
                ? 'descending'
                : 'ascending'
              : undefined,
          },
          isSortable
            ? html(
                'button',
                { type: 'button', class: 'gs-sort', 'data-column': column.key, tabindex: -1 },
                content,
              )
            : content,
        );
        this.#size(head, column);
        return head;
      }),
    );
  }

  #drawRows(): void {
    const [first, last] = visibleRows(
      this.#rows.length,
      this.#height,
      this.root.scrollTop,
      this.root.clientHeight || 600,
    );
    this.#body.replaceChildren(
      ...this.#rows.slice(first, last).map((row, offset) => this.#row(row, first + offset)),
    );
    if (this.#rows.length > 0)
      this.root.setAttribute('aria-activedescendant', this.#id(this.#cursor));
  }

  #id(index: number): string {
    return `${this.#options.label.replace(/\W+/g, '-')}-${index}`;
  }

  #row(row: R, index: number): HTMLElement {
    const key = this.#options.key(row);
    const isPicked = this.#picked.has(key);
    const line = html('div', {
      class: `gs-row${index === this.#cursor ? ' gs-cursor' : ''}${isPicked ? ' gs-picked' : ''}`,
      role: 'row',
      id: this.#id(index),
      'aria-rowindex': index + 2,
      'aria-selected': this.#options.pick ? String(isPicked) : undefined,
      'data-row': index,
    });
    line.style.top = `${index * this.#height}px`;
    line.style.height = `${this.#height}px`;
    for (const column of this.#columns) {
      const content = column.draw(row);
      const cell = html('span', {
        class: `gs-cell${column.isNumber ? ' gs-number' : ''}`,
        role: 'gridcell',
      });
      cell.append(
        typeof content === 'string'
          ? html(
              'bdi',
              { class: 'gs-cut', title: content.length > 24 ? content : undefined },
              content,
            )
          : content,
      );
      this.#size(cell, column);
      line.append(cell);
    }
    return line;
  }

  #size(cell: HTMLElement, column: GridColumn<R>): void {
    if (column.width === undefined) cell.classList.add('gs-rest');
    else cell.style.width = `${column.width}px`;
  }

  #click(event: MouseEvent): void {
    const element = event.target instanceof Element ? event.target : null;
    const column = element?.closest('[data-column]')?.getAttribute('data-column');
    if (column) {
      const isSame = this.#sort.replace(/^-/, '') === column;
      this.#options.sort?.(isSame && this.#sort.startsWith('-') ? column : `-${column}`);
      return;
    }
    if (element?.closest('a,input,button')) return;
    const index = Number(element?.closest('[data-row]')?.getAttribute('data-row') ?? NaN);
    const row = this.#rows[index];
    if (row === undefined) return;
    // The second click of two opens the row: it must neither take the choice back nor replace what was clicked.
    if (this.#options.open && event.detail > 1) return;
    this.#cursor = index;
    this.#options.pick?.(row);
    this.#drawRows();
  }

  #open(event: MouseEvent): void {
    const element = event.target instanceof Element ? event.target : null;
    if (element?.closest('a,input,button')) return;
    const row = this.#rows[Number(element?.closest('[data-row]')?.getAttribute('data-row') ?? NaN)];
    if (row !== undefined) this.#options.open?.(row, event);
  }

  #key(event: KeyboardEvent): void {
    if (event.target !== this.root || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.root.clientHeight / this.#height) - 2);
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -Infinity,
      End: Infinity,
    };
    const step = steps[event.key];
    const row = this.#rows[this.#cursor];
    if (step !== undefined) this.#go(this.#cursor + step);
    else if ((event.key === 'Enter' || event.key === ' ') && row !== undefined)
      this.#options.pick?.(row);
    else if (event.key === 'o' && this.#options.open && row !== undefined)
      this.#options.open(row, event);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #go(to: number): void {
    this.#cursor = Math.max(0, Math.min(this.#rows.length - 1, to));
    const top = this.#cursor * this.#height;
    const room = this.root.clientHeight - 2 * this.#height;
    if (top < this.root.scrollTop) this.root.scrollTop = top;
    else if (top > this.root.scrollTop + room) this.root.scrollTop = top - room;
    this.#drawRows();
  }
}
