/** What a notebook gives a widget: a model with traits that Python has too, and messages. */

/** The part of anywidget's model that is used. */
export interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  send(content: unknown, callbacks?: unknown, buffers?: readonly ArrayBuffer[]): void;
  on(name: string, listener: (...given: never[]) => void): void;
  off(name: string, listener?: (...given: never[]) => void): void;
}

/** What the reader is looking at: the part of the state that Python has too. */
export interface State {
  /** Id of a view. */
  readonly view: string;
  readonly lens: string;
  readonly selection: Picked;
  /** Settings of views that differ from the default, by `view.setting`. */
  readonly settings: Readonly<Record<string, string>>;
}

/** What is selected; absent fields are not. */
export interface Picked {
  readonly group?: string;
  readonly site?: string;
  readonly runs?: readonly string[];
  readonly run?: string;
  readonly other_run?: string;
  readonly definition?: string;
  readonly grain?: number;
  readonly time?: readonly [number, number];
}

/** Traits that are changed on both sides. */
export const TRAITS = ['view', 'lens', 'selection', 'settings'] as const;

const TEXTS = ['group', 'site', 'run', 'other_run', 'definition'] as const;

/** The selection of a trait; what is not understood is left out. */
export function pickedOf(given: unknown): Picked {
  const fields = recordOf(given);
  const found: Record<string, unknown> = {};
  for (const name of TEXTS) {
    const value = fields[name];
    if (typeof value === 'string' && value !== '') found[name] = value;
  }
  const { runs, grain, time } = fields;
  if (Array.isArray(runs) && runs.length > 0 && runs.every((one) => typeof one === 'string'))
    found['runs'] = runs;
  if (typeof grain === 'number' && Number.isInteger(grain) && grain >= 0) found['grain'] = grain;
  if (Array.isArray(time) && time.length === 2 && time.every((one) => Number.isFinite(one)))
    found['time'] = time;
  return found;
}

/** The state that the traits of a model have. */
export function stateOf(model: Pick<Model, 'get'>): State {
  const settings: Record<string, string> = {};
  for (const [name, value] of Object.entries(recordOf(model.get('settings'))))
    settings[name] = String(value);
  return {
    view: textOf(model.get('view')) || 'sankey',
    lens: textOf(model.get('lens')),
    selection: pickedOf(model.get('selection')),
    settings,
  };
}

/** Text that two equal values share, whatever the order of their fields. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : one,
  );
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
