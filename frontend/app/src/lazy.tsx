/** Parts of the page whose code is loaded when they are first shown. */

import type { ComponentChild } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Empty } from './states.tsx';

/** A component of a module that is loaded once, on first use. */
export function lazy<M>(
  load: () => Promise<M>,
  pick: (module: M) => () => ComponentChild,
): () => ComponentChild {
  let module: M | undefined;
  return function Lazy() {
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
      return (
        <Empty
          title="The code of this view did not arrive"
          text={loaded.message}
          steps={[{ label: 'Reload', run: () => location.reload() }]}
        />
      );
    if (loaded === undefined) return null;
    const Part = pick(loaded);
    return <Part />;
  };
}
