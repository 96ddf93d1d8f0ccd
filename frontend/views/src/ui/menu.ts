/** A menu at a point, with keyboard. */

import { html } from './dom.ts';
import { activeElement, layerOf } from './layer.ts';

export interface MenuItem {
  readonly label: string;
  readonly keys?: string;
  run(): void;
}

/** Opens a menu over a view that is near; closes on choice, Escape or a press elsewhere, and gives the focus back. */
export function openMenu(
  items: readonly (MenuItem | null)[],
  x: number,
  y: number,
  label: string,
  near: Node = document,
): void {
  const layer = layerOf(near);
  layer.querySelector('.gs-menu')?.remove();
  const before = activeElement(near);
  const menu = html('div', { class: 'gs-menu', role: 'menu', 'aria-label': label });
  const buttons: HTMLButtonElement[] = [];
  const close = (): void => {
    menu.remove();
    document.removeEventListener('pointerdown', onOutside, true);
    if (before instanceof HTMLElement || before instanceof SVGElement) before.focus();
  };
  const onOutside = (event: Event): void => {
    // From outside of a shadow root, the target is its host.
    if (!event.composedPath().includes(menu)) close();
  };
  for (const item of items) {
    if (!item) {
      menu.append(html('hr', { role: 'separator' }));
      continue;
    }
    const button = html(
      'button',
      { type: 'button', role: 'menuitem', tabindex: '-1' },
      html('span', {}, item.label),
    );
    if (item.keys) button.append(html('kbd', {}, item.keys));
    button.addEventListener('click', () => {
      close();
      item.run();
    });
    buttons.push(button);
    menu.append(button);
  }
  menu.addEventListener('keydown', (event) => {
    event.stopPropagation();
    const at = buttons.findIndex((button) => button === activeElement(menu));
    const go = (to: number): void => buttons[(to + buttons.length) % buttons.length]?.focus();
    if (event.key === 'ArrowDown') go(at + 1);
    else if (event.key === 'ArrowUp') go(at - 1);
    else if (event.key === 'Home') go(0);
    else if (event.key === 'End') go(-1);
    else if (event.key === 'Escape' || event.key === 'Tab') close();
    else return;
    event.preventDefault();
  });
  menu.addEventListener('contextmenu', (event) => {
    event.preventDefault();
  });
  layer.append(menu);
  const { width, height } = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(4, Math.min(x, window.innerWidth - width - 4))}px`;
  menu.style.top = `${Math.max(4, Math.min(y, window.innerHeight - height - 4))}px`;
  document.addEventListener('pointerdown', onOutside, true);
  buttons[0]?.focus();
}
