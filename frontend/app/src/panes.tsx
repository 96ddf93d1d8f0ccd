/** The tree of panes: each with a head to choose its view, and splitters between them. */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { clampShare, type Pane, type Place, viewsOf } from '@grainsheaf/views/logic/panes.ts';
import { VIEWS, viewOf } from '@grainsheaf/views/registry/views.ts';
import { openMenu } from '@grainsheaf/views/ui/menu.ts';
import { close, enlarge, OWN_VIEWS, panes, resize, showIn, split } from './layouts.ts';
import { isInside } from './open-run.ts';
import { Registered, ViewControls } from './registered.tsx';
import { SankeyPane, SankeyTools } from './sankey-pane.tsx';
import { lazy } from './lazy.tsx';
import { isNarrow } from './state.ts';

const loadTree = (): Promise<typeof import('./tree-pane.tsx')> => import('./tree-pane.tsx');
const TreePane = lazy(loadTree, (module) => module.TreePane);
const TreeTools = lazy(loadTree, (module) => module.TreeTools);
const TreeNotes = lazy(loadTree, (module) => module.TreeNotes);
const TopGroups = lazy(
  () => import('./top-groups.tsx'),
  (module) => module.TopGroups,
);
const loadChanges = (): Promise<typeof import('./changes-pane.tsx')> =>
  import('./changes-pane.tsx');
const Changes = lazy(loadChanges, (module) => module.Changes);
const ChangesTools = lazy(
  () => import('./changes-tools.tsx'),
  (module) => module.ChangesTools,
);
const loadRuns = (): Promise<typeof import('./runs-pane.tsx')> => import('./runs-pane.tsx');
const RunsPane = lazy(loadRuns, (module) => module.RunsPane);
const RunsTools = lazy(loadRuns, (module) => module.RunsTools);

/** Views with a tab of their own in panes that are not the main one; the others are in the menu. */
const TABS = ['top', 'tree', 'distribution', 'boxes', 'runs'];
/** The same inside a run. */
const TABS_INSIDE = ['groups', 'grain-graph', 'parallelism', 'timeline', 'delays'];

function titleOf(view: string): string {
  return viewOf(view)?.title ?? OWN_VIEWS.find((own) => own.id === view)?.title ?? view;
}

function allViews(): readonly { readonly id: string; readonly title: string }[] {
  return [...OWN_VIEWS, ...VIEWS];
}

function openViews(place: Place, view: string, element: Element): void {
  const box = element.getBoundingClientRect();
  openMenu(
    [
      ...allViews().map((one) => ({
        label: `${one.id === view ? '● ' : ''}${one.title}`,
        run: () => showIn(place, one.id),
      })),
    ],
    box.left,
    box.bottom + 2,
    'View of this pane',
  );
}

async function openPane(place: Place, view: string, element: Element): Promise<void> {
  const { paneItems } = await import('./export-menu.ts');
  const box = element.getBoundingClientRect();
  openMenu(
    [
      ...paneItems(view),
      null,
      { label: 'Split: another view to the right', run: () => split(place, true) },
      { label: 'Split: another view below', run: () => split(place, false) },
      ...(place === ''
        ? []
        : [
            { label: 'Only this view', run: () => enlarge(view) },
            { label: 'Close this view', run: () => close(place) },
          ]),
    ],
    box.right - 220,
    box.bottom + 2,
    'Pane',
  );
}

/** Pixels that two lines of controls are high at most. */
const TWO_LINES = 60;

/** Marks a head whose controls would take more than two lines: its style folds them then. */
function useFolding() {
  const element = useRef<HTMLDivElement>(null);
  const fold = (): void => {
    const head = element.current;
    head?.removeAttribute('data-folded');
    head?.toggleAttribute('data-folded', head.offsetHeight > TWO_LINES);
  };
  useLayoutEffect(fold);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => requestAnimationFrame(fold));
    if (element.current) observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return element;
}

/** Controls of a view; a button shows them if they have no room. */
function Tools({ view }: { view: string }) {
  const [isOpen, setOpen] = useState(false);
  const registered = viewOf(view);
  return (
    <>
      <button
        type="button"
        class="tool pane-unfold"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        settings {isOpen ? '▴' : '▾'}
      </button>
      <div class={isOpen ? 'pane-tools is-open' : 'pane-tools'}>
        {view === 'sankey' && <SankeyTools />}
        {view === 'changes' && <ChangesTools />}
        {view === 'tree' && <TreeTools />}
        {view === 'runs' && <RunsTools />}
        {view === 'top' && <span class="grow" />}
        {registered && <ViewControls key={view} view={registered} />}
      </div>
    </>
  );
}

function Head({ view, place, isMain }: { view: string; place: Place; isMain: boolean }) {
  const head = useFolding();
  const tabs = isInside.value ? TABS_INSIDE : TABS;
  const shown = tabs.includes(view) ? tabs : [...tabs, view];
  return (
    <div class="toolbar pane-head" ref={head}>
      {isMain ? (
        <h2 class="pane-title">
          <button
            type="button"
            class="tool"
            aria-haspopup="menu"
            title="Choose another view"
            onClick={(event) => openViews(place, view, event.currentTarget)}
          >
            {titleOf(view)} <span aria-hidden="true">▾</span>
          </button>
        </h2>
      ) : (
        <div class="tabs">
          <div class="tabs" role="tablist" aria-label="View of this pane">
            {shown.map((id) => (
              <button
                type="button"
                role="tab"
                class="tab"
                key={id}
                aria-selected={id === view}
                onClick={() => showIn(place, id)}
              >
                {titleOf(id)}
              </button>
            ))}
          </div>
          <button
            type="button"
            class="tool"
            aria-haspopup="menu"
            title="All views"
            aria-label="More views"
            onClick={(event) => openViews(place, view, event.currentTarget)}
          >
            more ▾
          </button>
        </div>
      )}
      <Tools key={view} view={view} />
      <button
        type="button"
        class="tool pane-menu"
        aria-haspopup="menu"
        aria-label={`Pane of ${titleOf(view)}`}
        title="Export, split or close this pane"
        onClick={(event) => void openPane(place, view, event.currentTarget)}
      >
        ⋯
      </button>
    </div>
  );
}

function Body({ view }: { view: string }) {
  const registered = viewOf(view);
  if (registered) return <Registered key={view} view={registered} />;
  switch (view) {
    case 'changes':
      return <Changes />;
    case 'tree':
      return <TreePane />;
    case 'runs':
      return <RunsPane />;
    case 'top':
      return <TopGroups />;
    default:
      return <SankeyPane />;
  }
}

function Leaf({ view, place, isMain }: { view: string; place: Place; isMain: boolean }) {
  return (
    <section
      class={`pane pane-${view}${isMain ? ' pane-main' : ''}`}
      aria-label={titleOf(view)}
      data-tour={view === 'sankey' ? 'picture' : isMain ? undefined : 'panel'}
    >
      <Head view={view} place={place} isMain={isMain} />
      {view === 'tree' && <TreeNotes />}
      <div class={view === 'sankey' ? 'pane-body picture' : 'pane-body second-body'}>
        <Body view={view} />
      </div>
    </section>
  );
}

function Splitter({ isBeside, share, place }: { isBeside: boolean; share: number; place: Place }) {
  const keys = isBeside
    ? (['ArrowLeft', 'ArrowRight'] as const)
    : (['ArrowUp', 'ArrowDown'] as const);
  return (
    <div
      class={isBeside ? 'splitter splitter-beside' : 'splitter'}
      role="separator"
      aria-orientation={isBeside ? 'vertical' : 'horizontal'}
      aria-label="Share of the two panes"
      aria-valuenow={share}
      aria-valuemin={10}
      aria-valuemax={90}
      tabIndex={0}
      onKeyDown={(event) => {
        const step = event.key === keys[0] ? -4 : event.key === keys[1] ? 4 : 0;
        if (step === 0) return;
        event.preventDefault();
        event.stopPropagation();
        resize(place, clampShare(share + step));
      }}
      onPointerDown={(event) => {
        const element = event.currentTarget;
        const box = element.parentElement?.getBoundingClientRect();
        if (!box) return;
        element.setPointerCapture(event.pointerId);
        const move = (moved: PointerEvent): void => {
          const part = isBeside
            ? (moved.clientX - box.left) / box.width
            : (moved.clientY - box.top) / box.height;
          resize(place, clampShare(part * 100));
        };
        element.addEventListener('pointermove', move);
        element.addEventListener(
          'pointerup',
          () => element.removeEventListener('pointermove', move),
          { once: true },
        );
      }}
    />
  );
}

function Tree({ pane, place, main }: { pane: Pane; place: Place; main: Place }) {
  const box = useRef<HTMLDivElement>(null);
  if ('view' in pane)
    return <Leaf key={pane.view} view={pane.view} place={place} isMain={place === main} />;
  const { isBeside, share, first, second } = pane;
  return (
    <div ref={box} class={isBeside ? 'split split-beside' : 'split'}>
      <div class="split-part" style={{ flexGrow: share }}>
        <Tree pane={first} place={`${place}1`} main={main} />
      </div>
      <Splitter isBeside={isBeside} share={share} place={place} />
      <div class="split-part" style={{ flexGrow: 100 - share }}>
        <Tree pane={second} place={`${place}2`} main={main} />
      </div>
    </div>
  );
}

export function Panes() {
  const shown = panes.value;
  const views = viewsOf(shown);
  const main = views[0]?.place ?? '';
  // In a narrow window panes lie above each other, however they were split.
  return (
    <main
      class={isNarrow.value ? 'centre is-narrow' : 'centre'}
      id="main"
      tabIndex={-1}
      aria-label="Views"
    >
      <Tree pane={shown} place="" main={main} />
    </main>
  );
}
