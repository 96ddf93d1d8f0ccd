/** Settings of a view: declared once; the address, the controls and the types follow. */

import type { Facts } from './definition.ts';

interface Common<T> {
  readonly initial: T;
  /** Text of the control; a setting without one has no control. */
  readonly label?: string;
  readonly hint?: string;
}

export type Choice<T extends string> = Common<T> & {
  readonly kind: 'choice';
  readonly options: readonly (readonly [value: T, label: string])[];
  /** As a row of buttons, or as a list to choose from. */
  readonly look: 'buttons' | 'list';
};
export type Flag = Common<boolean> & { readonly kind: 'flag' };
export type Numeric = Common<number> & {
  readonly kind: 'number';
  readonly min: number;
  readonly max: number;
  readonly step: number;
};
/** Values to choose from, with their labels. */
export type Options = readonly (readonly [value: string, label: string])[];
export type Text = Common<string> & {
  readonly kind: 'text';
  /** In a list of options, the label of the empty text. */
  readonly placeholder?: string;
  /** What the text may be; anything if this is missing or empty, as it is until the runs are known. */
  readonly options?: (facts: Facts) => Options;
};

export type Setting = Choice<string> | Flag | Numeric | Text;
export type Schema = Readonly<Record<string, Setting>>;
type ValueOf<T> =
  T extends Choice<infer O>
    ? O
    : T extends Flag
      ? boolean
      : T extends Numeric
        ? number
        : T extends Text
          ? string
          : never;
/** The values of a schema. */
export type SettingsOf<S extends Schema> = { readonly [K in keyof S]: ValueOf<S[K]> };

/** One of several; the first is the default. */
export function choice<const T extends string>(
  options: readonly (readonly [T, string])[],
  label?: string,
  look: 'buttons' | 'list' = 'buttons',
): Choice<T> {
  const initial = options[0]?.[0];
  if (initial === undefined) throw new Error('a choice needs an option');
  return { kind: 'choice', options, initial, look, ...(label === undefined ? {} : { label }) };
}

export function flag(label?: string, initial = false, hint?: string): Flag {
  return { kind: 'flag', initial, ...optional(label, hint) };
}

export function numeric(
  initial: number,
  [min, max]: readonly [number, number],
  label?: string,
  step = 1,
): Numeric {
  return { kind: 'number', initial, min, max, step, ...optional(label) };
}

export function text(label?: string, placeholder?: string, options?: Text['options']): Text {
  return {
    kind: 'text',
    initial: '',
    ...optional(label),
    ...(placeholder === undefined ? {} : { placeholder }),
    ...(options ? { options } : {}),
  };
}

function optional(label?: string, hint?: string): { label?: string; hint?: string } {
  return { ...(label === undefined ? {} : { label }), ...(hint === undefined ? {} : { hint }) };
}

/** Texts of the settings that differ from the default, for the address. */
export function encodeSettings(
  schema: Schema,
  values: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, setting] of Object.entries(schema)) {
    const value = values[name];
    if (value === undefined || value === setting.initial) continue;
    texts[name] = typeof value === 'boolean' ? (value ? '1' : '0') : String(value);
  }
  return texts;
}

/** What the value of a setting can be chosen from. An optional text can be empty. */
export function optionsOf(setting: Setting, facts: Facts): Options | undefined {
  if (setting.kind === 'choice') return setting.options;
  if (setting.kind !== 'text' || !setting.options) return undefined;
  return [['', setting.placeholder ?? ''], ...setting.options(facts)];
}

/** Whether a text of the address is not among the options of its setting. */
export function isUnknown(setting: Setting, value: string, facts: Facts): boolean {
  const options = setting.kind === 'text' ? (optionsOf(setting, facts) ?? []) : [];
  return options.length > 1 && !options.some(([option]) => option === value);
}

/** Values of texts; what is unknown or out of range falls back to the default. */
export function decodeSettings<S extends Schema>(
  schema: S,
  texts: Readonly<Record<string, string>>,
  facts?: Facts,
): SettingsOf<S> {
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(schema)) {
    const given = texts[name]?.trim();
    const isLost = facts && given !== undefined && isUnknown(setting, given, facts);
    values[name] = isLost ? setting.initial : valueOf(setting, texts[name]);
  }
  return values as SettingsOf<S>;
}

function valueOf(setting: Setting, given: string | undefined): unknown {
  if (given === undefined) return setting.initial;
  switch (setting.kind) {
    case 'choice':
      return setting.options.some(([value]) => value === given) ? given : setting.initial;
    case 'flag':
      return given === '1' ? true : given === '0' ? false : setting.initial;
    case 'number': {
      const value = Number(given);
      return Number.isFinite(value) && value >= setting.min && value <= setting.max
        ? value
        : setting.initial;
    }
    case 'text':
      return given;
  }
}
