/** Controls of settings, for surroundings without a framework. */

import type { Facts } from '../registry/definition.ts';
import { optionsOf, type Setting } from '../registry/settings.ts';
import { html } from './dom.ts';

/** A button with a text and a hint. */
export function button(text: string, title: string, click: () => void): HTMLButtonElement {
  const element = html('button', { type: 'button', class: 'tool', title }, text);
  element.addEventListener('click', click);
  return element;
}

/** The control of a setting, which is found again by its name; nothing for a setting without a label. */
export function control(
  name: string,
  setting: Setting,
  value: unknown,
  facts: Facts,
  set: (value: unknown) => void,
): HTMLElement[] {
  const { label } = setting;
  if (label === undefined) return [];
  if (setting.kind === 'flag') {
    const element = button(label, setting.hint ?? '', () => set(value !== true));
    element.setAttribute('aria-pressed', String(value === true));
    element.dataset['setting'] = name;
    return [element];
  }
  const field = (input: HTMLInputElement | HTMLSelectElement): HTMLElement[] => {
    input.dataset['setting'] = name;
    return [html('label', { class: 'field', title: setting.hint }, `${label} `, input)];
  };
  const options = optionsOf(setting, facts);
  // Without known runs, only the empty text would be offered.
  if (options && options.length > 1) {
    const list = html('select');
    for (const [option, text] of options) list.append(html('option', { value: option }, text));
    const given = String(value);
    if (!options.some(([option]) => option === given))
      list.append(html('option', { value: given }, given));
    list.value = given;
    list.addEventListener('change', () => set(list.value));
    return field(list);
  }
  const input = html('input', {
    type: setting.kind === 'number' ? 'number' : 'text',
    value: String(value),
  });
  if (setting.kind === 'number') {
    const { min, max, step } = setting;
    Object.assign(input, { min: String(min), max: String(max), step: String(step) });
    input.addEventListener('change', () => {
      const given = Number(input.value);
      if (given >= min && given <= max) set(given);
    });
  } else {
    input.placeholder = setting.kind === 'text' ? (setting.placeholder ?? '') : '';
    input.addEventListener('change', () => set(input.value));
  }
  return field(input);
}
