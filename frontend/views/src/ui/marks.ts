/** Marks of a picture: tooltip by pointer and by focus, one tab stop with arrow keys, Enter picks. */

import { activeElement } from './layer.ts';
import { visible } from '../logic/visible.ts';
import { assign } from './dom.ts';
import type { Patch } from '../registry/selection.ts';
import type { Tooltip, TooltipContent } from './tooltip.ts';

/** What a mark stands for. Texts are made when they are needed, not when the mark is drawn. */
export interface Mark {
  /** Stable over redraws, so that the focus stays. */
  readonly key: string;
  tip(): TooltipContent;
  /** What Enter, Space and a click do. */
  pick?(event: MouseEvent | KeyboardEvent): void;
  /** Run that the mark stands for: a double click or `O` opens it. */
  readonly run?: string | undefined;
  /** What is selected in the run that opens. */
  readonly patch?: Patch;
}

/** Last line of the tooltip of a mark that stands for a run. */
export const OPENS_RUN = 'Double click or O: open the run.';

/** Steps of the arrow keys, in pixels of the window. */
const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

export class Marks {
  readonly #root: HTMLElement | SVGElement;
  readonly #tooltip: Tooltip;
  readonly #open: (run: string, patch?: Patch) => void;
  readonly #marks = new Map<string, Mark>();
  readonly #elements = new Map<string, Element>();
  #current = '';
  #isHovered = false;
  /** Key of the mark that the first of two clicks hit. */
  #clicked = '';

  constructor(
    root: HTMLElement | SVGElement,
    tooltip: Tooltip,
    signal: AbortSignal,
    open: (run: string, patch?: Patch) => void,
  ) {
    this.#root = root;
    this.#tooltip = tooltip;
    this.#open = open;
    const on = (type: string, act: (event: Event) => void): void =>
      root.addEventListener(type, act, { signal });
    on('pointermove', (event) => this.#hover(event as PointerEvent));
    on('pointerleave', () => tooltip.hide());
    on('focusout', () => tooltip.hide());
    on('focusin', (event) => this.#focus(event.target));
    on('click', (event) => this.#click(event as MouseEvent));
    on('keydown', (event) => this.#key(event as KeyboardEvent));
  }

  /**
   * Makes an element a mark, named by its text or the title of its tooltip; with the focus it is described in
   * full. The first one is the tab stop until another has had the focus.
   */
  add(element: Element, mark: Mark): void {
    this.#marks.set(mark.key, mark);
    this.#elements.set(mark.key, element);
    if (this.#current === '') this.#current = mark.key;
    assign(element, {
      'data-mark': mark.key,
      role: mark.pick ? 'button' : 'img',
      tabindex: mark.key === this.#current ? 0 : -1,
      'aria-label': hasText(element) ? undefined : mark.tip().title,
    });
    if (mark.pick) element.classList.add('gs-pickable');
  }

  /** Draws anew: forgets the marks, and gives the focus to the mark of the same key afterwards. */
  redraw(draw: () => void): void {
    const active = activeElement(this.#root);
    const held = active && this.#root.contains(active) ? active.getAttribute('data-mark') : null;
    this.#marks.clear();
    this.#elements.clear();
    const before = this.#current;
    draw();
    if (!this.#elements.has(before)) this.#stopAt([...this.#elements.keys()][0] ?? '');
    if (held !== null) focusElement(this.#elements.get(held) ?? this.#elements.get(this.#current));
    else this.#tooltip.hide();
  }

  /** The element of a mark. */
  element(key: string): Element | undefined {
    return this.#elements.get(key);
  }

  #markOf(target: EventTarget | null): Mark | undefined {
    const element = target instanceof Element ? target.closest('[data-mark]') : null;
    return this.#marks.get(element?.getAttribute('data-mark') ?? '');
  }

  #hover(event: PointerEvent): void {
    const mark = this.#markOf(event.target);
    if (mark) this.#tooltip.show(tipOf(mark), event.clientX, event.clientY);
    // Canvases and tables in the root show tooltips of their own.
    else if (this.#isHovered) this.#tooltip.hide();
    this.#isHovered = mark !== undefined;
  }

  #click(event: MouseEvent): void {
    const hit = this.#markOf(event.target);
    // The first of two clicks can draw the marks anew, with another one in the place of the mark, after which browsers send
    // no `dblclick`. The second opens the run, and must not take the choice back.
    const mark = event.detail < 2 ? hit : (this.#marks.get(this.#clicked) ?? hit);
    this.#clicked = event.detail === 1 ? (mark?.key ?? '') : '';
    if (mark?.run === undefined || event.detail < 2) mark?.pick?.(event);
    else if (event.detail === 2) this.#openRun(mark);
  }

  #focus(target: EventTarget | null): void {
    const mark = this.#markOf(target);
    const element = mark && this.#elements.get(mark.key);
    if (!mark || element !== target) return;
    this.#stopAt(mark.key);
    const tip = tipOf(mark);
    // A mark with a text of its own is named by it.
    const name = element && hasText(element) ? 'aria-description' : 'aria-label';
    element?.setAttribute(name, visible(labelOf(tip)));
    if (!element?.matches(':focus-visible')) return;
    const box = element.getBoundingClientRect();
    this.#tooltip.show(tip, box.right, box.bottom);
  }

  #stopAt(key: string): void {
    this.#elements.get(this.#current)?.setAttribute('tabindex', '-1');
    this.#current = key;
    this.#elements.get(key)?.setAttribute('tabindex', '0');
  }

  #key(event: KeyboardEvent): void {
    const mark = this.#markOf(event.target);
    if (!mark || event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.#elements.get(mark.key) !== event.target) return;
    if ((event.key === 'Enter' || event.key === ' ') && mark.pick) mark.pick(event);
    else if (event.key === 'o' && this.#openRun(mark)) this.#tooltip.hide();
    else if (!this.#move(mark.key, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Opens the run of a mark, if it stands for one. */
  #openRun(mark: Mark | undefined): boolean {
    if (mark?.run === undefined) return false;
    this.#open(mark.run, mark.patch);
    return true;
  }

  /** Moves the focus to the nearest mark in a direction, or to the first or last. */
  #move(from: string, key: string): boolean {
    if (key === 'Home' || key === 'End') {
      const keys = [...this.#elements.keys()];
      const to = key === 'Home' ? keys[0] : keys[keys.length - 1];
      if (to !== undefined) focusElement(this.#elements.get(to));
      return true;
    }
    const step = STEPS[key];
    const start = this.#elements.get(from);
    if (!step || !start) return false;
    focusElement(nearest(start, [...this.#elements.values()], step) ?? start);
    return true;
  }
}

/** Tooltip of a mark, with what else can be done. */
function tipOf(mark: Mark): TooltipContent {
  const tip = mark.tip();
  return mark.run === undefined ? tip : { ...tip, notes: [...(tip.notes ?? []), OPENS_RUN] };
}

function hasText(element: Element): boolean {
  return (element.textContent ?? '').trim() !== '';
}

/** Text of a mark for screen readers. */
function labelOf({ title, rows }: TooltipContent): string {
  return [title, ...rows.map(([label, value]) => `${label} ${value}`)].join(', ');
}

function focusElement(element: Element | undefined): void {
  if (element instanceof HTMLElement || element instanceof SVGElement) element.focus();
}

/** The element nearest to the middle of `start` in a direction; what is aside counts twice. */
function nearest(
  start: Element,
  all: readonly Element[],
  [dx, dy]: readonly [number, number],
): Element | undefined {
  const middle = (element: Element): [number, number] => {
    const box = element.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  };
  const [x, y] = middle(start);
  let best: Element | undefined;
  let least = Infinity;
  for (const element of all) {
    if (element === start) continue;
    const [toX, toY] = middle(element);
    const along = (toX - x) * dx + (toY - y) * dy;
    if (along < 0.5) continue;
    const aside = Math.abs((toX - x) * dy) + Math.abs((toY - y) * dx);
    const distance = along + 2 * aside;
    if (distance < least) [best, least] = [element, distance];
  }
  return best;
}
