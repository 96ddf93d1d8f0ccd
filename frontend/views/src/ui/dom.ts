/** Makes elements. Text only ever enters as text nodes and attributes, visibly. */

import { proseParts } from '../logic/prose.ts';
import { visible } from '../logic/visible.ts';

const SVG = 'http://www.w3.org/2000/svg';

type Attributes = Readonly<Record<string, string | number | undefined>>;

/** An SVG element with attributes and children. */
export function svg<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, name);
  assign(element, attributes);
  element.append(...children.map(shown));
  return element;
}

/** An HTML element with attributes and children. */
export function html<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  assign(element, attributes);
  element.append(...children.map(shown));
  return element;
}

/** A name for `html` that breaks into lines after its words: at signs, and before capitals. */
export function breakable(name: string): readonly (Node | string)[] {
  return name
    .split(/(?<=[_:./→› …])(?=.)|(?<=[a-z])(?=[A-Z])/)
    .flatMap((word, index) => (index === 0 ? [word] : [html('wbr'), word]));
}

/** Text of the service for `html`, with names between backquotes as code. */
export function prose(text: string): readonly (Node | string)[] {
  return proseParts(text).map((part) => (part.isCode ? html('code', {}, part.text) : part.text));
}

/** Attributes that people read or hear. */
const READ: ReadonlySet<string> = new Set(['aria-label', 'title']);

function shown(child: Node | string): Node | string {
  return typeof child === 'string' ? visible(child) : child;
}

/** Sets attributes; `undefined` removes one. */
export function assign(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined) element.removeAttribute(name);
    else
      element.setAttribute(
        name,
        typeof value === 'number'
          ? String(Math.round(value * 100) / 100)
          : READ.has(name)
            ? visible(value)
            : value,
      );
  }
}

/** Attributes of a text of a picture. */
export function textStyle(size: number, isMono = false): Record<string, string | number> {
  return {
    'font-family': isMono ? MONO : SANS,
    'font-size': size,
  };
}

export const SANS = 'system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';
export const MONO = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace';

/** Width of one character of the monospace stack at a size; a little generous. */
export function monoAdvance(size: number): number {
  return size * 0.61;
}

let counter = 0;

/** A prefix for ids that no other view on the page has. */
export function uniquePrefix(name: string): string {
  counter += 1;
  return `${name}-${counter}`;
}
