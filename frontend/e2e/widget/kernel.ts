/** A notebook in the page: models as anywidget gives them, and a kernel that answers from a recording. */

/** Traits of a model at first. */
export type Traits = Readonly<Record<string, unknown>>;

/** An answer as the recording has it. */
export interface Recorded {
  readonly status: number;
  readonly type: string;
  readonly base64: string;
}

/** Asks for an answer that is not in the recording: the test records it, or fails. */
async function recordedNow(address: string): Promise<Recorded> {
  return (await (await fetch(address)).json()) as Recorded;
}

/** What the kernel does with questions. */
type Mood = 'answers' | 'hears' | 'gone' | 'refuses';

interface Message {
  readonly kind: string;
  readonly id: number;
  readonly path: string;
  readonly query: string;
}

type Listener = (...given: unknown[]) => void;

class Model {
  mood: Mood = 'answers';
  /** Traits of each message to the kernel. */
  readonly saved: Traits[] = [];
  readonly asked: string[] = [];
  readonly #answers: Readonly<Record<string, Recorded>>;
  readonly #traits: Record<string, unknown>;
  readonly #listeners = new Map<string, Listener[]>();
  #changed: Record<string, unknown> = {};

  constructor(traits: Traits, answers: Readonly<Record<string, Recorded>>) {
    this.#traits = { ...traits };
    this.#answers = answers;
  }

  get(name: string): unknown {
    return this.#traits[name];
  }

  set(name: string, value: unknown): void {
    this.#traits[name] = value;
    this.#changed[name] = value;
    this.#fire(`change:${name}`);
  }

  save_changes(): void {
    this.saved.push(this.#changed);
    this.#changed = {};
  }

  on(name: string, listener: Listener): void {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
  }

  off(): void {
    // Models of this page live as long as it does.
  }

  send(message: Message): void {
    // As JupyterLab does after the end of a kernel.
    if (this.mood === 'refuses') throw new Error('Cannot send');
    if (message.kind !== 'ask' || this.mood === 'gone') return;
    const address = message.path + (message.query === '' ? '' : `?${message.query}`);
    this.asked.push(address);
    this.#later({ kind: 'heard', id: message.id }, []);
    if (this.mood === 'hears') return;
    void this.#answer(message.id, address);
  }

  async #answer(id: number, address: string): Promise<void> {
    const found = this.#answers[address] ?? (await recordedNow(address));
    const bytes = Uint8Array.from(atob(found.base64), (one) => one.charCodeAt(0));
    // As in a notebook, a part of a larger buffer.
    const whole = new Uint8Array(bytes.length + 8);
    whole.set(bytes, 8);
    const { status, type } = found;
    this.#later({ kind: 'answer', id, status, type }, [
      new DataView(whole.buffer, 8, bytes.length),
    ]);
  }

  /** Assigns traits as Python does: nothing is sent back. */
  assign(traits: Traits): void {
    Object.assign(this.#traits, traits);
    for (const name of Object.keys(traits)) this.#fire(`change:${name}`);
  }

  fire(name: string): void {
    this.#fire(name);
  }

  #fire(name: string, ...given: unknown[]): void {
    for (const listener of this.#listeners.get(name) ?? []) listener(...given);
  }

  #later(message: unknown, buffers: readonly DataView[]): void {
    setTimeout(() => this.#fire('msg:custom', message, buffers));
  }
}

interface Widget {
  initialize(given: { model: Model }): void;
  render(given: { model: Model; el: HTMLElement }): () => void;
}

/** What a test can do in the page. */
export class Notebook {
  readonly models = new Map<string, Model>();
  readonly #widget: Widget;
  readonly #answers: Readonly<Record<string, Recorded>>;
  readonly #close = new Map<string, () => void>();

  constructor(widget: Widget, answers: Readonly<Record<string, Recorded>>) {
    this.#widget = widget;
    this.#answers = answers;
  }

  /** Shows a model in a cell; a model that exists is shown a second time. */
  show(cell: string, id: string, traits: Traits = {}, mood: Mood = 'answers'): void {
    let model = this.models.get(id);
    if (!model) {
      const first = { view: 'sankey', lens: '', selection: {}, settings: {}, theme: 'auto' };
      const own = { height: 480, _picture: '', _version: '', _source: 'study', _patience: 0.3 };
      model = new Model({ ...first, ...own, _id: id, ...traits }, this.#answers);
      model.mood = mood;
      this.models.set(id, model);
      this.#widget.initialize({ model });
    }
    const el = document.createElement('div');
    el.id = cell;
    document.body.append(el);
    this.#close.set(cell, this.#widget.render({ model, el }));
  }

  close(cell: string): void {
    this.#close.get(cell)?.();
    document.getElementById(cell)?.remove();
  }

  model(id: string): Model {
    const model = this.models.get(id);
    if (!model) throw new Error(`there is no model ${id}`);
    return model;
  }
}
