/** Colours of layers and conditions, for light and dark ground. */

import type { Palette } from '../logic/colour.ts';
import { mix } from '../logic/colour.ts';
import type { Condition, LayerName } from './model.ts';

const HUES: Readonly<Record<LayerName, string>> = {
  running: '#5B7E9F',
  ready_synchronisation: '#AEB9C4',
  ready_creation: '#E2C79B',
  ready_creation_continuation: '#C9A66B',
  ready_wait_continuation: '#B9C79B',
  ready_other_continuation: '#C3AFCB',
  ready_dependence: '#D9A6A0',
};

export function layerColour(palette: Palette, layer: LayerName): string {
  const hue = HUES[layer];
  return palette.theme === 'dark' ? mix(hue, palette.ground, layer === 'running' ? 0 : 0.35) : hue;
}

export function conditionColour(palette: Palette, condition: NonNullable<Condition>): string {
  if (condition === 'lacks') return palette.ensemble;
  return palette.theme === 'dark' ? '#D99A2B' : '#F5A623';
}
