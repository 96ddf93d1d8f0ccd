/** Six steps that show what is where; can be left at any time. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { overlay } from './state.ts';

const STEPS: readonly (readonly [place: string, title: string, text: string])[] = [
  [
    'picture',
    'The ensemble in one picture',
    'Callers on the left, callees on the right. A node is as high as its largest run. Inside, each of a few runs is a tick in the order of the cohorts; many runs are a gradient from the smallest value on top to the largest. The blue border is the time of the node itself.',
  ],
  [
    'runs',
    'Runs and cohorts',
    'Make a run or a whole cohort the target and see where it stands in every node, or choose A and B to compare. The keys [ and ] step through the runs.',
  ],
  [
    'lens',
    'The lens',
    'Everything shown answers this question. Each part is a chip; the same text works on the command line and in Python.',
  ],
  [
    'panel',
    'Inside a node',
    'The largest groups first. Select one, and see its call tree, its distribution, its box plots. Panes can be split and resized; the keys 1 to 6 load arrangements.',
  ],
  [
    'selection',
    'Numbers and verdicts',
    'Every number with its unit and its definition; in a diff, a verdict and the reason for it.',
  ],
  [
    'layouts',
    'Compare',
    'Key 2 lists all differences between baseline and candidate, and colours the picture by them. Ctrl K finds every command, ? lists the keys.',
  ],
];

export function Tour() {
  const [at, setAt] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const [place, title, text] = STEPS[at] ?? STEPS[0] ?? ['', '', ''];
  const leave = (): void => void (overlay.value = 'none');
  useEffect(() => {
    const element = box.current;
    const shown = document.querySelector(`[data-tour="${place}"]`);
    shown?.classList.add('is-toured');
    if (element) {
      const around =
        shown?.getBoundingClientRect() ??
        new DOMRect(window.innerWidth / 2, window.innerHeight / 2, 0, 0);
      const { width, height } = element.getBoundingClientRect();
      const beside =
        around.right + 12 + width < window.innerWidth
          ? around.right + 12
          : around.left - width - 12;
      const isWide = around.width > window.innerWidth / 2 || beside < 8;
      const left = isWide ? around.left + around.width / 2 - width / 2 : beside;
      const below = around.bottom + 12 + height < window.innerHeight;
      const top = isWide
        ? below
          ? around.bottom + 12
          : around.top - height - 12
        : around.top + 12;
      element.style.left = `${Math.max(8, Math.min(left, window.innerWidth - width - 8))}px`;
      element.style.top = `${Math.max(8, Math.min(top < 0 ? around.top + 40 : top, window.innerHeight - height - 8))}px`;
      element.querySelector<HTMLButtonElement>('.primary')?.focus();
    }
    return () => shown?.classList.remove('is-toured');
  }, [place]);
  return (
    <div
      ref={box}
      class="tour"
      role="dialog"
      aria-label={`Tour, step ${at + 1} of ${STEPS.length}`}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        leave();
      }}
    >
      <p class="quiet">
        {at + 1} of {STEPS.length}
      </p>
      <h2>{title}</h2>
      <p>{text}</p>
      <p class="state-steps">
        <button type="button" class="button" onClick={leave}>
          Leave
        </button>
        <span class="grow" />
        {at > 0 && (
          <button type="button" class="button" onClick={() => setAt(at - 1)}>
            Back
          </button>
        )}
        <button
          type="button"
          class="button primary"
          onClick={() => (at + 1 < STEPS.length ? setAt(at + 1) : leave())}
        >
          {at + 1 < STEPS.length ? 'Next' : 'Done'}
        </button>
      </p>
    </div>
  );
}
