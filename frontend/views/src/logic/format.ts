/** Prints values: the only place where numbers become text. */

/** A thin space that no line breaks at. */
const THIN = '\u202f';
const MINUS = '\u2212';

/** What stands where a value or its unit is not known yet. */
export const PENDING = '\u2026';

/** What stands where a value is absent; never a zero. */
export const ABSENT = '\u2013';

const TIME_UNITS: readonly [number, string][] = [
  [1, 's'],
  [1e-3, 'ms'],
  [1e-6, 'µs'],
  [1e-9, 'ns'],
];
const COUNT_UNITS: readonly [number, string][] = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
];
const BYTE_UNITS: readonly [number, string][] = [
  [2 ** 40, 'TiB'],
  [2 ** 30, 'GiB'],
  [2 ** 20, 'MiB'],
  [2 ** 10, 'KiB'],
];

/** A whole number with thin-space thousands and a true minus sign. */
export function formatCount(value: number | null | undefined): string {
  if (!isNumber(value)) return ABSENT;
  return group(Math.round(value).toFixed(0));
}

/** Three significant digits, thousands grouped, without an exponent. */
export function formatNumber(value: number | null | undefined): string {
  if (!isNumber(value)) return ABSENT;
  if (value === 0) return '0';
  const magnitude = Math.abs(value);
  if (magnitude >= 1e15 || magnitude < 1e-6) {
    return value
      .toExponential(2)
      .replace(/e([+-])(\d+)/, (_, sign: string, power: string) => {
        return `·10${superscript((sign === '-' ? '-' : '') + power)}`;
      })
      .replace('-', MINUS);
  }
  return group(significant(value));
}

/** Like {@link formatNumber} without zeros at the end: for ticks of axes and counts that are round. */
export function formatShort(value: number | null | undefined): string {
  const text = formatNumber(value);
  return /^[^·]*\.[0-9]*$/.test(text) ? text.replace(/\.?0+$/, '') : text;
}

/** A value with its unit: SI prefixes for times and counts, binary ones for bytes. No number stands with a guessed unit. */
export function formatValue(value: number | null | undefined, unit: string | undefined): string {
  if (!isNumber(value)) return ABSENT;
  if (unit === undefined) return PENDING;
  switch (unit) {
    case 'ns':
      return scaled(value * 1e-9, TIME_UNITS, 's', value * 1e-9);
    case 'us':
      return scaled(value * 1e-6, TIME_UNITS, 's', value * 1e-6);
    case 's':
      return scaled(value, TIME_UNITS, 's', value);
    case 'bytes':
      return scaled(value, BYTE_UNITS, 'B', value);
    case 'ratio':
      return formatRatio(value);
    case 'count':
      return Math.abs(value) < 10_000 && Number.isInteger(value)
        ? formatCount(value)
        : scaled(value, COUNT_UNITS, '', value);
    // The source does not say; a number is all there is.
    case 'unknown':
      return scaled(value, COUNT_UNITS, '', value);
    default:
      return scaled(value, COUNT_UNITS, unit, value);
  }
}

/** Like {@link formatValue} without zeros after the point: for ticks of axes. */
export function formatTick(value: number | null | undefined, unit: string): string {
  return formatValue(value, unit).replace(/(\.\d*?)0+(?=\D|$)/, (_, kept: string) =>
    kept === '.' ? '' : kept,
  );
}

/** A factor, such as a ratio of two values. */
export function formatFactor(value: number | null | undefined): string {
  return isNumber(value) ? `×${formatNumber(value)}` : ABSENT;
}

/** The unit that suits a column of values, for its header, and the texts of values in it. */
export function columnUnit(
  maximum: number,
  unit: string,
): { readonly unit: string; format(value: number | null | undefined): string } {
  const [units, base, toBase] = scaleOf(unit);
  const size = Math.abs(maximum) * toBase;
  const least = units === TIME_UNITS ? units[units.length - 1] : undefined;
  const [factor, prefix] = units.find(([at]) => size >= at * 0.9995) ?? least ?? [1, ''];
  return {
    unit: prefix && base ? `${prefix} ${base}` : prefix || base,
    format: (value) => formatNumber(isNumber(value) ? (value * toBase) / factor : value),
  };
}

function scaleOf(unit: string): readonly [readonly [number, string][], string, number] {
  switch (unit) {
    case 'ns':
      return [TIME_UNITS, '', 1e-9];
    case 'us':
      return [TIME_UNITS, '', 1e-6];
    case 's':
      return [TIME_UNITS, '', 1];
    case 'bytes':
      return [BYTE_UNITS, '', 1];
    case 'ratio':
      return [[], '', 1];
    case 'count':
    case 'unknown':
      return [COUNT_UNITS, '', 1];
    default:
      return [COUNT_UNITS, unit, 1];
  }
}

/** Like {@link formatValue}, with a plus sign where it is positive. */
export function formatDelta(value: number | null | undefined, unit: string): string {
  const text = formatValue(value, unit);
  return isNumber(value) && value > 0 ? `+${text}` : text;
}

/** Two decimals. */
export function formatRatio(value: number | null | undefined): string {
  if (!isNumber(value)) return ABSENT;
  return group(value.toFixed(2));
}

/** A share as a percentage with three significant digits at most. */
export function formatShare(value: number | null | undefined): string {
  if (!isNumber(value)) return ABSENT;
  const percent = value * 100;
  if (percent !== 0 && Math.abs(percent) < 0.01) return `<${THIN}0.01${THIN}%`;
  return `${group(Math.abs(percent) >= 99.95 ? percent.toFixed(0) : significant(percent, 2))}${THIN}%`;
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

/** A probability; small ones as a bound. */
export function formatProbability(value: number | null | undefined): string {
  if (!isNumber(value)) return ABSENT;
  return value < 0.001 ? `<${THIN}0.001` : value.toFixed(3);
}

/** A parameter's value as people write it. */
export function formatParameter(value: string | number | boolean | undefined): string {
  if (value === undefined) return ABSENT;
  if (typeof value === 'number')
    return Number.isInteger(value) ? formatCount(value) : formatNumber(value);
  return String(value);
}

/** A size; whole bytes have no fraction. */
export function formatBytes(bytes: number): string {
  return bytes < 1024 ? `${formatCount(bytes)}${THIN}B` : formatValue(bytes, 'bytes');
}

/** `n` with the right form of a noun. */
export function formatPlural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

function isNumber(value: number | null | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function scaled(
  value: number,
  units: readonly [number, string][],
  base: string,
  magnitude: number,
): string {
  if (value === 0) return `0${base && THIN + base}`;
  const size = Math.abs(magnitude);
  const suffix = (prefix: string): string =>
    units === COUNT_UNITS && base
      ? `${THIN}${prefix}${prefix && base ? ' ' : ''}${base}`
      : `${THIN}${prefix}`;
  // A value that rounds up to 1000 of a unit belongs to the next one.
  const fits = units.find(([factor]) => size >= factor * 0.9995);
  if (fits) return `${group(significant(value / fits[0]))}${suffix(fits[1])}`;
  const last = units[units.length - 1];
  if (units === TIME_UNITS && last)
    return `${group(significant(value / last[0]))}${suffix(last[1])}`;
  return `${group(significant(value))}${base && THIN + base}`;
}

function significant(value: number, digits = 3): string {
  // What rounds up to one more digit before the point loses one behind it.
  const size = Math.abs(Number(value.toPrecision(3)));
  const whole = size === 0 ? 1 : Math.floor(Math.log10(size)) + 1;
  const decimals = Math.min(12, Math.max(0, digits - whole));
  const text = value.toFixed(decimals);
  return digits === 2 && text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

function group(text: string): string {
  const isNegative = text.startsWith('-') && /[1-9]/.test(text);
  const [whole = '', fraction] = text.replace('-', '').split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, THIN);
  return (isNegative ? MINUS : '') + grouped + (fraction ? `.${fraction}` : '');
}

function superscript(text: string): string {
  const digits = '⁰¹²³⁴⁵⁶⁷⁸⁹';
  return [...text]
    .map((c) => (c === '-' ? '⁻' : (digits[Number(c)] ?? '')))
    .join('')
    .replace(/^(⁻?)⁰+(?=.)/, '$1');
}
