/** One picture of a widget in a cell: tools, the view, and what the reader must know. */

import type { ViewContext } from '@grainsheaf/views';
import { type Palette, paletteOf, type Theme } from '@grainsheaf/views/logic/colour.ts';
import { button } from '@grainsheaf/views/ui/controls.ts';
import { html } from '@grainsheaf/views/ui/dom.ts';
import { download } from '@grainsheaf/views/ui/export.ts';
import { activeElement, setLayer } from '@grainsheaf/views/ui/layer.ts';
import { codeOf } from './code.ts';
import type { Core } from './core.ts';
import { settingsOf } from './events.ts';
import { Pane } from './pane.ts';
import { canonical, textOf } from './model.ts';
import { themeOfNotebook, watchTheme } from './theme.ts';
import { replaceTools, toolsOf } from './tools.ts';
import { viewNamed } from './views.ts';

declare const __VERSION__: string;

const STYLES = 'STYLES-OF-THE-WIDGET';
/** Milliseconds after the last change until the picture for saved notebooks is taken. */
const SETTLED = 800;
/** Characters of a picture up to which a notebook keeps it. */
const LARGEST = 2_000_000;
const LOWEST = 160;

let sheet: CSSStyleSheet | undefined;

function styles(): CSSStyleSheet[] {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLES);
  }
  return [sheet];
}

/** An element with styles of its own, which those of the notebook do not reach. */
function shadowOf(host: HTMLElement): ShadowRoot {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = styles();
  root.replaceChildren();
  return root;
}

export class Frame {
  readonly #core: Core;
  readonly #host = html('div', { class: 'grainsheaf-widget' });
  readonly #layer = html('div', { class: 'grainsheaf-layer' });
  readonly #box = html('div', { class: 'gs-widget' });
  readonly #tools = html('div', { class: 'gs-tools', role: 'toolbar', 'aria-label': 'View' });
  readonly #lens = html('input', {
    class: 'gs-lens mono',
    'aria-label': 'Lens',
    spellcheck: 'false',
  });
  readonly #notice = html('p', { class: 'gs-notice', role: 'alert', hidden: '' });
  readonly #about = html('span', { class: 'quiet gs-about' });
  readonly #said = html('span', { class: 'gs-said', role: 'status' });
  readonly #code = html('div', { class: 'gs-code', hidden: '' });
  readonly #still = html('img', { class: 'gs-still', alt: 'Picture from before', hidden: '' });
  readonly #undo = button('Undo', 'Takes the latest step back', () => this.#core.undo());
  readonly #stop = new AbortController();
  readonly #pane: Pane;
  #theme: Theme = 'light';
  #palette: Palette = paletteOf('light');
  #timer = 0;
  #resize = 0;
  #drawnFor = '';

  constructor(core: Core, el: HTMLElement) {
    this.#core = core;
    // Keys of the widget are not those of the notebook, where `x` cuts the cell.
    this.#host.setAttribute('data-lm-suppress-shortcuts', 'true');
    const root = shadowOf(this.#host);
    const layer = html('div', { class: 'gs-widget gs-floating' });
    shadowOf(this.#layer).append(layer);
    setLayer(root, layer);
    const context: Pick<ViewContext, 'palette' | 'isMotionReduced'> = {
      palette: () => this.#palette,
      isMotionReduced: () => matchMedia('(prefers-reduced-motion: reduce)').matches,
    };
    this.#pane = new Pane(
      { core, say: (text) => this.#say(text), copy: (text) => this.#copy(text) },
      context,
    );
    this.#pane.element.append(this.#still);
    const code = button('Copy as code', 'The Python that gives this state', () => this.#showCode());
    const svg = button('SVG', 'The picture as a file', () => this.#download());
    const foot = html('div', { class: 'gs-foot' }, this.#about, this.#said, this.#undo, code, svg);
    this.#box.append(
      this.#notice,
      this.#tools,
      html('label', { class: 'gs-lens-row' }, html('span', { class: 'quiet' }, 'lens'), this.#lens),
      this.#pane.element,
      this.#code,
      foot,
    );
    root.append(this.#box);
    el.append(this.#host);
    this.#listen();
    this.#applyTheme();
    this.#refresh();
  }

  destroy(): void {
    this.#stop.abort();
    clearTimeout(this.#timer);
    clearTimeout(this.#resize);
    this.#pane.destroy();
    this.#host.remove();
    this.#layer.remove();
  }

  #listen(): void {
    const { signal } = this.#stop;
    const unsubscribe = this.#core.subscribe(() => this.#refresh());
    signal.addEventListener('abort', unsubscribe);
    watchTheme(() => this.#applyTheme(), signal);
    this.#lens.addEventListener(
      'keydown',
      (event) => {
        if (event.key === 'Enter') this.#core.navigate({ lens: this.#lens.value.trim() });
        if (event.key === 'Escape') this.#lens.value = this.#core.state.lens;
      },
      { signal },
    );
    this.#box.addEventListener(
      'keydown',
      (event) => {
        const isUndo = event.key.toLowerCase() === 'z' && (event.ctrlKey || event.metaKey);
        const isTyping = activeElement(this.#box) instanceof HTMLInputElement;
        if (isUndo && !event.shiftKey && !isTyping) {
          event.preventDefault();
          this.#core.undo();
        }
      },
      { signal },
    );
    // No key of a widget reaches the notebook.
    this.#host.addEventListener('keydown', (event) => event.stopPropagation(), { signal });
    // The wheel scrolls the notebook; with Ctrl it zooms the picture.
    this.#pane.element.addEventListener(
      'wheel',
      (event) => {
        if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
      },
      { capture: true, signal },
    );
    const observer = new ResizeObserver(() => {
      // The cell may be back on the page.
      if (!this.#layer.isConnected) this.#refresh();
      this.#keepHeight();
    });
    observer.observe(this.#box);
    signal.addEventListener('abort', () => observer.disconnect());
  }

  /** Makes the height that the reader has dragged the widget to that of the trait. */
  #keepHeight(): void {
    clearTimeout(this.#resize);
    this.#resize = window.setTimeout(() => {
      if (!this.#host.isConnected) return;
      const height = Math.round(this.#box.getBoundingClientRect().height);
      const { model } = this.#core;
      if (height < LOWEST || Math.abs(height - this.#height()) < 2) return;
      model.set('height', height);
      model.save_changes();
    }, 300);
  }

  #height(): number {
    const given = Number(this.#core.model.get('height'));
    return Number.isFinite(given) && given >= LOWEST ? given : 480;
  }

  #applyTheme(): void {
    const given = this.#core.model.get('theme');
    const theme = given === 'light' || given === 'dark' ? given : themeOfNotebook();
    for (const host of [this.#host, this.#layer]) host.dataset['theme'] = theme;
    if (theme === this.#theme) return;
    this.#theme = theme;
    this.#palette = paletteOf(theme);
    this.#pane.recolour();
    this.#drawnFor = '';
    this.#later();
  }

  #refresh(): void {
    const core = this.#core;
    // A notebook takes cells that are not seen from the page, and may forget them there.
    if (!this.#host.isConnected) return this.#layer.remove();
    if (!this.#layer.isConnected) document.body.append(this.#layer);
    this.#applyTheme();
    this.#box.style.height = `${this.#height()}px`;
    const { state } = core;
    const known = core.known();
    const facts = core.facts(known);
    const selection = core.selection(known);
    const view = viewNamed(state.view);
    this.#undo.disabled = !core.canUndo;
    if (activeElement(this.#lens) !== this.#lens) this.#lens.value = state.lens;
    this.#warn();
    if (!view) return this.#say(`There is no view ${state.view}`);
    // Made anew only if something in it is different: an open list stays open.
    const tools = toolsOf(core, view, selection, facts, known);
    const text = canonical(tools.map(contentOf));
    if (text !== this.#drawnFor) replaceTools(this.#tools, activeElement(this.#tools), tools);
    this.#drawnFor = text;
    this.#pane.refresh(view, selection, facts);
    this.#about.replaceChildren(
      [view.quantity?.(selection, settingsOf(core, view) as never) ?? '', ...this.#pane.notes]
        .filter(Boolean)
        .join(' · '),
    );
    this.#about.title = this.#about.textContent;
    this.#showStill();
    this.#later();
  }

  /** What stands above everything: another version, or a kernel that does not react. */
  #warn(): void {
    const theirs = textOf(this.#core.model.get('_version'));
    const parts: (string | HTMLElement)[] = [];
    if (theirs !== '' && theirs !== __VERSION__)
      parts.push(
        `This picture is drawn by Grainsheaf ${__VERSION__}, the Python package is ${theirs}: reload this page. `,
      );
    if (this.#core.isSilent) {
      const again = button('Ask again', '', () => this.#core.retry());
      again.className = 'link';
      parts.push(
        'The kernel does not answer: it is busy with another cell, or it is gone. ',
        again,
      );
    }
    this.#notice.hidden = parts.length === 0;
    const text = parts.map((part) => (typeof part === 'string' ? part : part.textContent)).join('');
    if (this.#notice.textContent !== text) this.#notice.replaceChildren(...parts);
  }

  /** While there is no picture, the one that the notebook was saved with. */
  #showStill(): void {
    const kept = textOf(this.#core.model.get('_picture'));
    const isShown = kept !== '' && this.#core.isSilent && this.#pane.picture() === undefined;
    this.#still.hidden = !isShown;
    if (isShown) this.#still.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(kept)}`;
  }

  /** Keeps a picture for the saved notebook, once nothing changes for a while. */
  #later(): void {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      const text = this.#pane.picture();
      const { model } = this.#core;
      if (text === undefined || text.length > LARGEST || text === model.get('_picture')) return;
      model.set('_picture', text);
      model.save_changes();
    }, SETTLED);
  }

  #download(): void {
    const text = this.#pane.picture();
    if (text) download(text, `${this.#core.state.view}.svg`, 'image/svg+xml');
    else this.#say('There is no picture yet');
  }

  #showCode(): void {
    if (!this.#code.hidden) {
      this.#code.hidden = true;
      return;
    }
    const text = codeOf(this.#core.state, textOf(this.#core.model.get('_source')));
    const close = button('Close', '', () => (this.#code.hidden = true));
    this.#code.replaceChildren(html('pre', { class: 'mono', tabindex: '0' }, text), close);
    this.#code.hidden = false;
    this.#copy(text);
  }

  #copy(text: string): void {
    const failed = (): void => this.#say('The browser does not allow copying');
    // Pages that are not secure have no clipboard.
    const clipboard = navigator.clipboard as Clipboard | undefined;
    if (!clipboard) return failed();
    clipboard.writeText(text).then(() => this.#say('Copied'), failed);
  }

  #say(text: string): void {
    this.#said.replaceChildren(text);
  }
}

/** Everything in a tool that a reader sees. */
function contentOf(tool: HTMLElement): string {
  const field = tool.querySelector<HTMLSelectElement | HTMLInputElement>('select,input');
  return [tool.textContent, field?.value, tool.getAttribute('aria-pressed')].join(' ');
}
