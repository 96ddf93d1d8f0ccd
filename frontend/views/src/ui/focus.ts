/** Keeps the keyboard's focus while controls are made anew. */

import { activeElement } from './layer.ts';

/** Replaces the content of an element, and gives the focus to the control of the same name. */
export function keepFocus(element: HTMLElement, replace: () => void): void {
  const active = activeElement(element);
  const name = active && element.contains(active) ? active.getAttribute('data-control') : null;
  const { scrollTop } = element;
  replace();
  element.scrollTop = scrollTop;
  if (name === null) return;
  element.querySelector<HTMLElement>(`[data-control="${CSS.escape(name)}"]`)?.focus();
}
