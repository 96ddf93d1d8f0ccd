/** How differences are stated, everywhere on the page. */

import { DIFF_MODES, type DiffMode, formulaOf } from '@grainsheaf/views/logic/difference.ts';
import { comparison, diffMode } from './data.ts';
import { navigate, say } from './state.ts';

export function setDiffMode(mode: DiffMode): void {
  navigate({ diffMode: mode === 'absolute' ? '' : mode });
  say(`Differences: ${formulaOf(mode)}`);
}

/** The next mode, for the keyboard. */
export function stepDiffMode(): void {
  const at = DIFF_MODES.indexOf(diffMode.peek());
  setDiffMode(DIFF_MODES[(at + 1) % DIFF_MODES.length] ?? 'absolute');
}

export function DiffModes() {
  const hasTotals = comparison.value?.totals !== null && comparison.value?.totals !== undefined;
  return (
    <div class="segments" role="group" aria-label="How differences are stated">
      {DIFF_MODES.map((mode) => (
        <button
          type="button"
          class="tool"
          key={mode}
          aria-pressed={diffMode.value === mode}
          disabled={mode === 'normalised' && !hasTotals}
          title={
            mode === 'normalised' && !hasTotals
              ? 'The sides have no totals to divide by'
              : `${formulaOf(mode)}, key M`
          }
          onClick={() => setDiffMode(mode)}
        >
          {mode}
        </button>
      ))}
    </div>
  );
}
