/** The dialog of an import: pick, go, report. */

import type { ComponentChildren } from 'preact';
import { Dialog } from '../dialog.tsx';
import { storeInfo } from '../data.ts';
import { overlay, page, status } from '../state.ts';
import { Prose } from '../states.tsx';
import '../style/import.css';
import { Going } from './going.tsx';
import { Pick } from './pick.tsx';
import { Report } from './report.tsx';
import { isBusy, phase, policy } from './phase.ts';

export { JobStatus } from './going.tsx';

function Stage(): ComponentChildren {
  if (!policy.value.is_allowed) {
    return (
      <div class="import-closed">
        <p>
          <Prose text={policy.value.reason ?? 'This service does not take files.'} />
        </p>
        <p class="quiet">
          <Prose text="Add files where the store is, with `grainsheaf add PATH…`." />
        </p>
      </div>
    );
  }
  if (phase.value === 'picking') return <Pick />;
  if (isBusy.value) return <Going />;
  return <Report />;
}

export function ImportPanel() {
  const store = page.value.store || storeInfo.answer.value.data?.name;
  return (
    <Dialog label="Add runs" name="import">
      <header class="dialog-head">
        <h2>Add runs</h2>
        <span class="quiet cut">to {store}</span>
        <span class="grow" />
        <button type="button" class="button" onClick={() => (overlay.value = 'none')}>
          {isBusy.value && phase.value !== 'stuck' ? 'Go on in the background' : 'Close'}
        </button>
      </header>
      <Stage />
      {/* The rest of the page is silent while a dialog is open. */}
      <div class="visually-hidden" role="status" aria-live="polite">
        {status.value.text}
      </div>
    </Dialog>
  );
}
