/** A widget on a page of its own: Python draws pictures in it, and saves them as pages. */

import { rasterise } from '@grainsheaf/views/ui/export.ts';
import { Core } from './core.ts';
import { Frame } from './frame.ts';
import { type Model, textOf } from './model.ts';

/** An answer as the page has it, or gets it. */
interface Answered {
  readonly status: number;
  readonly type: string;
  readonly revision?: string | null;
  readonly base64: string;
}

/** Answers the question at an address. */
type Answer = (address: string) => Promise<Answered>;
type Listener = (...given: unknown[]) => void;

/** Milliseconds without any change after which a picture is final. */
const STILL = 1200;
/** The same until there is none: a busy machine takes long to draw. */
const LOST = 30_000;
const LOOK = 50;

/** Traits that nobody else changes, and questions that one function answers. */
class PageModel implements Model {
  readonly #traits: Record<string, unknown>;
  readonly #answer: Answer;
  readonly #listeners = new Map<string, Listener[]>();
  /** Questions without an answer. */
  waiting = 0;
  /** When something last changed. */
  latest = performance.now();

  constructor(traits: Readonly<Record<string, unknown>>, answer: Answer) {
    this.#traits = { ...traits };
    this.#answer = answer;
  }

  get(name: string): unknown {
    return this.#traits[name];
  }

  set(name: string, value: unknown): void {
    this.#traits[name] = value;
    this.#fire(`change:${name}`);
  }

  save_changes(): void {
    // Nobody else has the traits.
  }

  on(name: string, listener: (...given: never[]) => void): void {
    const listeners = this.#listeners.get(name) ?? [];
    this.#listeners.set(name, [...listeners, listener as unknown as Listener]);
  }

  off(): void {
    // The model lives as long as the page.
  }

  send(content: unknown): void {
    const { kind, id, path, query } = content as Record<'kind' | 'id' | 'path' | 'query', string>;
    if (kind !== 'ask') return;
    this.waiting += 1;
    const address = query === '' ? path : `${path}?${query}`;
    queueMicrotask(() => this.#fire('msg:custom', { kind: 'heard', id }));
    const failed = (error: unknown): Answered => refusal(500, String(error));
    void this.#answer(address)
      .catch(failed)
      .then(({ status, type, revision, base64 }) => {
        this.waiting -= 1;
        this.#fire('msg:custom', { kind: 'answer', id, status, type, revision }, [bytesOf(base64)]);
      });
  }

  #fire(name: string, ...given: unknown[]): void {
    this.latest = performance.now();
    for (const listener of this.#listeners.get(name) ?? []) listener(...given);
  }
}

function bytesOf(base64: string): ArrayBuffer {
  return Uint8Array.from(atob(base64), (one) => one.charCodeAt(0)).buffer;
}

function refusal(status: number, message: string): Answered {
  const bytes = new TextEncoder().encode(JSON.stringify({ code: 'unknown', message }));
  return {
    status,
    type: 'application/json',
    base64: btoa(String.fromCharCode(...bytes)),
  };
}

/** Shows a widget with the answers that were recorded for it. */
export function show(
  element: HTMLElement,
  traits: Readonly<Record<string, unknown>>,
  recorded: Readonly<Record<string, Answered>>,
): void {
  const missing = 'this page has the answers of one picture: open the store to ask this';
  const answer = (address: string): Promise<Answered> =>
    Promise.resolve(recorded[address] ?? refusal(404, missing));
  new Frame(new Core(new PageModel(traits, answer)), element);
}

/** A picture of this size, drawn with answers of `answer`: as SVG, and as PNG if its scale is not zero. */
export async function draw(
  traits: Readonly<Record<string, unknown>>,
  answer: Answer,
  { width, height, scale }: Readonly<Record<'width' | 'height' | 'scale', number>>,
): Promise<{ svg: string; png?: string }> {
  const element = document.createElement('div');
  element.style.width = `${width}px`;
  document.body.append(element);
  const model = new PageModel({ ...traits, height }, answer);
  const frame = new Frame(new Core(model), element);
  const svg = await drawn(model, element, height);
  frame.destroy();
  if (scale === 0) return { svg };
  const bytes = new Uint8Array(await (await rasterise(svg, scale)).arrayBuffer());
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return { svg, png: btoa(text) };
}

/** Waits until nothing changes any more. */
async function drawn(model: PageModel, element: HTMLElement, height: number): Promise<string> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, LOOK));
    const root = element.firstElementChild?.shadowRoot;
    const box = root?.querySelector('.gs-widget');
    const pane = root?.querySelector('.gs-pane');
    if (box && pane) {
      // The height is that of the picture; tools and notes are around it.
      const around = Math.round(box.clientHeight - pane.clientHeight);
      if (Number(model.get('height')) !== height + around) model.set('height', height + around);
    }
    const still = performance.now() - model.latest;
    if (model.waiting > 0 || still < STILL) continue;
    // A view without a picture shows a title and a sentence instead.
    const state = root?.querySelectorAll(
      '.gs-over .state > h2, .gs-over .state > p:not(.state-steps)',
    );
    const reason = Array.from(state ?? [], (one) => one.textContent).join(': ');
    const picture = textOf(model.get('_picture'));
    if (reason === '' && picture !== '') return picture;
    if (reason !== '') throw new Error(reason);
    if (still > LOST) throw new Error('there is no picture, or it is too large');
  }
}
