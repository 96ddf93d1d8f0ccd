/** Colour roles for light and dark ground, scales and contrast. */

export type Theme = 'light' | 'dark';

/** Every colour role of one theme, as `#rrggbb`. */
export interface Palette {
  readonly theme: Theme;
  readonly ground: string;
  readonly surface: string;
  readonly line: string;
  readonly ink: string;
  readonly ink2: string;
  readonly accent: string;
  readonly target: string;
  readonly ensemble: string;
  readonly band: string;
  readonly problem: string;
  readonly warning: string;
  readonly criticalPath: string;
  /** Grains with a problem, from just beyond the limit to the worst. */
  readonly severity: readonly [least: string, worst: string];
  readonly fork: string;
  readonly join: string;
  readonly distribution: readonly string[];
  readonly ensembleScale: readonly string[];
  readonly exclusive: readonly string[];
  /** Runs in the order of their cohorts. */
  readonly cohorts: readonly string[];
  readonly difference: readonly [faster: string, neutral: string, slower: string];
}

const LIGHT: Palette = {
  theme: 'light',
  ground: '#FFFFFF',
  surface: '#F6F7F8',
  line: '#DDE1E5',
  ink: '#15191D',
  ink2: '#56616B',
  accent: '#0B6BCB',
  target: '#00796B',
  ensemble: '#C9CFD4',
  band: '#DCE1E6',
  problem: '#C62828',
  warning: '#8A5A00',
  criticalPath: '#C62828',
  severity: ['#F9A825', '#C62828'],
  fork: '#2E8B57',
  join: '#D2572B',
  distribution: ['#FFFFFF', '#F7D9D4', '#E9A79D', '#D2655F', '#B2182B'],
  ensembleScale: ['#FFFFFF', '#EDEFF1', '#DDE1E4', '#C9CFD4', '#AEB6BD'],
  exclusive: ['#EFF3FF', '#BDD2EC', '#7FAAD6', '#3C7CBD', '#08519C'],
  cohorts: ['#D99A1C', '#D2653B', '#A83A68', '#6A2383', '#211245'],
  difference: ['#2166AC', '#F2F2F2', '#C2410C'],
};

const DARK: Palette = {
  theme: 'dark',
  ground: '#101418',
  surface: '#171C21',
  line: '#2B333B',
  ink: '#E8ECEF',
  ink2: '#9AA7B2',
  accent: '#5AA9F5',
  target: '#3CCFB4',
  ensemble: '#3A444D',
  band: '#27303A',
  problem: '#FF6B61',
  warning: '#FFD166',
  criticalPath: '#FF6B61',
  severity: ['#FFD166', '#FF6B61'],
  fork: '#5CC98B',
  join: '#FF9A70',
  distribution: ['#171C21', '#47302F', '#82483F', '#C06656', '#FF8A73'],
  ensembleScale: ['#171C21', '#222930', '#2E363E', '#3A444D', '#4C5863'],
  exclusive: ['#14263B', '#254363', '#3D6694', '#5B8EC6', '#7DB8F7'],
  cohorts: ['#8A5CC0', '#B76BC0', '#E5839A', '#F8A86B', '#FBE08A'],
  difference: ['#6BAEF0', '#2A3138', '#FF9A5C'],
};

/** The colours of a theme. */
export function paletteOf(theme: Theme): Palette {
  return theme === 'dark' ? DARK : LIGHT;
}

/** Colour of a share 0..1 on equally spaced stops. */
export function sampleScale(stops: readonly string[], share: number): string {
  const clamped = Math.min(1, Math.max(0, Number.isFinite(share) ? share : 0));
  const place = clamped * (stops.length - 1);
  const index = Math.min(stops.length - 2, Math.floor(place));
  const from = stops[Math.max(0, index)] ?? '#000000';
  return mix(from, stops[index + 1] ?? from, place - index);
}

/** Colour of a histogram count: power 0.5, so that bins with one run stay visible. */
export function countColour(stops: readonly string[], count: number, maximum: number): string {
  return sampleScale(stops, maximum > 0 ? Math.sqrt(count / maximum) : 0);
}

/** Colour of a maximum exclusive value: power 0.5 as well. */
export function exclusiveColour(palette: Palette, value: number, maximum: number): string {
  return sampleScale(palette.exclusive, maximum > 0 ? Math.sqrt(value / maximum) : 0);
}

/** Colour of a difference on a symmetric domain; `worseIsUp` says whether more is worse. */
export function differenceColour(
  palette: Palette,
  delta: number,
  bound: number,
  worseIsUp = true,
): string {
  const share = bound > 0 ? Math.min(1, Math.abs(delta) / bound) : 0;
  const isWorse = delta > 0 === worseIsUp;
  const [faster, neutral, slower] = palette.difference;
  return mix(neutral, isWorse ? slower : faster, Math.sqrt(share));
}

/** Factor from which on the colour of a ratio does not change any more. */
export const STRONGEST = 4;

/** Colour of a ratio of two runs, alike for a factor and its inverse. */
export function ratioColour(palette: Palette, ratio: number | undefined): string {
  if (ratio === undefined || ratio <= 0) return palette.ground;
  return differenceColour(palette, Math.log(ratio), Math.log(STRONGEST));
}

/** Mixes two colours. */
export function mix(from: string, to: string, share: number): string {
  const a = channels(from);
  const b = channels(to);
  const part = (index: number): string => {
    const value = Math.round((a[index] ?? 0) + ((b[index] ?? 0) - (a[index] ?? 0)) * share);
    return value.toString(16).padStart(2, '0');
  };
  return `#${part(0)}${part(1)}${part(2)}`;
}

/** Contrast ratio of two colours after WCAG 2.2, 1..21. */
export function contrast(one: string, other: string): number {
  const a = luminance(one);
  const b = luminance(other);
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Black or white, whichever reads better on `ground`. */
export function textOn(ground: string): string {
  return contrast('#000000', ground) >= contrast('#FFFFFF', ground) ? '#000000' : '#FFFFFF';
}

function luminance(colour: string): number {
  const [r, g, b] = channels(colour).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (r ?? 0) + 0.7152 * (g ?? 0) + 0.0722 * (b ?? 0);
}

function channels(colour: string): number[] {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}
