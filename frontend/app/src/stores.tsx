/** Stores to open, each with a sentence on what can be found in it. */

import { useEffect, useState } from 'preact/hooks';
import type { StoreInfo } from '@grainsheaf/views';
import { formatPlural } from '@grainsheaf/views/logic/format.ts';
import { storeInfo } from './data.ts';
import { Dialog } from './dialog.tsx';
import { openImport } from './import/phase.ts';
import { ask } from './resource.ts';
import { API } from './service.ts';
import { openStore, overlay, page, visited } from './state.ts';

/** The welcome of a service without any run: there is nothing to open and nothing to show around. */
function FirstFiles({ leave }: { leave(): void }) {
  const { name, imports } = storeInfo.answer.value.data ?? {};
  return (
    <Dialog label="Stores" name="stores" onClose={leave}>
      <header class="dialog-head">
        <h2>Many runs, one sheaf</h2>
        <span class="grow" />
        <button type="button" class="button" onClick={leave}>
          Close
        </button>
      </header>
      <p>
        What changed between runs of a program, where, is it real, and why? This service has no runs
        yet. Add traces or profiles to start with.
      </p>
      <p class="state-steps">
        {imports?.is_allowed && (
          <button type="button" class="button primary" autoFocus onClick={openImport}>
            Add files…
          </button>
        )}
        <span class="quiet">{imports?.is_allowed ? 'or in a terminal' : 'in a terminal'}</span>
        <code>grainsheaf add --store PATH/{name} FILES</code>
      </p>
    </Dialog>
  );
}

export function Stores({ isFirst }: { isFirst: boolean }) {
  const present = storeInfo.answer.value.data;
  const [found, setFound] = useState<readonly StoreInfo[]>(present ? [present] : []);
  const names = present?.stores.join('\n') ?? '';
  useEffect(() => {
    const abort = new AbortController();
    for (const name of names.split('\n').filter((one) => one && one !== present?.name)) {
      ask<StoreInfo>(`${API}/store?store=${encodeURIComponent(name)}`, abort.signal)
        .then((info) =>
          setFound((before) => [
            ...before.filter((one) => one.name !== info.name),
            { ...info, name },
          ]),
        )
        .catch(() => undefined);
    }
    return () => abort.abort();
  }, [names]);
  const leave = (): void => {
    visited.value = 'yes';
    if (overlay.peek() === 'stores') overlay.value = 'none';
  };
  const open = (name: string): void => {
    if (name !== (page.peek().store || present?.name)) openStore(name);
    leave();
  };
  const stores = present?.stores ?? [];
  const runsOf = (name: string): number | undefined => found.find((one) => one.name === name)?.runs;
  if (isFirst && stores.every((name) => runsOf(name) === 0)) return <FirstFiles leave={leave} />;
  return (
    <Dialog label="Stores" name="stores" onClose={leave}>
      <header class="dialog-head">
        <h2>{isFirst ? 'Many runs, one sheaf' : 'Stores'}</h2>
        <span class="grow" />
        <button type="button" class="button" onClick={leave}>
          Close
        </button>
      </header>
      {isFirst && (
        <p>
          What changed between these runs, where in the program, is it real, and why? Pick an
          ensemble to start with.
        </p>
      )}
      <ul class="store-list">
        {stores.map((name) => {
          const info = found.find((one) => one.name === name);
          return (
            <li key={name}>
              <button type="button" class="store" onClick={() => open(name)}>
                <strong>{name}</strong>
                <span class="quiet">{info ? formatPlural(info.runs, 'run') : ''}</span>
                <span class="store-about">{info?.description ?? ''}</span>
              </button>
            </li>
          );
        })}
      </ul>
      {isFirst && (
        <p class="state-steps">
          <button
            type="button"
            class="button primary"
            onClick={() => {
              leave();
              overlay.value = 'tour';
            }}
          >
            Tour in six steps
          </button>
          <button type="button" class="button" onClick={leave}>
            Start
          </button>
          <span class="quiet">or drop files of your own anywhere</span>
        </p>
      )}
    </Dialog>
  );
}
