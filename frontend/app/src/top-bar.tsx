/** Where one is, search, and the way to everything else. */

import { formatPlural } from '@grainsheaf/views/logic/format.ts';
import { keyLabel } from '@grainsheaf/views/logic/commands.ts';
import { searchHits, stepHit } from './actions.ts';
import { openMenu } from '@grainsheaf/views/ui/menu.ts';
import { run } from './commands.ts';
import { LAYOUTS, load } from './layouts.ts';
import { lazy, loadGrainSearch } from './lazy.tsx';
import { LensBar } from './lens-bar.tsx';
import { isInside } from './open-run.ts';
import { cohortBy, runs, runTable, storeInfo } from './data.ts';
import {
  isCompact,
  isMac,
  isNarrow,
  leftOpen,
  navigate,
  openStore,
  page,
  rightOpen,
  themeChoice,
} from './state.ts';

export function ensembleText(): string {
  const all = runs.value;
  if (all.length === 0) return runTable.answer.value.data ? 'no runs' : '…';
  const programs = [...new Set(all.map((one) => one.program))];
  const by = cohortBy.value.length > 0 ? `, by ${cohortBy.value.join(', ')}` : '';
  const who = programs.length === 1 ? programs[0] : formatPlural(programs.length, 'program');
  return `${who} (${formatPlural(all.length, 'run')}${by})`;
}

function Stores() {
  const { data } = storeInfo.answer.value;
  if (!data) return null;
  if (data.stores.length < 2) return <span class="crumb">{data.name}</span>;
  return (
    <select
      class="crumb"
      aria-label="Store"
      value={page.value.store || data.name}
      onChange={(event) => openStore(event.currentTarget.value)}
    >
      {data.stores.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}

const GrainHits = lazy(loadGrainSearch, (module) => module.GrainHits);

function Search() {
  const hits = searchHits();
  const { search, group } = page.value;
  const at = hits.includes(group) ? ' · selected' : '';
  const what = isInside.value ? 'grains' : 'nodes';
  const box = (
    <label class="search" data-tour="search">
      <span class="visually-hidden">Search {what} by name</span>
      <input
        id="search"
        type="search"
        placeholder={isNarrow.value ? 'Search' : `Search ${what}  /`}
        autocomplete="off"
        spellcheck={false}
        value={search}
        onInput={(event) => navigate({ search: event.currentTarget.value }, true)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') stepHit(event.shiftKey ? -1 : 1);
          else if (event.key === 'Escape') {
            navigate({ search: '' }, true);
            event.currentTarget.blur();
          } else return;
          event.preventDefault();
        }}
      />
      {search && !isInside.value && (
        <span class="hits">
          {formatPlural(hits.length, 'hit')}
          {at}
        </span>
      )}
    </label>
  );
  if (!isInside.value || !search) return box;
  return (
    <>
      {box}
      <GrainHits />
    </>
  );
}

const THEMES = { auto: '◐', light: '○', dark: '●' } as const;

function Tools() {
  return (
    <>
      <button
        type="button"
        class="tool"
        title="Add runs from files or a folder, key Shift A"
        onClick={() => run('add')}
      >
        Add
      </button>
      <button
        type="button"
        class="tool"
        data-tour="export"
        title={`Export, ${keyLabel('Ctrl+S', isMac)}`}
        onClick={() => run('export')}
      >
        Export
      </button>
      <button
        type="button"
        class="tool"
        title="Find a command"
        aria-label={`Find a command, ${keyLabel('Ctrl+K', isMac)}`}
        onClick={() => run('palette')}
      >
        <kbd>{keyLabel('Ctrl+K', isMac)}</kbd>
      </button>
      <button
        type="button"
        class="tool"
        title="Keys and help"
        aria-label="Keys and help"
        onClick={() => run('help')}
      >
        ?
      </button>
      <button
        type="button"
        class="tool"
        title={`Theme: ${themeChoice.value}`}
        aria-label={`Theme: ${themeChoice.value}`}
        onClick={() => run('theme')}
      >
        {THEMES[themeChoice.value]}
      </button>
    </>
  );
}

/** The same in a menu, where there is no room for buttons. */
function More() {
  return (
    <button
      type="button"
      class="tool"
      data-tour="export"
      aria-haspopup="menu"
      aria-label="More commands"
      onClick={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        openMenu(
          [
            { label: 'Lens as text', keys: 'E', run: () => run('lens-edit') },
            { label: 'Add runs…', run: () => run('add') },
            { label: 'Export…', run: () => run('export') },
            { label: 'Find a command', keys: keyLabel('Ctrl+K', isMac), run: () => run('palette') },
            { label: 'Keys and help', keys: '?', run: () => run('help') },
            { label: `Theme: ${themeChoice.peek()}`, run: () => run('theme') },
            null,
            ...LAYOUTS.map(({ name, title }) => ({ label: title, run: () => load(name) })),
          ],
          box.right - 200,
          box.bottom + 2,
          'More commands',
        );
      }}
    >
      ⋯
    </button>
  );
}

export function TopBar() {
  return (
    <header class="top-bar">
      {isNarrow.value && (
        <button
          type="button"
          class="tool"
          aria-expanded={leftOpen.value}
          onClick={() => (leftOpen.value = !leftOpen.value)}
        >
          Runs
        </button>
      )}
      <h1 class="brand">grainsheaf</h1>
      <span class="sep" aria-hidden="true">
        ▸
      </span>
      <Stores />
      {storeInfo.answer.value.data && (
        <span class="sep" aria-hidden="true">
          ▸
        </span>
      )}
      <span class="crumb ensemble" title={ensembleText()}>
        {ensembleText()}
      </span>
      {!isNarrow.value && (
        <nav class="layouts" aria-label="Layout" data-tour="layouts">
          {LAYOUTS.map(({ name, title }, index) =>
            name === 'run' && page.value.run === '' ? null : (
              <button
                type="button"
                key={name}
                class="tool"
                aria-pressed={page.value.layout === name}
                title={`${title}, key ${index + 1}`}
                onClick={() => load(name)}
              >
                {title} <kbd>{index + 1}</kbd>
              </button>
            ),
          )}
        </nav>
      )}
      <LensBar />
      <Search />
      {isCompact.value ? <More /> : <Tools />}
      {isNarrow.value && (
        <button
          type="button"
          class="tool"
          aria-expanded={rightOpen.value}
          onClick={() => (rightOpen.value = !rightOpen.value)}
        >
          Selection
        </button>
      )}
    </header>
  );
}
