/** The pictures of a report: tabs, controls, theme and print. It asks nothing of anybody. */

import type { Patch, Selection, Setting, View, ViewContext, ViewEvent } from '@grainsheaf/views';
import { type Palette, paletteOf, type Theme } from '@grainsheaf/views/logic/colour.ts';
import { button, control } from '@grainsheaf/views/ui/controls.ts';
import { html } from '@grainsheaf/views/ui/dom.ts';
import { download } from '@grainsheaf/views/ui/export.ts';
import { csvOfTable } from '@grainsheaf/views/ui/twin.ts';
import { factsOf, type ReportContent, selectionOf } from './content.ts';
import { type Drawing, type Picture, picturesOf, type Settings } from './pictures.ts';
import { Printed } from './printed.ts';

const THEMES = ['auto', 'light', 'dark'] as const;
const SIGNS = { auto: '◐', light: '○', dark: '●' } as const;
/** Width of a picture on paper: A4, landscape, without margins. */
const PAPER = 1000;
const FIXED = 'A report is fixed. Open the store with `grainsheaf serve` to ask this';

export class Shell {
  readonly #content: ReportContent;
  readonly #base: Selection;
  readonly #facts;
  readonly #pictures: readonly Picture[];
  readonly #settings = new Map<string, Settings>();
  readonly #tabs = html('div', { role: 'tablist', 'aria-label': 'Pictures', class: 'report-tabs' });
  readonly #tools = html('div', { class: 'report-tools' });
  readonly #about = html('p', { class: 'quiet report-about' });
  readonly #host = html('div', {
    class: 'report-picture',
    id: 'report-picture',
    role: 'tabpanel',
    tabindex: '-1',
  });
  readonly #dark = matchMedia('(prefers-color-scheme: dark)');
  #selection: Selection;
  #guides: readonly string[] = [];
  #shown: Picture | undefined;
  #view: View<never, never> | undefined;
  #choice: (typeof THEMES)[number] = 'auto';
  #theme: Theme = 'light';
  #palette: Palette = paletteOf('light');
  #isPrinting = false;
  #printed: Printed | undefined;

  constructor(content: ReportContent) {
    this.#content = content;
    this.#base = selectionOf(content);
    this.#selection = this.#base;
    this.#facts = factsOf(content);
    this.#pictures = picturesOf(content, this.#base);
  }

  /** Puts pictures and controls on the page. */
  start(head: HTMLElement, pictures: HTMLElement): void {
    head.append(this.#themeButton());
    this.#applyTheme();
    this.#dark.addEventListener('change', () => this.#applyTheme());
    window.addEventListener('keydown', (event) => this.#key(event));
    this.#listenForPrint();
    const [first] = this.#pictures;
    if (!first) return;
    pictures.hidden = false;
    const others = html('div', { class: 'report-others' });
    pictures.append(this.#tabs, this.#about, this.#tools, this.#host, others);
    this.#printed = new Printed(others, this.#context(), this.#pictures, (picture) =>
      this.#drawing(picture),
    );
    this.#tabs.append(...this.#pictures.map((picture) => this.#tab(picture)));
    // The wheel scrolls the report; with Ctrl it zooms the picture.
    this.#host.addEventListener(
      'wheel',
      (event) => {
        if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
      },
      { capture: true },
    );
    new ResizeObserver(() => this.#draw()).observe(this.#host);
    void this.#show(first);
  }

  #tab(picture: Picture): HTMLElement {
    const tab = html(
      'button',
      {
        type: 'button',
        role: 'tab',
        class: 'tab',
        id: `report-tab-${picture.id}`,
        'aria-controls': 'report-picture',
        title: picture.about,
      },
      picture.title,
    );
    tab.addEventListener('click', () => void this.#show(picture));
    tab.addEventListener('keydown', (event) => {
      const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
      if (step === 0) return;
      event.preventDefault();
      event.stopPropagation();
      const count = this.#pictures.length;
      const next = this.#pictures[(this.#pictures.indexOf(picture) + step + count) % count];
      if (!next) return;
      void this.#show(next);
      document.getElementById(`report-tab-${next.id}`)?.focus();
    });
    return tab;
  }

  async #show(picture: Picture): Promise<void> {
    if (picture === this.#shown) return;
    this.#shown = picture;
    for (const tab of this.#tabs.children) {
      const isShown = tab.id === `report-tab-${picture.id}`;
      tab.setAttribute('aria-selected', String(isShown));
      tab.setAttribute('tabindex', isShown ? '0' : '-1');
    }
    this.#host.setAttribute('aria-labelledby', `report-tab-${picture.id}`);
    const view = await picture.create();
    if (picture !== this.#shown) return;
    this.#view?.destroy();
    this.#view = view;
    this.#host.className = `report-picture report-${picture.id}`;
    view.mount(this.#host, this.#context());
    this.#draw();
    this.#drawControls();
  }

  #context(): ViewContext {
    return {
      palette: () => this.#palette,
      isMotionReduced: () => matchMedia('(prefers-reduced-motion: reduce)').matches,
      lens: () => this.#content.lens,
      emit: (event) => this.#onEvent(event),
      hover: { value: undefined, peek: () => undefined, subscribe: () => () => undefined },
    };
  }

  /** The selection as far as the answers of the report suffice for it. */
  #drawing(picture: Picture): Drawing {
    const settings = this.#settings.get(picture.id) ?? picture.initial;
    const fits = picture.fits(this.#selection, settings);
    return {
      selection: fits ? this.#selection : this.#base,
      settings,
      facts: this.#facts,
      guides: this.#guides,
    };
  }

  #draw(): void {
    const [picture, view] = [this.#shown, this.#view];
    if (!picture || !view || this.#host.clientWidth === 0) return;
    picture.update(view, this.#drawing(picture));
  }

  #set(values: Settings): void {
    const picture = this.#shown;
    if (!picture) return;
    const next = { ...(this.#settings.get(picture.id) ?? picture.initial), ...values };
    if (!picture.fits(this.#drawing(picture).selection, next)) return this.#say(FIXED);
    this.#settings.set(picture.id, next);
    this.#draw();
    this.#drawControls();
  }

  #select(patch: Patch): void {
    this.#selection = { ...this.#selection, ...patch };
    this.#draw();
  }

  #onEvent(event: ViewEvent): void {
    switch (event.type) {
      case 'set':
        return this.#set(event.values);
      case 'select':
        // Another lens is another question.
        return event.patch.lens === undefined ? this.#select(event.patch) : this.#say(FIXED);
      case 'select-group':
        return this.#select({ group: event.group });
      case 'select-site':
        return this.#select({ site: event.site });
      case 'toggle-guides': {
        const isShown = this.#guides.includes(event.group);
        this.#guides = isShown
          ? this.#guides.filter((group) => group !== event.group)
          : [...this.#guides, event.group];
        return this.#select({ group: event.group });
      }
      case 'set-target': {
        const run = this.#facts.runs.find(({ run, name }) => [run, name].includes(event.run));
        const isSame = run && this.#selection.target?.runs.includes(run.run);
        this.#selection = {
          ...this.#selection,
          target: run && !isSame ? { name: run.name, runs: [run.run] } : undefined,
        };
        return this.#draw();
      }
      case 'sort': {
        const { sort } = this.#settings.get('runs') ?? {};
        return this.#set({ sort: sort === event.column ? `-${event.column}` : event.column });
      }
      case 'copy':
        return void navigator.clipboard.writeText(event.text).then(
          () => this.#say('Copied'),
          () => this.#say('The browser did not allow copying'),
        );
      case 'say':
        return this.#say(event.text);
      case 'hover':
        return undefined;
      default:
        return this.#say(FIXED);
    }
  }

  #say(text: string): void {
    document.getElementById('report-said')?.replaceChildren(text);
  }

  /** Controls of the settings that the answers of the report suffice for. */
  #drawControls(): void {
    const picture = this.#shown;
    if (!picture) return;
    const drawing = this.#drawing(picture);
    const { selection, settings } = drawing;
    const focused = document.activeElement?.getAttribute('data-setting');
    this.#about.dataset['title'] = picture.title;
    this.#about.replaceChildren(
      [picture.about, picture.quantity(selection, settings)].filter(Boolean).join(': '),
    );
    const controls = Object.entries(picture.settings)
      .filter(([name, setting]) =>
        picture.fits(selection, { ...settings, [name]: otherValue(setting, settings[name]) }),
      )
      .flatMap(([name, setting]) =>
        control(name, setting, settings[name], this.#facts, (value) =>
          this.#set({ [name]: value }),
        ),
      );
    this.#tools.replaceChildren(...controls, ...this.#downloads(picture));
    if (focused !== null && focused !== undefined)
      for (const element of this.#tools.querySelectorAll<HTMLElement>('[data-setting]'))
        if (element.getAttribute('data-setting') === focused) element.focus();
  }

  #downloads(picture: Picture): HTMLElement[] {
    const svg = button('SVG', 'The picture as a file', () => {
      const text = this.#view?.exportSvg();
      if (text) download(text, `${picture.id}.svg`, 'image/svg+xml');
    });
    const { table } = picture;
    const view = this.#view as unknown as { exportCsv?(): string } | undefined;
    if (!table && !view?.exportCsv) return [svg];
    const csv = button('CSV', 'The rows behind the picture as a file', () => {
      const text = view?.exportCsv?.();
      if (text !== undefined) return download(text, `${picture.id}.csv`, 'text/csv');
      void table?.(this.#drawing(picture)).then((rows) =>
        download(csvOfTable(rows, this.#content.lens), `${picture.id}.csv`, 'text/csv'),
      );
    });
    return [svg, csv];
  }

  #themeButton(): HTMLElement {
    const element = button('', '', () => this.#nextTheme());
    element.id = 'report-theme';
    return element;
  }

  #nextTheme(): void {
    this.#choice = THEMES[(THEMES.indexOf(this.#choice) + 1) % THEMES.length] ?? 'auto';
    this.#applyTheme();
    this.#say(`Theme: ${this.#choice}`);
  }

  #applyTheme(): void {
    const automatic: Theme = this.#dark.matches ? 'dark' : 'light';
    // Paper is white.
    this.#theme = this.#isPrinting ? 'light' : this.#choice === 'auto' ? automatic : this.#choice;
    this.#palette = paletteOf(this.#theme);
    document.documentElement.dataset['theme'] = this.#theme;
    const element = document.getElementById('report-theme');
    if (element) {
      element.replaceChildren(SIGNS[this.#choice]);
      element.title = `Theme: ${this.#choice}, key T`;
      element.setAttribute('aria-label', `Theme: ${this.#choice}`);
    }
    this.#draw();
  }

  /** `T` changes the theme, digits choose a picture. */
  #key(event: KeyboardEvent): void {
    const { target } = event;
    const isTyping =
      target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
    if (event.defaultPrevented || isTyping || event.ctrlKey || event.metaKey || event.altKey)
      return;
    if (event.key.toLowerCase() === 't') return this.#nextTheme();
    const picture = /^[1-9]$/.test(event.key) ? this.#pictures[Number(event.key) - 1] : undefined;
    if (picture) void this.#show(picture);
  }

  #listenForPrint(): void {
    const print = (isPrinting: boolean): void => {
      const isChange = this.#isPrinting !== isPrinting;
      this.#isPrinting = isPrinting;
      this.#host.style.width = isPrinting ? `${PAPER}px` : '';
      this.#applyTheme();
      if (!isChange) return;
      if (isPrinting) this.#printed?.show(this.#shown, PAPER);
      else this.#printed?.hide();
    };
    // Browsers differ in which of the two they report, and when.
    window.addEventListener('beforeprint', () => print(true));
    window.addEventListener('afterprint', () => print(false));
    matchMedia('print').addEventListener('change', ({ matches }) => print(matches));
  }
}

/** A value of a setting that is not the given one, to see whether the setting is part of a question. */
function otherValue(setting: Setting, value: unknown): unknown {
  switch (setting.kind) {
    case 'flag':
      return value !== true;
    case 'choice':
      return setting.options.find(([option]) => option !== value)?.[0] ?? value;
    case 'number':
      return value === setting.max ? setting.min : setting.max;
    case 'text':
      return `${String(value)}x`;
  }
}
