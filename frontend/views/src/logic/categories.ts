/** Colours and shapes of categories: cohorts, clusters, series. Never colour alone. */

import { mix, type Palette } from './colour.ts';

/** After Okabe and Ito, darkened where a thin mark on white would not be seen. */
const HUES = [
  '#0072B2',
  '#D55E00',
  '#009E73',
  '#B0578D',
  '#4497C9',
  '#B77B00',
  '#5B5EA6',
  '#6B7075',
] as const;

/** Colour of a category by its place; from the ninth on, lightness variants. */
export function categoryColour(palette: Palette, index: number): string {
  const hue = HUES[index % HUES.length] ?? HUES[0];
  const round = Math.floor(index / HUES.length);
  const lightened = palette.theme === 'dark' ? mix(hue, '#ffffff', 0.3) : hue;
  return round === 0 ? lightened : mix(lightened, palette.ground, Math.min(0.5, round * 0.25));
}

/** Colours of ordered values, such as thread counts: light to dark on white, dark to light on black. */
export function ordinalColour(palette: Palette, index: number, count: number): string {
  const stops =
    palette.theme === 'dark'
      ? ['#7A5C8E', '#C0668A', '#F0906A', '#FFD27A']
      : ['#E2A029', '#C4604A', '#84306F', '#2A1A5E'];
  const place = count > 1 ? (index / (count - 1)) * (stops.length - 1) : stops.length - 1;
  const at = Math.min(stops.length - 2, Math.floor(place));
  return mix(stops[at] ?? '#888888', stops[at + 1] ?? '#888888', place - at);
}

/** Outlines of shapes around (0, 0) with about the area of a circle of radius `r`. */
export function shapePath(index: number, r: number): string {
  const k = r * 0.9;
  switch (index % 6) {
    case 0:
      return `M${-r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0Z`;
    case 1:
      return `M${-k},${-k}H${k}V${k}H${-k}Z`;
    case 2:
      return `M0,${-1.3 * r}L${1.2 * r},${0.9 * r}H${-1.2 * r}Z`;
    case 3:
      return `M0,${-1.35 * r}L${1.35 * r},0L0,${1.35 * r}L${-1.35 * r},0Z`;
    case 4:
      return `M0,${1.3 * r}L${1.2 * r},${-0.9 * r}H${-1.2 * r}Z`;
    default:
      return `M${-k},${-k * 0.35}H${-k * 0.35}V${-k}H${k * 0.35}V${-k * 0.35}H${k}V${k * 0.35}H${k * 0.35}V${k}H${-k * 0.35}V${k * 0.35}H${-k}Z`;
  }
}
