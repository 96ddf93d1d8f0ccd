/** What users wrote about the opened run and its grains, kept in the store. */

import type { Remarks } from '@grainsheaf/views';
import { effect } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { addressOf } from './data.ts';
import { edits } from './edits.ts';
import { keepRemark } from './making-edits.ts';
import { isInside } from './open-run.ts';
import { Resource } from './resource.ts';

const remarks = new Resource<Remarks>();

effect(() => {
  if (isInside.value) remarks.load(addressOf('remarks'), 'Reading remarks');
});

/** The remark on a run, or on the grain of it that has a path key, to read and to change. */
export function Remark({ run, pathKey }: { run: string; pathKey?: string }) {
  const { data } = remarks.answer.value;
  const kept =
    data?.remarks.find((one) => one.run === run && (one.path_key ?? undefined) === pathKey)?.text ??
    '';
  const [text, setText] = useState(kept);
  useEffect(() => setText(kept), [kept, run, pathKey]);
  const { isAllowed, isBusy } = edits.value;
  if (!data || (!isAllowed && kept === '')) return null;
  const subject = pathKey === undefined ? { run } : { run, path_key: pathKey };
  const what = `Remark on this ${pathKey === undefined ? 'run' : 'grain'}`;
  return (
    <details class="remark" key={`${run} ${pathKey ?? ''}`} open={kept !== ''}>
      <summary class="quiet">{what.toLowerCase()}</summary>
      <textarea
        aria-label={what}
        rows={3}
        dir="auto"
        readOnly={!isAllowed}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {isAllowed && (
        <button
          type="button"
          class="button"
          disabled={isBusy || text.trim() === kept}
          onClick={() => void keepRemark(subject, text.trim(), kept)}
        >
          {text.trim() === '' && kept !== '' ? 'Remove' : 'Keep in the store'}
        </button>
      )}
    </details>
  );
}
