/** One widget: its state, which Python has too, its answers, and what follows from them. All its pictures share it. */

import type { Diff, Facts, Hover, Runs, Sankey, Selection } from '@grainsheaf/views';
import { diffOf, geometryLens, targetOf } from '@grainsheaf/views/logic/lens.ts';
import { isOfOneRun } from './views.ts';
import { Answers, type Held } from './answers.ts';
import { factsOf, type Known, runsLens, selectionOf, targetNamed } from './facts.ts';
import { canonical, type Model, type State, stateOf, TRAITS } from './model.ts';
import { comparisonOf, pictureOf } from './own-views.ts';
import { MessageTransport } from './transport.ts';

/** Steps that can be undone. */
const MEMORY = 100;
/** Seconds without any reaction of the kernel after which the reader learns of it. */
const PATIENCE = 5;

/** A hover field that several pictures share. */
class HoverField {
  #value: Hover | undefined;
  readonly #listeners = new Set<(value: Hover | undefined) => void>();

  get value(): Hover | undefined {
    return this.#value;
  }

  set(value: Hover | undefined): void {
    const before = this.#value;
    if (before?.kind === value?.kind && before?.id === value?.id && before?.time === value?.time)
      return;
    this.#value = value;
    for (const listener of this.#listeners) listener(value);
  }

  peek(): Hover | undefined {
    return this.#value;
  }

  subscribe(listener: (value: Hover | undefined) => void): () => void {
    this.#listeners.add(listener);
    listener(this.#value);
    return () => this.#listeners.delete(listener);
  }
}

export class Core {
  readonly model: Model;
  readonly answers: Answers;
  readonly hover = new HoverField();
  /** Whether the kernel does not react. */
  isSilent = false;
  /** Sides of a comparison while the other one is not chosen yet. */
  pending = { a: '', b: '' };
  readonly #transport: MessageTransport;
  readonly #listeners = new Set<() => void>();
  #state: State;
  #past: State[] = [];
  #isQueued = false;
  #isWriting = false;
  #facts: readonly [from: unknown, lens: string, facts: Facts] | undefined;
  #selection: Selection | undefined;
  #shared: readonly Held[] = [];

  constructor(model: Model) {
    this.model = model;
    this.#state = stateOf(model);
    const patience = model.get('_patience');
    this.#transport = new MessageTransport(
      model,
      1000 * (typeof patience === 'number' ? patience : PATIENCE),
      (isSilent) => {
        if (this.isSilent === isSilent) return;
        this.isSilent = isSilent;
        this.changed();
      },
    );
    this.answers = new Answers(this.#transport, () => this.changed());
    for (const name of TRAITS) model.on(`change:${name}`, this.#read);
    for (const name of ['theme', 'height']) model.on(`change:${name}`, () => this.changed());
    // The connection to the kernel is another one: a restarted kernel does not know the questions.
    model.on('comm_live_update', () => this.#transport.again());
  }

  get state(): State {
    return this.#state;
  }

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Draws everything anew, once for all changes of one moment. */
  changed(): void {
    if (this.#isQueued) return;
    this.#isQueued = true;
    queueMicrotask(() => {
      this.#isQueued = false;
      for (const listener of [...this.#listeners]) listener();
    });
  }

  /** Changes the state here and in Python; a step that can be undone, unless it follows the pointer. */
  navigate(change: Partial<State>, isReplacing = false): void {
    const next = { ...this.#state, ...change };
    if (canonical(next) === canonical(this.#state)) return;
    if (!isReplacing) this.#remember();
    this.#adopt(next);
    this.#write();
  }

  undo(): void {
    const before = this.#past.pop();
    if (!before) return;
    this.#adopt(before);
    this.#write();
  }

  /** Asks again what has no answer. */
  retry(): void {
    this.#transport.again();
    this.answers.retry();
  }

  destroy(): void {
    this.#transport.destroy();
    this.#listeners.clear();
  }

  /** Shared answers, as far as they are here; asks for those that the shown view needs. */
  known(): Known {
    const { lens, view } = this.#state;
    const runs = { route: 'runs', query: { lens: runsLens(lens) }, what: 'Reading the run table' };
    const picture = isOfOneRun(view) ? undefined : pictureOf(geometryLens(lens));
    const isDiff = diffOf(lens) !== undefined;
    const diff = isOfOneRun(view) ? undefined : comparisonOf({ isDiff, lens } as Selection);
    // A selector that is no run and no cohort is an expression about runs of the store.
    const open = this.#unresolved().map((selector) => ({
      route: 'runs',
      query: { lens: `where ${selector}` },
      what: `Looking for the runs of ${selector}`,
    }));
    const held = this.answers.need(
      this,
      [runs, picture, diff, ...open].flatMap((request) => request ?? []),
    );
    this.#shared = held;
    const at = (request: unknown): unknown => (request ? held[place++]?.data : undefined);
    let place = 0;
    const known = {
      runs: at(runs) as Runs | undefined,
      sankey: at(picture) as Sankey | undefined,
      diff: at(diff) as Diff | undefined,
    };
    const resolved = new Map(
      open.flatMap(({ query }): [string, readonly string[]][] => {
        const found = at(query) as Runs | undefined;
        return found ? [[query.lens.slice('where '.length), found.runs.map(({ run }) => run)]] : [];
      }),
    );
    return { ...known, resolved };
  }

  /** Whether one of the shared answers failed, and why. */
  failure(): Held | undefined {
    return this.#shared.find(({ error }) => error);
  }

  facts(known: Known): Facts {
    const { lens } = this.#state;
    const by = runsLens(lens);
    if (this.#facts?.[0] !== known.runs || this.#facts?.[1] !== by)
      this.#facts = [known.runs, by, factsOf(lens, known.runs)];
    return this.#facts[2];
  }

  /** The selection now; the same object if no field has changed. */
  selection(known: Known): Selection {
    const next = selectionOf(this.#state, this.pending, this.facts(known), known);
    const before = this.#selection;
    if (!before) return (this.#selection = next);
    const fields: Record<string, unknown> = { ...next };
    let isSame = true;
    for (const [name, value] of Object.entries(before)) {
      if (canonical(value) === canonical(fields[name])) fields[name] = value;
      else isSame = false;
    }
    return (this.#selection = isSame ? before : (fields as unknown as Selection));
  }

  /** Selectors of the lens that name neither a run nor a cohort. */
  #unresolved(): string[] {
    const { lens } = this.#state;
    const known = { runs: this.#facts?.[0], resolved: new Map() } as unknown as Known;
    const facts = this.#facts?.[2];
    if (!facts || facts.runs.length === 0) return [];
    return [targetOf(lens), ...(diffOf(lens) ?? [])].filter(
      (selector): selector is string =>
        selector !== undefined && targetNamed(selector, lens, facts, known) === undefined,
    );
  }

  #remember(): void {
    this.#past = [...this.#past.slice(1 - MEMORY), this.#state];
  }

  #adopt(state: State): void {
    this.#state = state;
    this.changed();
  }

  /** Takes over what Python has assigned. What this side has written itself is no change. */
  readonly #read = (): void => {
    if (this.#isWriting) return;
    const next = stateOf(this.model);
    if (canonical(next) === canonical(this.#state)) return;
    this.#remember();
    // A side that the reader has chosen belongs to the lens before.
    if (next.lens !== this.#state.lens) this.pending = { a: '', b: '' };
    this.#adopt(next);
  };

  /** Writes what differs from the traits, in one message. */
  #write(): void {
    const before = stateOf(this.model);
    let isChanged = false;
    // Each change is reported at once, while the others are not written yet.
    this.#isWriting = true;
    for (const name of TRAITS) {
      if (canonical(before[name]) === canonical(this.#state[name])) continue;
      this.model.set(name, this.#state[name]);
      isChanged = true;
    }
    this.#isWriting = false;
    if (isChanged) this.model.save_changes();
  }
}
