/** Ways from the selected group or call site into runs: the target, the largest, any other, or both sides of a diff. */

import type { Hierarchy, Patch, SankeyNode, Site } from '@grainsheaf/views';
import { formatValue } from '@grainsheaf/views/logic/format.ts';
import { definitionsIn, runsByValue } from '@grainsheaf/views/logic/group-definitions.ts';
import { geometryLens } from '@grainsheaf/views/logic/lens.ts';
import { shorten } from '@grainsheaf/views/logic/names.ts';
import { typicalRun } from '@grainsheaf/views/logic/typical-run.ts';
import type { Series } from '@grainsheaf/views/logic/values.ts';
import { valuesOf } from '@grainsheaf/views/sankey/model.ts';
import { openMenu } from '@grainsheaf/views/ui/menu.ts';
import {
  addressOf,
  difference,
  isDiff,
  picture,
  runLabels,
  runs,
  scope,
  sides,
  target,
  unit,
} from './data.ts';
import { show } from './layouts.ts';
import { openRun } from './open-run.ts';
import { ask } from './resource.ts';
import { page, say } from './state.ts';

/** Entries of a menu. */
const LISTED = 20;
/** Characters of a name in a menu. */
const NAME = 48;

interface Ways {
  readonly label: string;
  readonly ids: readonly string[];
  /** Values of the runs, by which they are ordered. */
  readonly values: Series;
  /** Name of the definition in the runs of A, if those of B call it differently. */
  readonly nameInA?: string | undefined;
  /** What can be selected in the run that opens: one way is taken, several are offered. */
  places(): readonly Patch[] | Promise<readonly Patch[]>;
}

const labelOf = (run: string): string => runLabels.value.get(run) ?? run.slice(0, 8);

/** Opens a run at the place, or asks which of several. */
async function openAt(run: string, ways: Ways, from: Element, rest: Patch = {}): Promise<void> {
  const box = from.getBoundingClientRect();
  let places: readonly Patch[];
  try {
    places = await ways.places();
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return;
  }
  if (places.length <= 1) {
    openRun(run, { ...places[0], ...rest });
    return;
  }
  const more = places.length - LISTED;
  openMenu(
    [
      ...places.slice(0, LISTED).map((place) => ({
        label: shorten(place.definition ?? '', NAME),
        run: () => openRun(run, { ...place, ...rest }),
      })),
      ...(more > 0
        ? [{ label: `+ ${more} more: open without one`, run: () => openRun(run, rest) }]
        : []),
    ],
    box.left,
    box.bottom + 2,
    'Definition to select in the run',
  );
}

/** Lists the runs that have the group, the largest value first. */
function chooseRun(ways: Ways, from: Element): void {
  const box = from.getBoundingClientRect();
  const listed = runsByValue(ways.ids, ways.values);
  const more = listed.length - LISTED;
  openMenu(
    [
      ...listed.slice(0, LISTED).map(({ run, value }) => ({
        label: `${labelOf(run)}, ${formatValue(value, unit.value)}`,
        run: () => void openAt(run, ways, from),
      })),
      ...(more > 0 ? [{ label: `+ ${more} more, in the run table`, run: () => show('runs') }] : []),
    ],
    box.left,
    box.bottom + 2,
    'Run to open',
  );
}

/** Opens the typical runs of both sides, one next to the other. */
function OpenSides({ ways }: { ways: Ways }) {
  const a = typicalRun(sides.value.a, 'A', runs.value);
  const b = typicalRun(sides.value.b, 'B', runs.value);
  if (!a || !b) return null;
  const renamed = ways.nameInA === undefined ? {} : { definition: ways.nameInA };
  const rest = { otherRun: b.run, ...renamed };
  return (
    <button
      type="button"
      class="button"
      title={`Inside ${labelOf(a.run)} (${a.why}), with ${labelOf(b.run)} (${b.why}) next to it`}
      onClick={({ currentTarget }) => void openAt(a.run, ways, currentTarget, rest)}
    >
      open <bdi>{labelOf(a.run)}</bdi> next to <bdi>{labelOf(b.run)}</bdi>{' '}
      <small>
        {a.why}, {b.why}
      </small>
    </button>
  );
}

function Open({ ways }: { ways: Ways }) {
  const listed = runsByValue(ways.ids, ways.values);
  const chosen = typicalRun(target.value, 'the target', runs.value);
  const offered = [...new Set([chosen?.run, listed[0]?.run])].filter((run) => run !== undefined);
  const isMore = listed.some(({ run }) => !offered.includes(run));
  return (
    <section class="block">
      <p class="steps" aria-label={ways.label}>
        {isDiff.value && <OpenSides ways={ways} />}
        {!isDiff.value &&
          offered.map((run) => (
            <button
              type="button"
              class="button"
              key={run}
              title={`Inside ${run === chosen?.run ? chosen.why : 'the run with the largest value'}`}
              onClick={({ currentTarget }) => void openAt(run, ways, currentTarget)}
            >
              open in <bdi>{labelOf(run)}</bdi>
            </button>
          ))}
        {isMore && (
          <button
            type="button"
            class="button"
            aria-haspopup="menu"
            onClick={({ currentTarget }) => chooseRun(ways, currentTarget)}
          >
            open in another run …
          </button>
        )}
      </p>
    </section>
  );
}

/** What can be selected in a run for a group: grains have definitions, not modules. */
async function placesOf(node: SankeyNode): Promise<readonly Patch[]> {
  if (node.kind === 'definition') return [{ definition: node.name }];
  if (node.kind === 'context') return [{ definition: node.name, site: node.id }];
  if (node.kind === 'others') return node.members.map((definition) => ({ definition }));
  const lens = geometryLens(page.peek().lens);
  const query = { lens, group: node.id, format: 'arrow' };
  const tree = await ask<Hierarchy>(addressOf('hierarchy', query));
  return definitionsIn(tree).map((definition) => ({ definition }));
}

/** Name in A of a definition that was renamed between the sides of a diff. */
function nameInA(id: string): string | undefined {
  const row = difference.answer.value.data?.rows.find(({ group }) => group === id);
  return row?.path_a?.at(-1);
}

export function OpenGroup({ node }: { node: SankeyNode }) {
  const data = picture.answer.value.data;
  // Collected modules have no tree that would have their definitions.
  if (!data || (node.kind === 'others' && data.grouped_by === 'module')) return null;
  const label = 'Open runs at this group';
  const values = valuesOf(node, scope.value);
  const ways = { label, ids: data.runs, values, nameInA: nameInA(node.id) };
  return <Open ways={{ ...ways, places: () => placesOf(node) }} />;
}

export function OpenSite({ site, ids }: { site: Site; ids: readonly string[] }) {
  // The root of several trees is no context of a run.
  if (site.kind === 'group') return null;
  const values = scope.value === 'exclusive' ? site.exclusive_by_run : site.inclusive_by_run;
  const label = 'Open runs at this call site';
  const places = (): readonly Patch[] => [{ definition: site.name, site: site.id }];
  return <Open ways={{ label, ids, values, places }} />;
}
