/**
 * Prints values: the only place where numbers become text. The rule is that of `crates/answers/src/text/number.rs`;
 * tests of both read `tests/number-formats.json`.
 */

/** A narrow space that no line breaks at. */
const THIN = '\u202f';
const MINUS = '\u2212';

/** What stands where a value or its unit is not known yet. */
export const PENDING = '\u2026';

/** What stands where a value is absent; never a zero. */
export const ABSENT = '\u2013';

/** From this share of a unit on, three digits round up to it. */
const NEXT_UNIT = 0.9995;
/** From here on a number has no digit for one. */
const EXACT = 1e16;

type Steps = readonly (readonly [factor: number, unit: string])[];
const STEPS: Readonly<Record<string, Steps>> = {
  ns: [
    [1e9, 's'],
    [1e6, 'ms'],
    [1e3, 'µs'],
    [1, 'ns'],
  ],
  us: [
    [1e6, 's'],
    [1e3, 'ms'],
    [1, 'µs'],
    [1e-3, 'ns'],
  ],
  s: [
    [1, 's'],
    [1e-3, 'ms'],
    [1e-6, 'µs'],
    [1e-9, 'ns'],
  ],
  bytes: [
    [1e12, 'TB'],
    [1e9, 'GB'],
    [1e6, 'MB'],
    [1e3, 'kB'],
    [1, 'B'],
  ],
};
/** Steps of counts, which units that are not SI units take too. */
const MANY: Steps = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
];

/** A whole number with thin-space thousands and a true minus sign. */
export function formatCount(value: number | null | undefined): string {
  if (!isNumber(value)) return ABSENT;
  return group(Math.round(value).toFixed(0));
}

/**
 * Three significant digits and at most four decimals; whole digits are never rounded away, and what is not zero is not
 * printed as zero.
 */
export function formatNumber(value: number | null | undefined): string {
  if (!isNumber(value)) return ABSENT;
  const sign = value < 0 ? MINUS : '';
  const magnitude = Math.abs(value);
  if (magnitude === 0) return '0';
  if (magnitude < 0.000_05) return `${sign}<0.0001`;
  if (magnitude >= EXACT) return sign + magnitude.toExponential(2).replace('+', '');
  // Decided on the rounded value, so that 9.999 is `10.0` and not `10.00`.
  for (let decimals = 4; decimals > 0; decimals -= 1) {
    const text = fixed(magnitude, decimals);
    if (text.replace(/^[0.]+/, '').replace('.', '').length <= 3) return sign + group(text);
  }
  return sign + group(fixed(magnitude, 0));
}

/** Like {@link formatNumber} without zeros at the end: for ticks of axes and counts that are round. */
export function formatShort(value: number | null | undefined): string {
  return withoutZeros(formatNumber(value));
}

/** A value with its unit and an SI prefix; counts have one from a million on. No number stands with a guessed unit. */
export function formatValue(value: number | null | undefined, unit: string | undefined): string {
  if (!isNumber(value)) return ABSENT;
  if (unit === undefined) return PENDING;
  const [factor, name] = scaleOf(Math.abs(value), unit);
  const isWhole = (name === 'B' || !(unit in STEPS)) && factor === 1 && unit !== 'ratio';
  const text =
    isWhole && Number.isInteger(value) ? formatCount(value) : formatNumber(value / factor);
  return name ? `${text} ${name}` : text;
}

/** Two values like {@link formatValue}, with more digits if they would print alike. */
export function formatApart(a: number, b: number, unit: string): [string, string] {
  const [factor, name] = scaleOf(Math.abs(b), unit);
  let texts: [string, string] = [formatValue(a, unit), formatValue(b, unit)];
  for (let digits = 4; digits <= 15 && a !== b && texts[0] === texts[1]; digits += 1)
    texts = [a, b].map((value) =>
      [(value / factor).toPrecision(digits).replace('-', MINUS), name].filter(Boolean).join(' '),
    ) as [string, string];
  return texts;
}

/** Like {@link formatValue} without zeros after the point: for ticks of axes. */
export function formatTick(value: number | null | undefined, unit: string): string {
  const [number = '', ...name] = formatValue(value, unit).split(' ');
  return [withoutZeros(number), ...name].join(' ');
}

/** A factor, such as a ratio of two values. */
export function formatFactor(value: number | null | undefined): string {
  return isNumber(value) ? `×${formatNumber(value)}` : ABSENT;
}

/** Units that are not printed. */
const UNNAMED: readonly string[] = ['count', 'ratio', 'unknown'];

/** The unit that suits a column of values, for its header, and the texts of values in it. Only times and bytes scale. */
export function columnUnit(
  maximum: number,
  unit: string,
): { readonly unit: string; format(value: number | null | undefined): string } {
  const isScaled = unit in STEPS;
  const plain = UNNAMED.includes(unit) ? '' : unit;
  const [factor, name] = isScaled ? scaleOf(Math.abs(maximum), unit) : ([1, plain] as const);
  const isWhole = name === 'B' || (!isScaled && unit !== 'ratio');
  return {
    unit: name,
    format: (value) =>
      isWhole && Number.isInteger(value)
        ? formatCount(value)
        : formatNumber(isNumber(value) ? value / factor : value),
  };
}

/** The factor by which values of a size are divided, and the unit after that. */
function scaleOf(size: number, unit: string): readonly [factor: number, name: string] {
  const fits = ([factor]: readonly [number, string]): boolean => size >= factor * NEXT_UNIT;
  const steps = STEPS[unit];
  if (steps) {
    const zero = size === 0 ? steps.find(([factor]) => factor === 1) : undefined;
    return zero ?? steps.find(fits) ?? steps.at(-1) ?? [1, ''];
  }
  const name = UNNAMED.includes(unit) ? '' : unit;
  const [factor, prefix] = (unit === 'ratio' ? undefined : MANY.find(fits)) ?? [1, ''];
  return [factor, prefix && name ? `${prefix} ${name}` : prefix || name];
}

/** Like {@link formatValue}, with a plus sign where it is positive. */
export function formatDelta(value: number | null | undefined, unit: string): string {
  const text = formatValue(value, unit);
  return isNumber(value) && value > 0 ? `+${text}` : text;
}

/** A share as a percentage with three significant digits at most. */
export function formatShare(value: number | null | undefined): string {
  if (!isNumber(value)) return ABSENT;
  return `${withoutZeros(formatNumber(value * 100))} %`;
}

/** A difference relative to the value before; empty if one of them is absent, or the value is zero. */
export function formatChangeFrom(
  before: number | null | undefined,
  delta: number | null | undefined,
): string {
  return before && isNumber(delta) ? formatChange(delta / before) : '';
}

/** A relative change, signed. */
export function formatChange(value: number | null | undefined): string {
  const text = formatShare(value);
  return isNumber(value) && value > 0 ? `+${text}` : text;
}

/** A parameter's value as people write it. */
export function formatParameter(value: string | number | boolean | undefined): string {
  if (value === undefined) return ABSENT;
  if (typeof value === 'number')
    return Number.isInteger(value) ? formatCount(value) : formatShort(value);
  return String(value);
}

/** `n` with the right form of a noun. */
export function formatPlural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

function isNumber(value: number | null | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Decimals of a number that is not negative; ties go to the even digit. */
function fixed(magnitude: number, decimals: number): string {
  const text = magnitude.toFixed(decimals);
  const isTie = /^50*$/.test(magnitude.toFixed(30).slice(decimals - 30));
  const isOdd = Number(text.at(-1)) % 2 === 1;
  return isTie && isOdd ? (Number(text) - 10 ** -decimals).toFixed(decimals) : text;
}

/** A number without zeros at the end of its decimals. */
function withoutZeros(text: string): string {
  return /^[^e<]*\.\d*$/.test(text) ? text.replace(/\.?0+$/, '') : text;
}

function group(text: string): string {
  const isNegative = text.startsWith('-') && /[1-9]/.test(text);
  const [whole = '', fraction] = text.replace('-', '').split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, THIN);
  return (isNegative ? MINUS : '') + grouped + (fraction ? `.${fraction}` : '');
}
