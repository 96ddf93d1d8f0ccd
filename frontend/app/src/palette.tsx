/** Finds commands, views, nodes to select, and runs to make the target. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { type CommandId, findCommands, keyLabel } from '@grainsheaf/views/logic/commands.ts';
import { formatValue } from '@grainsheaf/views/logic/format.ts';
import { VIEWS } from '@grainsheaf/views/registry/views.ts';
import { pickRun, selectGroup } from './actions.ts';
import { run } from './commands.ts';
import { picture, runs, unit } from './data.ts';
import { Dialog } from './dialog.tsx';
import { OWN_VIEWS, show } from './layouts.ts';
import { layoutSteps } from './own-layouts.ts';
import { isMac, overlay } from './state.ts';

interface Entry {
  readonly key: string;
  readonly title: string;
  readonly about: string;
  readonly keys: string;
  act(): void;
}

function entriesOf(query: string): Entry[] {
  const commands = findCommands(query)
    .filter((spec) => spec.id !== 'palette')
    .map((spec): Entry => ({
      key: spec.id,
      title: spec.title,
      about: spec.group,
      keys: spec.keys[0] ? keyLabel(spec.keys[0], isMac) : '',
      act: () => run(spec.id as CommandId),
    }));
  const text = query.trim().toLowerCase();
  if (!text) return commands;
  const views = [...OWN_VIEWS.map((view) => ({ ...view, about: '' })), ...VIEWS]
    .map((view): Entry => ({
      key: `view ${view.id}`,
      title: `View: ${view.title}`,
      about: view.about,
      keys: '',
      act: () => show(view.id),
    }))
    .filter(({ title }) => title.toLowerCase().includes(text));
  const words = text.split(/\s+/);
  const layouts = layoutSteps()
    .map((step): Entry => ({
      key: step.title,
      title: step.title,
      about: 'View',
      keys: '',
      act: step.run,
    }))
    .filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
  const targets = runs
    .peek()
    .filter((one) => one.name.toLowerCase().includes(text))
    .sort((a, b) => (b.total ?? 0) - (a.total ?? 0))
    .slice(0, 20)
    .map((one): Entry => ({
      key: one.run,
      title: `Target: ${one.name}`,
      about: formatValue(one.total, unit.peek()),
      keys: '',
      act: () => pickRun(one, 'target'),
    }));
  const nodes = (picture.answer.peek().data?.nodes ?? [])
    .filter((node) => node.name.toLowerCase().includes(text))
    .slice(0, 20)
    .map((node): Entry => ({
      key: node.id,
      title: `Select ${node.name}`,
      about: node.definition_kind ?? node.kind,
      keys: '',
      act: () => selectGroup(node.id),
    }));
  return [...commands, ...views, ...layouts, ...nodes, ...targets];
}

export function Palette() {
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const entries = entriesOf(query);
  const chosen = Math.min(at, entries.length - 1);
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  const act = (entry: Entry | undefined): void => {
    if (!entry) return;
    overlay.value = 'none';
    // The dialog gives the focus back first.
    setTimeout(() => entry.act(), 0);
  };
  return (
    <Dialog label="Find a command" name="palette">
      <input
        class="palette-input"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={entries[chosen] ? `palette-${chosen}` : undefined}
        aria-label="Command, view, node or run"
        placeholder="Command, view, node or run"
        value={query}
        spellcheck={false}
        autoFocus
        onInput={(event) => {
          setQuery(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
          if (step !== 0) setAt((chosen + step + entries.length) % Math.max(1, entries.length));
          else if (event.key === 'Enter') {
            // Whoever types fast is ahead of the drawn list.
            const { value } = event.currentTarget;
            act(value === query ? entries[chosen] : entriesOf(value)[0]);
          } else return;
          event.preventDefault();
        }}
      />
      <ul id="palette-list" class="palette-list" role="listbox" ref={list}>
        {entries.map((entry, index) => (
          <li
            key={entry.key}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => act(entry)}
            onPointerMove={() => setAt(index)}
          >
            <span class="grow">{entry.title}</span>
            <span class="quiet">{entry.about}</span>
            {entry.keys && <kbd>{entry.keys}</kbd>}
          </li>
        ))}
      </ul>
      {entries.length === 0 && <p class="hint">Nothing is called that.</p>}
    </Dialog>
  );
}
