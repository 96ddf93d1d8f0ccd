/** Colours of contexts, and the legend whose classes can be chosen. */

import { differenceColour, type Palette, sampleScale } from '../logic/colour.ts';
import { formatDifference } from '../logic/difference.ts';
import { formatValue } from '../logic/format.ts';
import type { Shown } from '../registry/definition.ts';
import { html } from '../ui/dom.ts';
import type { ViewContext } from '../ui/view.ts';
import { changeClass, CHANGES, type Compared, middleOf } from './compared.ts';
import type { Settings } from './definition.ts';
import type { Model } from './model.ts';

/** Classes of values. */
const CLASSES = 5;

export function colourOf(model: Model, value: number, palette: Palette): string {
  if (Number.isNaN(value)) return palette.ground;
  const { compared } = model;
  if (compared) return differenceColour(palette, value, compared.bound, compared.worseIsUp);
  const most = largest(model.colour);
  return sampleScale(palette.distribution, most > 0 ? Math.sqrt(value / most) : 0);
}

/** Class of the legend that a value is in; -1 for an absent one. */
export function classOf(model: Model, value: number): number {
  if (model.compared) return changeClass(value, model.compared.bound);
  const most = largest(model.colour);
  if (Number.isNaN(value) || most <= 0) return -1;
  return Math.min(CLASSES - 1, Math.floor(Math.sqrt(Math.max(0, value) / most) * CLASSES));
}

export function largest(values: Float64Array): number {
  let most = 0;
  for (const value of values) if (value > most) most = value;
  return most;
}

interface Class {
  readonly colour: string;
  readonly text: string;
}

function classesOf(model: Model, palette: Palette): readonly Class[] {
  const { compared } = model;
  if (compared)
    return Array.from({ length: CHANGES }, (_, at) => {
      const middle = middleOf(at) * compared.bound;
      return {
        colour: colourOf(model, middle, palette),
        text: middle === 0 ? 'about 0' : `about ${formatDifference(middle, compared)}`,
      };
    });
  const most = largest(model.colour);
  return Array.from({ length: CLASSES }, (_, at) => ({
    colour: sampleScale(palette.distribution, (at + 0.5) / CLASSES),
    text: `from ${formatValue((at / CLASSES) ** 2 * most, model.colourUnit)}`,
  }));
}

/** Which sides are compared, in which quantity, and how one side alone is drawn. */
function statement({ sides, quantity }: Compared, { facts }: Shown<Settings>): HTMLElement {
  const [a, b] = sides.map(({ name }) => html('bdi', {}, facts.runLabels.get(name) ?? name));
  return html(
    'p',
    { class: 'gs-contexts-compared' },
    `${quantity}; A: `,
    a ?? '',
    ', B: ',
    b ?? '',
    '; dashed: on one side only',
  );
}

export function drawLegend(
  model: Model,
  shown: Shown<Settings>,
  palette: Palette,
  emit: ViewContext['emit'],
): HTMLElement {
  const legend = html('div', { class: 'gs-legend', role: 'group', 'aria-label': 'Colour' });
  if (model.compared) legend.append(statement(model.compared, shown));
  classesOf(model, palette).forEach(({ colour, text }, at) => {
    const isOn = shown.settings.stand === String(at);
    const swatch = html('span', { class: 'gs-contexts-swatch', 'aria-hidden': 'true' });
    swatch.style.background = colour;
    const button = html('button', { type: 'button', class: 'tool', 'aria-pressed': String(isOn) });
    button.append(swatch, text);
    button.addEventListener('click', () =>
      emit({ type: 'set', values: { stand: isOn ? '' : String(at) } }),
    );
    legend.append(button);
  });
  return legend;
}
