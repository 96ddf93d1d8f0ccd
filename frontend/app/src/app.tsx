/** The frame: top bar, lens, panels, picture, status. */

import { Centre } from './centre.tsx';
import { Footer } from './footer.tsx';
import { LensBar } from './lens-bar.tsx';
import { Help } from './help.tsx';
import { DropVeil } from './import/drop.tsx';
import { ImportPanel } from './import/panel.tsx';
import { Palette } from './palette.tsx';
import { RunsPanel } from './runs-panel.tsx';
import { RightPanel } from './selection-panel.tsx';
import { Stores } from './stores.tsx';
import { TopBar } from './top-bar.tsx';
import { Tour } from './tour.tsx';
import { isNarrow, leftOpen, overlay, page, rightOpen, status, visited } from './state.ts';
import { runTable, storeInfo } from './data.ts';
import { refreshAll } from './resource.ts';
import { Failure } from './states.tsx';

export function App() {
  const isDrawer = isNarrow.value && (leftOpen.value || rightOpen.value);
  const classes = [
    'frame',
    `layout-${page.value.layout}`,
    leftOpen.value ? '' : 'no-left',
    rightOpen.value ? '' : 'no-right',
  ];
  // A link to something leads there; the welcome is for those who come without one.
  const isFirst =
    visited.value === 'no' &&
    page.value.lens === '' &&
    page.value.group === '' &&
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
    <div class={classes.filter(Boolean).join(' ')}>
      <TopBar />
      <LensBar />
      {leftOpen.value && <RunsPanel />}
      <Centre />
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
      {overlay.value === 'palette' && <Palette />}
      {overlay.value === 'help' && <Help />}
      {(overlay.value === 'stores' || (isFirst && overlay.value === 'none')) && (
        <Stores isFirst={isFirst} />
      )}
      {overlay.value === 'tour' && <Tour />}
      {overlay.value === 'import' && <ImportPanel />}
      <DropVeil />
      <div class="visually-hidden" role="status" aria-live="polite">
        {status.value.text}
      </div>
    </div>
  );
}
