/** Parts of the page whose code is loaded when they are first shown. */

import type { ComponentChild } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Empty } from './states.tsx';

export const loadDialogs = (): Promise<typeof import('./dialogs.tsx')> => import('./dialogs.tsx');
export const loadImport = (): Promise<typeof import('./import/panel.tsx')> =>
  import('./import/panel.tsx');
export const loadGrainSearch = (): Promise<typeof import('./grain-search.tsx')> =>
  import('./grain-search.tsx');

export const loadEdits = (): Promise<typeof import('./making-edits.ts')> =>
  import('./making-edits.ts');
export const loadSplitting = (): Promise<typeof import('./splitting.ts')> =>
  import('./splitting.ts');
export const loadDrop = (): Promise<typeof import('./import/drop.tsx')> =>
  import('./import/drop.tsx');

/** A component of a module that is loaded once, on first use. `around` holds the reason why it did not arrive. */
export function lazy<M, P extends object = object>(
  load: () => Promise<M>,
  pick: (module: M) => (props: P) => ComponentChild,
  around: (failure: ComponentChild) => ComponentChild = (failure) => failure,
): (props: P) => ComponentChild {
  let module: M | undefined;
  return function Lazy(props: P) {
    const [loaded, setLoaded] = useState<M | Error | undefined>(module);
    useEffect(() => {
      if (module) return;
      load().then(
        (found) => {
          module = found;
          setLoaded(found as M & object);
        },
        (error: unknown) => setLoaded(error instanceof Error ? error : new Error(String(error))),
      );
    }, []);
    if (loaded instanceof Error)
      return around(
        <Empty
          title="The code of this part did not arrive"
          text={loaded.message}
          steps={[{ label: 'Reload', run: () => location.reload() }]}
        />,
      );
    if (loaded === undefined) return null;
    const Part = pick(loaded);
    return <Part {...props} />;
  };
}
