/** What runs in the browser of the tests of views: mounts one view, keeps what it reports. */

import { paletteOf, type Theme } from '@grainsheaf/views/logic/colour.ts';
import type { ViewEvent } from '@grainsheaf/views';
import type { Selection } from '@grainsheaf/views/registry/selection.ts';
import type { Facts, Shown, ViewModule } from '@grainsheaf/views/registry/definition.ts';
import { decodeSettings } from '@grainsheaf/views/registry/settings.ts';
import { viewOf } from '@grainsheaf/views/registry/views.ts';
import { twinOf } from '@grainsheaf/views/ui/twin.ts';
import type { View } from '@grainsheaf/views';
import type { Spatial } from '@grainsheaf/views';
import { own } from './page-own.ts';
import { speed } from './page-speed.ts';

const NOTHING: Selection = {
  store: '',
  lens: '',
  shape: '',
  runs: [],
  run: '',
  otherRun: '',
  definition: '',
  target: undefined,
  a: undefined,
  b: undefined,
  isDiff: false,
  comparison: undefined,
  metric: undefined,
  scope: 'exclusive',
  group: '',
  groupName: '',
  site: '',
  grain: '',
  growing: '',
  varying: [],
  serialRun: '',
  time: undefined,
};

/** What a test gives: everything as JSON. */
export interface Scene {
  readonly view: string;
  readonly answers: Readonly<Record<string, unknown>>;
  readonly settings?: Readonly<Record<string, string>>;
  readonly selection?: Partial<Selection>;
  readonly runs?: Facts['runs'];
  readonly cohorts?: Facts['cohorts'];
  readonly edits?: Partial<Facts['edits']>;
  readonly theme?: Theme;
  readonly width?: number;
  readonly height?: number;
}

const events: ViewEvent[] = [];
let view: View<unknown, Shown<unknown>> | undefined;
let module: ViewModule<unknown, unknown> | undefined;
let latest: readonly [unknown, Shown<unknown>] | undefined;
let generated: Scene['answers'] = {};

/** Columns of numbers arrive as lists, in which null is absent. */
function revived(answers: Scene['answers']): Scene['answers'] {
  const columnOf = (cells: unknown): unknown =>
    Array.isArray(cells) && cells.some((cell) => typeof cell === 'number')
      ? Float64Array.from(cells as (number | null)[], (cell) => cell ?? NaN)
      : cells;
  return Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => {
      const given = answer as { schema?: string; columns?: Record<string, unknown> } | undefined;
      if (given?.schema !== 'columns/1') return [name, answer];
      const columns = Object.entries(given.columns ?? {});
      return [
        name,
        {
          ...given,
          columns: Object.fromEntries(columns.map(([id, cells]) => [id, columnOf(cells)])),
        },
      ];
    }),
  );
}

function shownOf(scene: Scene): Shown<unknown> {
  const definition = viewOf(scene.view);
  if (!definition) throw new Error(`no view ${scene.view}`);
  const runs = scene.runs ?? [];
  const names = new Map(runs.map((run) => [run.run, run.name]));
  return {
    selection: { ...NOTHING, ...scene.selection },
    settings: decodeSettings(definition.settings, scene.settings ?? {}),
    facts: {
      runs,
      runNames: names,
      runLabels: names,
      cohorts: scene.cohorts ?? [],
      edits: {
        isAllowed: true,
        isBusy: false,
        undo: undefined,
        fault: undefined,
        ...scene.edits,
      },
    },
  };
}

const tests = {
  ...own,
  layout: speed.layout,
  /** Shows a view of a generated run, with answers that are made here. */
  async showGenerated(
    scene: Omit<Scene, 'answers'>,
    make: keyof typeof speed.generated,
    sizes: readonly number[],
    rest: Scene['answers'] = {},
  ): Promise<void> {
    const made = (speed.generated[make] as (...sizes: number[]) => unknown)(...sizes);
    const answers = make === 'recursion' || make === 'fork' ? { tree: made } : made;
    generated = { ...(answers as Scene['answers']), ...rest };
    await tests.show({ ...scene, answers: generated });
  },
  generatedAnswers: (): Scene['answers'] => generated,
  /** Draws the generated run with other settings; milliseconds until it is drawn. */
  redrawGenerated(scene: Omit<Scene, 'answers'>): number {
    const begin = performance.now();
    latest = [generated, shownOf({ ...scene, answers: generated })];
    view?.update(...latest);
    return performance.now() - begin;
  },
  /** Shows all, and pans as often, once per frame. */
  async pan(frames: number): Promise<void> {
    const spatial = view as unknown as Spatial;
    spatial.fit();
    for (let at = 0; at < frames; at += 1)
      await new Promise<void>((done) => {
        // Within the callback of the frame: what awaits it counts as no script.
        requestAnimationFrame(() => {
          spatial.pan(at % 2 === 0 ? 9 : -9, 3);
          done();
        });
      });
  },
  /** Zooms once, and waits until it is drawn. */
  async zoom(factor: number): Promise<void> {
    (view as unknown as Spatial).zoom(factor);
    for (let frame = 0; frame < 2; frame += 1)
      await new Promise((done) => requestAnimationFrame(done));
  },
  events,
  /** Mounts a view anew. */
  async show(given: Scene): Promise<void> {
    const scene = { ...given, answers: revived(given.answers) };
    view?.destroy();
    events.length = 0;
    const theme = scene.theme ?? 'light';
    document.documentElement.dataset['theme'] = theme;
    const host = document.querySelector<HTMLElement>('#host');
    if (!host) throw new Error('no host');
    host.style.width = `${scene.width ?? 1200}px`;
    host.style.height = `${scene.height ?? 760}px`;
    const definition = viewOf(scene.view);
    module = (await definition?.load()) as unknown as ViewModule<unknown, unknown>;
    const shown = shownOf(scene);
    latest = [scene.answers, shown];
    view = module.create();
    view.mount(host, {
      palette: () => paletteOf(theme),
      isMotionReduced: () => true,
      lens: () => shown.selection.lens,
      emit: (event) => events.push(event),
      hover: { value: undefined, peek: () => undefined, subscribe: () => () => undefined },
    });
    view.update(scene.answers, shown);
  },
  /** Acts in the callback of a frame, so that it counts as script. */
  inFrame: (act: () => void): Promise<void> =>
    new Promise((done) => {
      requestAnimationFrame(() => {
        act();
        done();
      });
    }),
  /** Draws the same again. */
  again(): void {
    if (latest) view?.update(...latest);
  },
  /** Draws again with other settings or another selection. */
  update(given: Scene): void {
    const scene = { ...given, answers: revived(given.answers) };
    const shown = shownOf(scene);
    latest = [scene.answers, shown];
    view?.update(scene.answers, shown);
  },
  /** What the keys N and P do. */
  step: (by: number): void => (view as { step?(by: number): void } | undefined)?.step?.(by),
  /** Requests that follow from the answers. */
  parts: (): object => (latest && module?.parts ? module.parts(...latest) : {}),
  svg: (): string => view?.exportSvg() ?? '',
  rows: (): number => (latest && module ? module.table(...latest).rows.length : -1),
  twin: (): string => (latest && module ? (twinOf(module.table(...latest)).textContent ?? '') : ''),
  empty: (): unknown => (latest && module ? module.empty?.(...latest) : undefined),
  destroy(): number {
    view?.destroy();
    view = undefined;
    return document.querySelectorAll('#host *, .gs-tooltip').length;
  },
};

export type Tests = typeof tests;
(window as unknown as { tests: Tests }).tests = tests;
