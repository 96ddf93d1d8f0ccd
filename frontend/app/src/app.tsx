/** The frame: top bar, lens, panels, picture, status. */

import type { ComponentChild } from 'preact';
import { useEffect } from 'preact/hooks';
import { signal } from '@preact/signals';
import { Dialog } from './dialog.tsx';
import { Footer } from './footer.tsx';
import { lazy, loadDialogs, loadDrop, loadImport } from './lazy.tsx';
import { isInside } from './open-run.ts';
import { Panes } from './panes.tsx';
import { RunsPanel } from './runs-panel.tsx';
import { RightPanel } from './selection-panel.tsx';
import { TopBar } from './top-bar.tsx';
import {
  isNarrow,
  leftOpen,
  overlay,
  page,
  panelWidths,
  rightOpen,
  status,
  visited,
} from './state.ts';
import { runTable, storeInfo } from './data.ts';
import { encodeState, INITIAL } from '@grainsheaf/views/logic/url.ts';
import { refreshAll } from './resource.ts';
import { Failure } from './states.tsx';

/** A dialog whose code did not arrive: the page below it stays as it is. */
function inDialog(failure: ComponentChild) {
  return (
    <Dialog label="Not loaded" name="failed" onClose={() => (visited.value = 'yes')}>
      {failure}
    </Dialog>
  );
}

const Dialogs = lazy(loadDialogs, (module) => module.Dialogs, inDialog);
const IN_DIALOGS: readonly string[] = ['palette', 'help', 'stores', 'tour', 'unit'];
const RunPath = lazy(
  () => import('./run-path.tsx'),
  (module) => module.RunPath,
);
const DropVeil = lazy(loadDrop, (module) => module.DropVeil);
const ImportPanel = lazy(loadImport, (module) => module.ImportPanel, inDialog);

/** Whether the page was opened by a link to something. */
const isLinked = location.search.length > 1;

/** Moves the focus without a change of the address, which holds the view. */
function skipTo(event: Event): void {
  event.preventDefault();
  const main = document.getElementById('main');
  const node = main?.querySelector<SVGElement>('.gs-node[tabindex="0"]');
  (node ?? main)?.focus();
}

/** Whether the first picture is there, so that code for later may be fetched. */
const isCalm = signal(false);

/** Fetches the dialogs when the page is calm, so that none waits for its code. */
function fetchLater(): void {
  isCalm.value = true;
  void loadDialogs();
}

function awaitCalm(): void {
  // Safari has no `requestIdleCallback`.
  if ('requestIdleCallback' in window) requestIdleCallback(fetchLater);
  else setTimeout(fetchLater, 1000);
}

export function App() {
  useEffect(awaitCalm, []);
  const isDrawer = isNarrow.value && (leftOpen.value || rightOpen.value);
  // Inside a run the picture has the room of the list of runs; the top row switches runs.
  const hasLeft = leftOpen.value && (isNarrow.value || !isInside.value);
  const classes = ['frame', hasLeft ? '' : 'no-left', rightOpen.value ? '' : 'no-right'];
  // A link to something leads there; the welcome is for those who come without one.
  const isFirst =
    visited.value === 'no' &&
    encodeState({ ...page.value, store: '' }) === encodeState(INITIAL) &&
    !isLinked &&
    storeInfo.answer.value.data !== undefined;
  const refusal = runTable.answer.value.error ?? storeInfo.answer.value.error;
  // Answers that are there stay on the page; the request for the link lies over them.
  if (refusal?.status === 401 && runTable.answer.value.data === undefined) {
    return (
      <main class="alone">
        <Failure problem={refusal} retry={() => refreshAll()} />
      </main>
    );
  }
  return (
    <div
      class={classes.filter(Boolean).join(' ')}
      style={{ '--left': `${panelWidths.value[0]}px`, '--right': `${panelWidths.value[1]}px` }}
    >
      <a class="skip" href="#main" onClick={skipTo}>
        Skip to the picture
      </a>
      <TopBar />
      {isInside.value && <RunPath />}
      {hasLeft && <RunsPanel />}
      <Panes />
      {rightOpen.value && <RightPanel />}
      {isDrawer && (
        <button
          type="button"
          class="veil"
          aria-label="Close the panel"
          onClick={() => {
            leftOpen.value = false;
            rightOpen.value = false;
          }}
        />
      )}
      <Footer />
      {(IN_DIALOGS.includes(overlay.value) || (isFirst && overlay.value === 'none')) && (
        <Dialogs isFirst={isFirst} />
      )}
      {overlay.value === 'import' && <ImportPanel />}
      {isCalm.value && <DropVeil />}
      <div class="visually-hidden" role="status" aria-live="polite">
        {status.value.text}
      </div>
    </div>
  );
}
