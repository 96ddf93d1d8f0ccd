/** Makes a report of what the page shows, from the answers that it has. Loaded when one is asked for. */

import type {
  Diff,
  RegisteredView,
  Runs,
  Sankey,
  Selection,
  Shown,
  Table,
  ViewModule,
} from '@grainsheaf/views';
import { formatCount } from '@grainsheaf/views/logic/format.ts';
import { viewsOf } from '@grainsheaf/views/logic/panes.ts';
import { verdictText } from '@grainsheaf/views/logic/verdicts.ts';
import { encodeSettings } from '@grainsheaf/views/registry/settings.ts';
import { viewOf } from '@grainsheaf/views/registry/views.ts';
import { html } from '@grainsheaf/views/ui/dom.ts';
import { twinOf } from '@grainsheaf/views/ui/twin.ts';
import {
  addressOf,
  difference,
  isDiff,
  picture,
  quantity,
  runTable,
  storeInfo,
  tree,
  warnings,
} from '../data.ts';
import { panes } from '../layouts.ts';
import { settingsOf } from '../registered.tsx';
import { ask, cache } from '../resource.ts';
import { facts, selected } from '../selection.ts';
import { BASE } from '../service.ts';
import { page } from '../state.ts';
import { embedded, type PictureContent, type ReportContent } from './content.ts';

/** Values of single runs in a picture, as in reports of the command line. */
const MOST_VALUES = 250_000;
/** Rows of a part of an answer in a report. */
const MOST_ROWS = 20_000;
/** Characters of a cell above which it is folded. */
const LONG = 160;
const FOLDED = 60;

/** Parts of a report. */
interface Draft {
  readonly answers: Record<string, unknown>;
  readonly pictures: PictureContent[];
  readonly tables: { readonly title: string; readonly table: Table }[];
  readonly notes: string[];
}

/** The file: of the page, or of one view on it. */
export async function makeReport(only = ''): Promise<string> {
  const draft: Draft = { answers: {}, pictures: [], tables: [], notes: [] };
  const runs = runTable.answer.peek().data;
  if (runs) draft.answers['runs'] = runs;
  const isOf = (view: string): boolean => only === '' || only === view;
  if (isOf('sankey')) addSankey(draft);
  if (isOf('changes') || only === 'sankey') addDiff(draft);
  if (isOf('tree')) addTree(draft);
  for (const { view } of viewsOf(panes.peek())) {
    const registered = viewOf(view);
    if (!registered || !isOf(view)) continue;
    try {
      await addRegistered(draft, registered);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      draft.notes.push(`Left out of this file: ${registered.title}: ${reason}`);
    }
  }
  if (runs) addRuns(draft, runs);
  for (const { who, text } of warnings.peek()) draft.notes.push(`${who}: ${text}`);
  const response = await fetch(`${BASE}report.html`);
  if (!response.ok) throw new Error(`the service has no template of reports (${response.status})`);
  return filled(await response.text(), draft);
}

async function addRegistered(draft: Draft, view: RegisteredView): Promise<void> {
  const settings = settingsOf(view);
  const question = view.query(selected.peek(), settings as never);
  if ('empty' in question) return;
  const places: Record<string, string> = {};
  const answers: Record<string, unknown> = {};
  for (const [name, request] of Object.entries(question.requests)) {
    if (!request) continue;
    const format = request.format === 'arrow' ? { format: 'arrow' } : {};
    const address = addressOf(request.route, { ...request.query, ...format });
    const answer = cache.get(address)?.data ?? (await ask(address));
    const place = `${view.id}-${name}`;
    places[name] = place;
    answers[name] = answer;
    draft.answers[place] = answer;
  }
  const module = await view.load();
  const shown = { selection: selected.peek(), settings: settings as never, facts: facts.peek() };
  for (const [name, answer] of partsHere(module, answers, shown)) {
    if (isTooLarge(answer)) {
      draft.notes.push(
        `Left out of this file: more than ${formatCount(MOST_ROWS)} rows of ${name}`,
      );
      continue;
    }
    const place = `${view.id}-${name}`;
    places[name] = place;
    draft.answers[place] = answer;
  }
  if (module.empty?.(answers, shown)) return;
  draft.pictures.push({
    view: view.id,
    answers: places,
    settings: encodeSettings(view.settings, settings),
  });
  draft.tables.push({ title: view.title, table: module.table(answers, shown) });
  draft.notes.push(...(module.notes?.(answers, shown) ?? []));
}

/** Answers of the parts that the page has, such as the children of open groups; all of them are in `answers` then. */
function partsHere(
  module: ViewModule<never, never>,
  answers: Record<string, unknown>,
  shown: Shown<unknown>,
): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  for (let isNew = true; isNew;) {
    isNew = false;
    const requests = module.parts?.(answers as never, shown as never) ?? {};
    for (const [name, request] of Object.entries(requests)) {
      const format = request.format === 'arrow' ? { format: 'arrow' } : {};
      const known = cache.get(addressOf(request.route, { ...request.query, ...format }));
      if (!known || found.has(name)) continue;
      found.set(name, known.data);
      answers[name] = known.data;
      isNew = true;
    }
  }
  return found;
}

/** The opened run, with what is selected in it. */
function insideOf({
  run,
  otherRun,
  definition,
  grain,
  time,
}: Selection): Pick<ReportContent, 'inside'> {
  if (run === '') return {};
  return { inside: { run, otherRun, definition, grain, ...(time ? { time } : {}) } };
}

function isTooLarge(answer: unknown): boolean {
  const { rows } = answer as { readonly rows?: unknown };
  return typeof rows === 'number' && rows > MOST_ROWS;
}

function addSankey(draft: Draft): void {
  const sankey = picture.answer.peek().data;
  if (!sankey) return;
  draft.answers['sankey'] = bounded(sankey, draft.notes);
  const diff = isDiff.peek() ? { diff: 'diff' } : {};
  const { isHotPath, isBackEdges } = page.peek();
  draft.pictures.push({
    view: 'sankey',
    answers: { sankey: 'sankey', ...diff },
    settings: { hot: isHotPath ? '1' : '0', back: isBackEdges ? '1' : '0' },
  });
  draft.tables.push({
    title: 'Groups of the picture',
    table: {
      caption: `${quantity.peek()}; maximum over runs`,
      columns: [
        { id: 'group', label: 'group', kind: 'text' },
        { id: 'inclusive', label: 'inclusive', kind: 'number', unit: sankey.unit },
        { id: 'exclusive', label: 'exclusive', kind: 'number', unit: sankey.unit },
        { id: 'runs', label: 'runs', kind: 'number', unit: 'count' },
      ],
      rows: sankey.nodes.map((node) => [
        node.name,
        node.max_inclusive,
        node.max_exclusive,
        node.present,
      ]),
    },
  });
}

/** The picture, without the values of single runs if there are too many. */
function bounded(sankey: Sankey, notes: string[]): Sankey {
  const values = (2 * sankey.nodes.length + sankey.edges.length) * sankey.runs.length;
  if (values <= MOST_VALUES) return sankey;
  notes.push(
    `Left out of this file: ${formatCount(values)} values of single runs in the Sankey; its distributions are of all runs.`,
  );
  return {
    ...sankey,
    isPartial: true,
    nodes: sankey.nodes.map((node) => ({
      ...node,
      inclusive_by_run: [],
      exclusive_by_run: [],
    })),
    edges: sankey.edges.map((edge) => ({ ...edge, inclusive_by_run: [] })),
  };
}

function addDiff(draft: Draft): void {
  const diff = isDiff.peek() ? difference.answer.peek().data : undefined;
  if (!diff) return;
  draft.answers['diff'] = diff;
  const changes = { view: 'changes', answers: { diff: 'diff' } };
  draft.pictures.unshift(changes);
  draft.tables.unshift({ title: 'Groups', table: diffTable(diff) });
}

function diffTable(diff: Diff): Table {
  const { unit } = diff;
  return {
    caption: `${diff.scope} ${diff.metric}, B − A`,
    columns: [
      { id: 'group', label: 'group', kind: 'text' },
      { id: 'a', label: 'A', kind: 'number', unit },
      { id: 'b', label: 'B', kind: 'number', unit },
      { id: 'delta', label: 'B − A', kind: 'number', unit },
      { id: 'ratio', label: 'ratio', kind: 'number' },
      { id: 'low', label: 'from', kind: 'number' },
      { id: 'high', label: 'to', kind: 'number' },
      { id: 'q', label: 'q', kind: 'number' },
      { id: 'verdict', label: 'verdict', kind: 'text' },
      { id: 'reason', label: 'reason', kind: 'text' },
    ],
    rows: diff.rows.map((row) => [
      row.path.join(' › '),
      row.a,
      row.b,
      row.delta,
      row.ratio,
      row.ci?.[0],
      row.ci?.[1],
      row.q,
      verdictText(row.verdict),
      row.reason?.text,
    ]),
  };
}

function addTree(draft: Draft): void {
  const hierarchy = viewsOf(panes.peek()).some(({ view }) => view === 'tree')
    ? tree.answer.peek().data
    : undefined;
  if (!hierarchy) return;
  draft.answers['hierarchy'] = hierarchy;
  const diff = isDiff.peek() ? { diff: 'diff' } : {};
  draft.pictures.push({ view: 'tree', answers: { hierarchy: 'hierarchy', ...diff } });
}

function addRuns(draft: Draft, runs: Runs): void {
  draft.pictures.push({ view: 'runs', answers: { runs: 'runs' } });
  const varying = runs.parameters.filter(({ varies }) => varies).slice(0, 8);
  draft.tables.push(
    {
      title: 'Runs',
      table: {
        caption: `${formatCount(runs.runs.length)} runs`,
        columns: [
          { id: 'run', label: 'run', kind: 'text' },
          { id: 'name', label: 'name', kind: 'text' },
          { id: 'program', label: 'program', kind: 'text' },
          ...varying.map(({ name }) => ({ id: name, label: name, kind: 'text' as const })),
          { id: 'elapsed', label: 'elapsed', kind: 'number', unit: 'ns' },
        ],
        rows: runs.runs.map((run) => [
          run.run.slice(0, 8),
          run.name,
          run.program,
          ...varying.map(({ name }) => {
            const value = run.params[name];
            return value === undefined ? null : String(value);
          }),
          run.elapsed_ns,
        ]),
      },
    },
    {
      title: 'Import report',
      table: {
        caption: 'Where the runs come from',
        columns: [
          { id: 'run', label: 'run', kind: 'text' },
          { id: 'file', label: 'file', kind: 'text' },
          { id: 'format', label: 'format', kind: 'text' },
          { id: 'reader', label: 'reader', kind: 'text' },
          { id: 'bytes', label: 'bytes', kind: 'number', unit: 'count' },
          { id: 'imported', label: 'imported', kind: 'text' },
          { id: 'warnings', label: 'warnings', kind: 'text' },
        ],
        rows: runs.runs.map((run) => [
          run.run.slice(0, 8),
          run.source?.file,
          run.format,
          run.source?.reader,
          run.source?.bytes,
          run.source?.imported,
          [...(run.is_complete ? [] : ['the source is incomplete']), ...run.warnings].join('; '),
        ]),
      },
    },
  );
}

/** The template with its places filled. It is cut at them before any text enters it. */
function filled(template: string, draft: Draft): string {
  const { lens, group } = page.peek();
  const store = storeInfo.answer.peek().data;
  const title = store?.name ?? 'grainsheaf';
  const content: ReportContent = {
    schema: 'report/1',
    lens,
    answers: draft.answers,
    pictures: draft.pictures,
    group,
    ...(selected.peek().target ? { target: selected.peek().target } : {}),
    ...insideOf(selected.peek()),
  } as ReportContent;
  const versions = `grainsheaf ${store?.version ?? ''}; report/1`;
  const parts: readonly (readonly [string, string])[] = [
    ['<!--report:title-->', markup(document.createTextNode(`${title} report`))],
    ['<!--report:summary-->', summary(draft).map(markup).join('\n')],
    [
      '<!--report:tables-->',
      [
        ...tables(draft),
        ...section('Lens', html('pre', {}, lens)),
        ...section('Versions', html('p', {}, versions)),
      ]
        .map(markup)
        .join('\n'),
    ],
    ['<!--report:content-->', embedded(content)],
  ];
  let [rest, text] = [template, ''];
  for (const [place, part] of parts) {
    const at = rest.indexOf(place);
    if (at < 0) throw new Error(`the template of reports has no ${place}`);
    text += rest.slice(0, at) + part;
    rest = rest.slice(at + place.length);
  }
  return text + rest;
}

/** A node as HTML. It is made of text nodes, so that names stay names. */
function markup(node: Node): string {
  return new XMLSerializer().serializeToString(node);
}

function summary(draft: Draft): HTMLElement[] {
  const { a, b } = selected.peek();
  const store = storeInfo.answer.peek().data;
  const diff = isDiff.peek() ? difference.answer.peek().data : undefined;
  const heading = diff
    ? `${a?.name ?? diff.a.name} → ${b?.name ?? diff.b.name}`
    : `${store?.name ?? 'store'} (${formatCount(facts.peek().runs.length)} runs)`;
  const counts = new Map<string, number>();
  for (const row of diff?.rows ?? []) {
    const text = verdictText(row.verdict);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const verdicts = [...counts].map(([text, count]) => text.replace(' ', ` ${count} `)).join(', ');
  return [
    html('h1', {}, heading),
    ...(verdicts ? [html('p', { class: 'report-verdict' }, `groups: ${verdicts}`)] : []),
    html('p', {}, quantity.peek()),
    ...(draft.pictures.length === 0 ? [html('p', {}, 'The page showed nothing.')] : []),
  ];
}

function section(title: string, ...children: readonly HTMLElement[]): HTMLElement[] {
  return [html('h2', {}, title), ...children];
}

function tables({ tables, notes }: Draft): HTMLElement[] {
  const parts = tables.flatMap(({ title, table }) => {
    const twin = twinOf(table);
    twin.classList.add('report-table');
    for (const cell of twin.querySelectorAll('td')) fold(cell);
    const region = html('div', {
      class: 'report-scroll',
      role: 'region',
      tabindex: '0',
      'aria-label': title,
    });
    region.append(twin);
    return section(title, region);
  });
  if (notes.length === 0) return parts;
  const list = html('ul', {}, ...[...new Set(notes)].map((note) => html('li', {}, note)));
  return [...parts, ...section('Notes', list)];
}

/** A long text in a cell is folded, and whole inside. */
function fold(cell: HTMLElement): void {
  const text = cell.textContent ?? '';
  if (text.length <= LONG) return;
  const summary = `${text.slice(0, FOLDED)}… (${formatCount(text.length)} characters)`;
  cell.replaceChildren(
    html(
      'details',
      { class: 'long-name' },
      html('summary', {}, html('bdi', {}, summary)),
      html('bdi', {}, text),
    ),
  );
}
