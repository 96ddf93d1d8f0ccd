/** Where one is inside a run: run, definition, grain, each with the way out of it. */

import type { Patch } from '@grainsheaf/views';
import { formatCount } from '@grainsheaf/views/logic/format.ts';
import { listedRuns, runLabels, tree } from './data.ts';
import { closeRun, isInside, leaveFor, openedRun, stepRun } from './open-run.ts';
import { changeOf, select } from './selection.ts';
import { navigate, page } from './state.ts';
import { ensembleText } from './top-bar.tsx';

interface CrumbProps {
  readonly text: string;
  readonly what: string;
  /** Leaves what is below this crumb; nothing for the last crumb. */
  readonly leave: (() => void) | undefined;
}

function Crumb({ text, what, leave }: CrumbProps) {
  const content = <bdi>{text}</bdi>;
  return (
    <>
      <span class="sep" aria-hidden="true">
        ▸
      </span>
      {leave ? (
        <button type="button" class="link crumb mono" title={`${what}: ${text}`} onClick={leave}>
          {content}
        </button>
      ) : (
        <span class="crumb mono" title={`${what}: ${text}`} aria-current="location">
          {content}
        </span>
      )}
    </>
  );
}

function RunSteps() {
  const all = listedRuns.value;
  const at = all.findIndex((run) => run.run === page.value.run);
  if (at < 0 || all.length < 2) return null;
  return (
    <span class="run-steps">
      <button
        type="button"
        class="tool"
        title="Previous run, key ["
        aria-label="Previous run"
        onClick={() => stepRun(-1)}
      >
        ‹
      </button>
      <span class="quiet">
        {formatCount(at + 1)} of {formatCount(all.length)}
      </span>
      <button
        type="button"
        class="tool"
        title="Next run, key ]"
        aria-label="Next run"
        onClick={() => stepRun(1)}
      >
        ›
      </button>
    </span>
  );
}

/** Choice of a second run, for views that show two. */
function OtherRun() {
  const { run, otherRun } = page.value;
  const others = listedRuns.value.filter((one) => one.run !== run);
  if (others.length === 0) return null;
  return (
    <label class="field run-other">
      next to
      <select
        value={otherRun}
        onChange={(event) => select({ otherRun: event.currentTarget.value })}
      >
        <option value="">no other run</option>
        {others.map((one) => (
          <option key={one.run} value={one.run}>
            {runLabels.value.get(one.run) ?? one.name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Name of a calling context, if the call tree of the ensemble has it. */
function nameOfContext(site: string): string {
  const known = tree.answer.value.data?.sites.find(({ id }) => id === site);
  return known?.name ?? `context ${site.slice(0, 8)}`;
}

/** Changes the selection, and shows the groups of the whole run again. */
function leaveTo(patch: Patch): void {
  const views = Object.fromEntries(
    Object.entries(page.peek().views).filter(([name]) => name !== 'groups.root'),
  );
  navigate({ ...changeOf(patch), views });
}

/** The row above the views of an opened run. */
export function RunPath() {
  const { run, definition, grain, site, views } = page.value;
  const root = views['groups.root'] ?? '';
  if (!isInside.value) return null;
  const name = runLabels.value.get(run) ?? openedRun.value?.name ?? run.slice(0, 8);
  const isBelow = [definition, grain, site, root].some((text) => text !== '');
  return (
    <nav class="run-path" aria-label="Path inside the run">
      <button
        type="button"
        class="link crumb"
        title="Leave the run, key Shift O"
        onClick={closeRun}
      >
        {ensembleText()}
      </button>
      <Crumb
        text={name}
        what="Run"
        leave={isBelow ? () => leaveTo({ definition: '', grain: '', site: '' }) : undefined}
      />
      <RunSteps />
      {definition !== '' && (
        <Crumb
          text={definition}
          what="Definition"
          leave={grain + site + root === '' ? undefined : () => leaveTo({ grain: '', site: '' })}
        />
      )}
      {definition !== '' && (
        <button
          type="button"
          class="link"
          title="Leave the run for this definition over all runs"
          onClick={() => void leaveFor(definition)}
        >
          over all runs
        </button>
      )}
      {site !== '' && (
        <Crumb
          text={nameOfContext(site)}
          what="Calling context"
          leave={grain + root === '' ? undefined : () => leaveTo({ grain: '' })}
        />
      )}
      {root !== '' && (
        <Crumb
          text={`group ${root}`}
          what="Group that Groups shows"
          leave={grain === '' ? undefined : () => select({ grain: '' })}
        />
      )}
      {grain !== '' && <Crumb text={`grain ${grain}`} what="Grain" leave={undefined} />}
      <OtherRun />
    </nav>
  );
}
