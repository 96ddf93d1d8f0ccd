/** State of the page: what the address holds, and what is the reader's own. */

import { computed, effect, signal } from '@preact/signals';
import { type Palette, paletteOf, type Theme } from '@grainsheaf/views/logic/colour.ts';
import { decodeState, encodeState, INITIAL, type PageState } from '@grainsheaf/views/logic/url.ts';

/** What the address says. */
export const page = signal<PageState>(decodeState(location.search));

/** Changes what the address says; each change is a step that Back undoes, unless it replaces. */
export function navigate(change: Partial<PageState>, isReplacing = false): void {
  const next = { ...page.peek(), ...change };
  const before = encodeState(page.peek());
  const after = encodeState(next);
  page.value = next;
  if (before === after) return;
  const address = `${location.pathname}?${after}`;
  if (isReplacing) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
}

/** Opens another store with its overview: its views need not have an answer to the present question. */
export function openStore(store: string): void {
  navigate({ ...INITIAL, store, widths: page.peek().widths });
}

/** Milliseconds within which changes of one kind are one step of the history. */
const ONE_STEP = 1500;
let lastStep = { kind: '', address: '', at: 0 };

/** Changes that follow each other while something is moved: Back undoes all of them at once. */
export function navigateInOneStep(kind: string, change: Partial<PageState>): void {
  const isSame =
    lastStep.kind === kind &&
    lastStep.address === location.search &&
    Date.now() - lastStep.at < ONE_STEP;
  navigate(change, isSame);
  lastStep = { kind, address: location.search, at: Date.now() };
}

window.addEventListener('popstate', () => {
  page.value = decodeState(location.search);
});

/** A setting that stays in this browser. */
function kept<T extends string>(
  name: string,
  initial: T,
  allowed?: readonly T[],
): { value: T; peek(): T } {
  const key = `grainsheaf.${name}`;
  let start: string | null = null;
  try {
    start = localStorage.getItem(key);
  } catch {
    // A browser may refuse storage; the setting then lasts as long as the page.
  }
  const isAllowed = start !== null && (!allowed || (allowed as readonly string[]).includes(start));
  const held = signal<T>(isAllowed ? (start as T) : initial);
  effect(() => {
    const { value } = held;
    try {
      localStorage.setItem(key, value);
    } catch {
      // As above.
    }
  });
  return held;
}

export const themeChoice = kept<'light' | 'dark' | 'auto'>('theme', 'auto', [
  'light',
  'dark',
  'auto',
]);
export const singleKeys = kept<'on' | 'off'>('single-keys', 'on', ['on', 'off']);
export const visited = kept<'no' | 'yes'>('visited', 'no', ['no', 'yes']);
/** Arrangements that the reader has put on keys: `overview=…&runs=…`. */
export const ownLayouts = kept<string>('layouts', '');
export const leftWidth = kept<string>('left-width', '240');
export const rightWidth = kept<string>('right-width', '320');

/** Widths of the side panels: the address's, or else the reader's own. */
export const panelWidths = computed<readonly [left: string, right: string]>(() => {
  const found = /^(\d{2,4})-(\d{2,4})$/.exec(page.value.widths);
  return found ? [found[1] ?? '', found[2] ?? ''] : [leftWidth.value, rightWidth.value];
});

function media(query: string): { readonly value: boolean; peek(): boolean } {
  const list = matchMedia(query);
  const held = signal(list.matches);
  list.addEventListener('change', () => (held.value = list.matches));
  return held;
}

const prefersDark = media('(prefers-color-scheme: dark)');
export const isMotionReduced = media('(prefers-reduced-motion: reduce)');
/** Side panels are drawers. */
export const isNarrow = media('(max-width: 899px)');

/** There is no room for all commands in the top row. */
export const isCompact = media('(max-width: 1099px)');

export const theme = computed<Theme>(() =>
  themeChoice.value === 'auto' ? (prefersDark.value ? 'dark' : 'light') : themeChoice.value,
);
export const palette = computed<Palette>(() => paletteOf(theme.value));

effect(() => {
  document.documentElement.dataset['theme'] = theme.value;
});

export const leftOpen = signal(!isNarrow.peek());
export const rightOpen = signal(!isNarrow.peek());
let wasNarrow = isNarrow.peek();
effect(() => {
  if (isNarrow.value === wasNarrow) return;
  wasNarrow = isNarrow.value;
  leftOpen.value = !wasNarrow;
  rightOpen.value = !wasNarrow;
});

/** What floats over the page. */
export const overlay = signal<
  'none' | 'palette' | 'help' | 'stores' | 'tour' | 'warnings' | 'import' | 'unit'
>('none');
export const isLensEdited = signal(false);

/** Said to readers of the screen, and shown for a moment. */
export const status = signal<{
  readonly text: string;
  readonly at: number;
  readonly step?: StatusStep | undefined;
}>({ text: '', at: 0 });

/** Action that a message offers. */
export interface StatusStep {
  readonly label: string;
  run(): void;
}

export function say(text: string, step?: StatusStep): void {
  status.value = { text, at: Date.now(), step };
}

export const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);
