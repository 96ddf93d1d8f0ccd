/** Shows one view: asks its question, draws its answers, and the states in which there are none. */

import type {
  EmptyState,
  Facts,
  RegisteredView,
  Request,
  Selection,
  Shown,
  View,
  ViewContext,
  ViewModule,
} from '@grainsheaf/views';
import type { Problem } from '@grainsheaf/views/data/answer.ts';
import { button } from '@grainsheaf/views/ui/controls.ts';
import { html } from '@grainsheaf/views/ui/dom.ts';
import type { Held } from './answers.ts';
import { act, canAct, onEvent, settingsOf, type Surroundings } from './events.ts';

type Module = ViewModule<Record<string, unknown>, never>;
type Values = Readonly<Record<string, unknown>>;

/** Milliseconds after which the reader learns what is computed. */
const SLOW = 150;

export class Pane {
  readonly element = html('div', { class: 'gs-pane' });
  readonly #host = html('div', { class: 'view' });
  readonly #over = html('div', { class: 'gs-over' });
  readonly #around: Surroundings;
  readonly #context: Pick<ViewContext, 'palette' | 'isMotionReduced'>;
  #shown: RegisteredView | undefined;
  #module: Module | undefined;
  #made: View<never, never> | undefined;
  #isDrawn = false;
  #answers: Values = {};
  #latest: Shown<never> | undefined;
  #timer = 0;
  #isSlow = false;
  #notes: readonly string[] = [];

  constructor(around: Surroundings, context: Pick<ViewContext, 'palette' | 'isMotionReduced'>) {
    this.#around = around;
    this.#context = context;
    this.element.append(this.#host, this.#over);
    new ResizeObserver(() => this.#draw()).observe(this.element);
  }

  /** What a reader must know about the answers. */
  get notes(): readonly string[] {
    return this.#notes;
  }

  /** The picture as a document; nothing while there is none. */
  picture(): string | undefined {
    const isSeen = this.#isDrawn && this.element.clientWidth > 0;
    return isSeen ? this.#made?.exportSvg() : undefined;
  }

  destroy(): void {
    clearTimeout(this.#timer);
    this.#close();
    this.#around.core.answers.leave(this);
  }

  /** Draws anew with other colours. */
  recolour(): void {
    // Notebooks take cells from the page for a moment while they change, which no observer reports.
    if (this.element.clientWidth === 0) requestAnimationFrame(() => this.#draw());
    this.#draw();
  }

  refresh(view: RegisteredView, selection: Selection, facts: Facts): void {
    if (view !== this.#shown) this.#open(view);
    const { core } = this.#around;
    const settings = settingsOf(core, view);
    const shown = this.#same({ selection, settings, facts } as unknown as Shown<never>);
    const asked = view.query(selection, settings as never);
    if ('empty' in asked) {
      core.answers.leave(this);
      this.#notes = [];
      return this.#state(asked.empty);
    }
    const requests = Object.entries(asked.requests).flatMap(
      ([name, request]): [string, Request][] => (request ? [[name, request]] : []),
    );
    const held = this.#need(requests, shown);
    const failed = held.find(([, { error }]) => error)?.[1].error;
    if (failed) {
      const refused = view.refused?.(failed.body, selection);
      return refused ? this.#state(refused) : this.#failure(failed);
    }
    const waiting = held.find(([, { isWaiting }]) => isWaiting)?.[1];
    this.#wait(waiting);
    const isWhole = held.slice(0, requests.length).every(([, { data }]) => data !== undefined);
    if (!isWhole || !this.#module) return;
    const data = Object.fromEntries([
      ...Object.keys(asked.requests).map((name) => [name, undefined]),
      ...held.flatMap(([name, { data }]) => (data === undefined ? [] : [[name, data]])),
    ]) as Record<string, unknown>;
    this.#answers = sameFields(this.#answers, data);
    this.#latest = shown;
    this.#notes = this.#module.notes?.(this.#answers, shown) ?? [];
    const empty = this.#module.empty?.(this.#answers, shown);
    if (empty) return this.#state(empty);
    if (!waiting) this.#over.replaceChildren();
    this.#draw();
  }

  /** Answers of the question, and of the parts that follow from them. */
  #need(requests: readonly [string, Request][], shown: Shown<never>): (readonly [string, Held])[] {
    const { answers } = this.#around.core;
    const all = [...requests];
    const ask = (): Held[] => answers.held(all.map(([, request]) => request));
    let held = ask();
    const isWhole = held.every(({ data }) => data !== undefined);
    if (isWhole && this.#module?.parts) {
      const found = Object.fromEntries(all.map(([name], at) => [name, held[at]?.data]));
      // Parts follow from parts: until no more follow, within reason.
      for (let round = 0; round < 8; round += 1) {
        const parts = Object.entries(this.#module.parts(found, shown)).filter(
          ([name]) => !all.some(([known]) => known === name),
        );
        if (parts.length === 0) break;
        all.push(...parts);
        held = ask();
        all.forEach(([name], at) => {
          const data = held[at]?.data;
          if (data !== undefined) found[name] = data;
        });
      }
    }
    // Once all are known: a part that failed would be asked again if it were not needed in between.
    held = answers.need(
      this,
      all.map(([, request]) => request),
    );
    return all.flatMap(([name], at): [string, Held][] => {
      const one = held[at];
      return one ? [[name, one]] : [];
    });
  }

  #open(view: RegisteredView): void {
    this.#close();
    this.#shown = view;
    this.#module = undefined;
    this.#over.replaceChildren();
    void view.load().then((module) => {
      if (view !== this.#shown) return;
      this.#module = module as unknown as Module;
      this.#around.core.changed();
    });
  }

  #close(): void {
    this.#made?.destroy();
    this.#made = undefined;
    this.#isDrawn = false;
    this.#answers = {};
    this.#latest = undefined;
    this.#notes = [];
  }

  #draw(): void {
    const view = this.#shown;
    if (!view || !this.#module || !this.#latest || this.element.clientWidth === 0) return;
    if (!this.#made) {
      this.#host.className = `view view-${view.id}`;
      this.#host.dataset['view'] = view.id;
      this.#made = this.#module.create() as unknown as View<never, never>;
      const { core } = this.#around;
      this.#made.mount(this.#host, {
        ...this.#context,
        lens: () => core.state.lens,
        hover: core.hover,
        emit: (event) => onEvent(this.#around, view, event),
      });
    }
    this.#made.update(this.#answers as never, this.#latest as never);
    this.#isDrawn = true;
  }

  /** Shows why there is nothing, instead of a picture. */
  #state(state: EmptyState): void {
    const view = this.#shown;
    this.#wait(undefined);
    this.#made?.destroy();
    this.#made = undefined;
    this.#isDrawn = false;
    this.#latest = undefined;
    const steps = (state.steps ?? [])
      .filter(({ action }) => canAct(action))
      .map(({ label, action }) => {
        const element = button(label, '', () => view && act(this.#around, view, action));
        element.className = 'button';
        return element;
      });
    this.#over.replaceChildren(stateOf(state.title, state.text, steps));
  }

  #failure(problem: Problem): void {
    this.#wait(undefined);
    const { core } = this.#around;
    const retry = button('Retry', '', () => core.retry());
    const details = button('Copy details', '', () => this.#around.copy(problem.details));
    const undo = button('Undo', 'Back to the state before', () => core.undo());
    const steps = core.canUndo ? [retry, undo, details] : [retry, details];
    for (const step of steps) step.className = 'button';
    const { code, message, hint } = problem.body;
    const title = code === 'bad_lens' ? 'The lens cannot be read' : 'This could not be answered';
    const state = stateOf(title, [message, hint].filter(Boolean).join('. '), steps);
    state.setAttribute('role', 'alert');
    // The picture before stays below an error, but does not look like an answer.
    this.#host.classList.add('is-dim');
    this.#over.replaceChildren(state);
  }

  /** Shows what is computed, once it takes a while. */
  #wait(waiting: Held | undefined): void {
    this.#host.classList.toggle('is-dim', waiting !== undefined && this.#isSlow);
    if (!waiting) {
      clearTimeout(this.#timer);
      this.#timer = 0;
      this.#isSlow = false;
      return;
    }
    if (this.#timer === 0)
      this.#timer = window.setTimeout(() => {
        this.#isSlow = true;
        this.#around.core.changed();
      }, SLOW);
    if (!this.#isSlow) return;
    const cancel = button('cancel', 'Stops waiting', () => this.#around.core.answers.cancel());
    cancel.className = 'link';
    this.#over.replaceChildren(
      html(
        'div',
        { class: 'waiting', role: 'status' },
        html('span', { class: 'waiting-bar' }),
        waiting.what,
        cancel,
      ),
    );
  }

  /** The same object as before if nothing in it has changed. */
  #same(shown: Shown<never>): Shown<never> {
    const before = this.#latest as Shown<unknown> | undefined;
    if (!before) return shown;
    const settings = sameFields(before.settings as Values, shown.settings as unknown as Values);
    return sameFields(
      before as unknown as Values,
      { ...shown, settings } as unknown as Values,
    ) as unknown as Shown<never>;
  }
}

/** The object before if the fields of the one after have the same values. */
function sameFields(before: Values, after: Values): Values {
  const names = Object.keys(after);
  const isSame =
    names.length === Object.keys(before).length &&
    names.every((name) => before[name] === after[name]);
  return isSame ? before : after;
}

/** A text in which what stands between backquotes is code. */
function stateOf(
  title: string,
  text: string | undefined,
  steps: readonly HTMLElement[],
): HTMLElement {
  const prose = (text ?? '')
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html('code', {}, part) : part));
  return html(
    'div',
    { class: 'state' },
    html('h2', {}, title),
    ...(text ? [html('p', {}, ...prose)] : []),
    ...(steps.length > 0 ? [html('p', { class: 'state-steps' }, ...steps)] : []),
  );
}
