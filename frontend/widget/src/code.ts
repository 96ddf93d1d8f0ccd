/** The Python that gives the state of a widget. */

import { splitClauses, without, words } from '@grainsheaf/views/logic/lens.ts';
import type { State } from './model.ts';

/** A call of a method of `Ensemble` for a clause; nothing for a clause that has no method. */
function callOf(keyword: string, text: string): string | undefined {
  const rest = text.slice(keyword.length).trim();
  const [, first = '', second] = words(text);
  switch (keyword) {
    case 'where':
      return `.where(${python(rest)})`;
    case 'by':
      return `.by(${words(rest).map(python).join(', ')})`;
    case 'over': {
      const [, place = '', how = ''] = /^(\w+)\s*=\s*(\w+)$/.exec(rest) ?? [];
      return place === '' ? undefined : `.over(${place}=${python(how)})`;
    }
    case 'split':
      return `.split(${python(first)}${second === undefined ? '' : `, into=${python(second)}`})`;
    case 'below':
      return `.below(${first.endsWith('%') ? Number(first.slice(0, -1)) / 100 : Number(first)})`;
    case 'level':
    case 'metric':
    case 'scope':
    case 'reveal':
    case 'focus':
    case 'hide':
    case 'target':
      return `.${keyword}(${python(first)})`;
    default:
      return undefined;
  }
}

/** Lines of Python that open the source and show the state. */
export function codeOf(state: State, source: string): string {
  const shape = without(state.lens, 'diff');
  const calls = splitClauses(shape).map(({ keyword, text }) => callOf(keyword, text));
  const isWhole = calls.every((call) => call !== undefined);
  const opened = `gs.open(${python(source || 'path/of/the/store')})`;
  const diff = splitClauses(state.lens).find(({ keyword }) => keyword === 'diff');
  const [, a, , b] = diff ? words(diff.text) : [];
  const options = [
    ...(a !== undefined && b !== undefined ? [`diff=${python([a, b])}`] : []),
    ...(Object.keys(state.selection).length > 0 ? [`selection=${python(state.selection)}`] : []),
    ...(Object.keys(state.settings).length > 0 ? [`settings=${python(state.settings)}`] : []),
  ];
  return [
    'import grainsheaf as gs',
    '',
    `ensemble = ${opened}${isWhole ? calls.join('') : `.with_lens(${python(shape)})`}`,
    `gs.Widget(${['ensemble', python(state.view), ...options].join(', ')})`,
    '',
  ].join('\n');
}

/** A value as Python writes it. Escapes of JSON are those of Python. */
function python(value: unknown): string {
  if (value === undefined || value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`;
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([name, one]) => `${python(name)}: ${python(one)}`)
      .join(', ')}}`;
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
