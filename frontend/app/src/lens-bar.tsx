/** The lens as chips, or as text. */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import {
  CHOICES,
  type Clause,
  CLAUSES,
  type ClauseHelp,
  clauseValue,
  diffOf,
  moveClause,
  splitClauses,
  targetOf,
  withClause,
  withoutClause,
  words,
} from '@grainsheaf/views/logic/lens.ts';
import { formatPlural } from '@grainsheaf/views/logic/format.ts';
import { openMenu } from '@grainsheaf/views/ui/menu.ts';
import { copy, setLens } from './actions.ts';
import { groupNames, metric, metricInfo, nameOfSelector, runTable, shownScope } from './data.ts';
import { lazy, loadDialogs } from './lazy.tsx';
import { isCompact, isLensEdited, page } from './state.ts';

/** A clause with ids replaced by names. */
function textOf(clause: Clause): string {
  if (clause.keyword === 'target') return `target: ${nameOfSelector(targetOf(clause.text) ?? '')}`;
  if (clause.keyword === 'diff') {
    const [a, b] = diffOf(clause.text) ?? ['', ''];
    return `diff: ${nameOfSelector(a)} to ${nameOfSelector(b)}`;
  }
  if (['split', 'reveal', 'focus', 'hide'].includes(clause.keyword)) {
    const [, group = '', how = ''] = words(clause.text);
    return `${clause.keyword}: ${groupNames.value.get(group) ?? group}${how ? ` by ${how}` : ''}`;
  }
  return `${clause.keyword}: ${clause.text.slice(clause.keyword.length).trim()}`;
}

function choose(keyword: string, element: Element): void {
  const metrics = runTable.answer.peek().data?.metrics.map((metric) => metric.name) ?? [];
  const parameters =
    runTable.answer.peek().data?.parameters.map((parameter) => parameter.name) ?? [];
  const choices = keyword === 'metric' ? metrics : keyword === 'by' ? parameters : CHOICES[keyword];
  const box = element.getBoundingClientRect();
  if (!choices || choices.length === 0) {
    isLensEdited.value = true;
    return;
  }
  const quoted = (name: string): string =>
    /^[\w./=%-]+$/.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`;
  openMenu(
    choices.map((choice) => ({
      label: choice,
      run: () => setLens(withClause(page.peek().lens, `${keyword} ${quoted(choice)}`)),
    })),
    box.left,
    box.bottom + 4,
    keyword,
  );
}

function Chip({ clause, index, count }: { clause: Clause; index: number; count: number }) {
  const { lens } = page.value;
  const isMovable = ['split', 'reveal', 'focus', 'hide'].includes(clause.keyword);
  return (
    <li class="chip">
      <button
        type="button"
        class="chip-text"
        data-whole={textOf(clause)}
        title={`${clause.text}\n${CLAUSES.find((help) => help.keyword === clause.keyword)?.about ?? ''}${isMovable ? '\nShift and arrow keys move it' : ''}`}
        onClick={(event) => choose(clause.keyword, event.currentTarget)}
        onKeyDown={(event) => {
          const step = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
          const to = index + step;
          if (!event.shiftKey || step === 0 || to < 0 || to >= count || !isMovable) return;
          event.preventDefault();
          setLens(moveClause(lens, index, to));
        }}
      >
        {textOf(clause)}
      </button>
      <button
        type="button"
        class="chip-remove"
        aria-label={`Remove ${textOf(clause)}`}
        onClick={() => setLens(withoutClause(lens, index))}
      >
        ×
      </button>
    </li>
  );
}

const DEFAULTS = ['level', 'metric', 'scope', 'below'] as const;

/** What holds without saying: faint, but a control like the rest. */
function Default({ help }: { help: ClauseHelp }) {
  return (
    <li class="chip chip-default">
      <button
        type="button"
        class="chip-text"
        title={`${help.keyword}: ${help.about}. This is the default; choose to change it.`}
        onClick={(event) => choose(help.keyword, event.currentTarget)}
      >
        {help.keyword === 'below' ? 'below ' : ''}
        {help.keyword === 'metric'
          ? (metricInfo.value?.label ?? metric.value ?? '…')
          : help.keyword === 'scope'
            ? shownScope.value
            : clauseValue('', help.keyword)}
      </button>
    </li>
  );
}

/** Text that the editor starts with, when not the lens. */
export const pending = { text: '' };

const Editor = lazy(loadDialogs, (module) => module.LensEditor);

function openAdd(element: Element): void {
  const box = element.getBoundingClientRect();
  openMenu(
    [
      ...CLAUSES.filter((help) => help.keyword !== 'target' && help.keyword !== 'diff').map(
        (help) => ({
          label: `${help.keyword} — ${help.about}`,
          run: () => {
            if (CHOICES[help.keyword] || help.keyword === 'metric' || help.keyword === 'by')
              choose(help.keyword, element);
            else {
              const { lens } = page.peek();
              pending.text = `${lens}${lens ? ' | ' : ''}${help.keyword} `;
              isLensEdited.value = true;
            }
          },
        }),
      ),
      null,
      { label: 'Edit as text', keys: 'E', run: () => void (isLensEdited.value = true) },
      { label: 'Copy as text', run: () => copy(page.peek().lens) },
      { label: 'Reset', run: () => setLens('') },
    ],
    box.left,
    box.bottom + 4,
    'Lens',
  );
}

/** Pixels from which on a chip can be read. */
const LEAST_CHIP = 40;

/** How many of the chips have no room in the first row of their list, in words; empty if all have. */
function useHiddenChips(
  list: { readonly current: HTMLUListElement | null },
  isWhole: boolean,
): string {
  const [hidden, setHidden] = useState('');
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => {
      const chips = [...element.children].filter(
        (chip) => getComputedStyle(chip).display !== 'none',
      ) as HTMLElement[];
      const top = chips[0]?.offsetTop ?? 0;
      const isNone = element.clientWidth < LEAST_CHIP;
      const without = chips.filter((chip) => isNone || chip.offsetTop > top);
      // The Tab key skips hidden chips.
      for (const chip of chips) chip.inert = !isWhole && without.includes(chip);
      const count = without.length;
      setHidden(count === 0 ? '' : isNone ? formatPlural(count, 'clause') : `${count} more`);
    });
    for (const one of [element, ...element.children]) observer.observe(one);
    return () => observer.disconnect();
  });
  return hidden;
}

export function LensBar() {
  const { lens } = page.value;
  const list = useRef<HTMLUListElement>(null);
  const [isWhole, setWhole] = useState(false);
  const hidden = useHiddenChips(list, isWhole);
  const clauses = splitClauses(lens);
  const missing = CLAUSES.filter(
    (help) =>
      (DEFAULTS as readonly string[]).includes(help.keyword) &&
      !clauses.some((clause) => clause.keyword === help.keyword),
  );
  return (
    <section
      class="lens-bar"
      aria-label="Lens"
      data-tour="lens"
      onKeyDown={(event) => {
        if (event.key === 'Escape' && isWhole) event.stopPropagation();
        if (event.key === 'Escape') setWhole(false);
      }}
    >
      <ul
        class={`chips ${isWhole ? 'lens-popover' : hidden.includes('clause') ? 'chips-none' : ''}`}
        ref={list}
      >
        {clauses.map((clause, index) => (
          <Chip key={clause.text} clause={clause} index={index} count={clauses.length} />
        ))}
        {missing.map((help) => (
          <Default key={help.keyword} help={help} />
        ))}
      </ul>
      {(hidden || isWhole) && (
        <button
          type="button"
          class="tool"
          aria-expanded={isWhole}
          title="Clauses that have no room here"
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? 'fewer ▴' : `${hidden} ▾`}
        </button>
      )}
      <button
        type="button"
        class="tool"
        aria-label="Add a clause"
        title="Add a clause"
        onClick={(event) => openAdd(event.currentTarget)}
      >
        +
      </button>
      {!isCompact.value && (
        <button
          type="button"
          class="tool"
          title="Edit the lens as text, key E"
          onClick={() => (isLensEdited.value = true)}
        >
          text
        </button>
      )}
      {isLensEdited.value && (
        <div class="lens-popover is-edited" role="dialog" aria-label="Lens as text">
          <Editor />
        </div>
      )}
    </section>
  );
}
