/** Arrangements that the reader puts on the keys of the layouts; they stay in this browser. */

import { encodePanes } from '@grainsheaf/views/logic/panes.ts';
import { LAYOUTS, load, panes } from './layouts.ts';
import { ownLayouts, say } from './state.ts';

interface Step {
  readonly title: string;
  run(): void;
}

/** A step per key to keep the present arrangement on it, and to give the key its first one back. */
export function layoutSteps(): Step[] {
  const own = new URLSearchParams(ownLayouts.peek());
  return LAYOUTS.flatMap(({ name, title }, index) => {
    const key = `key ${index + 1}`;
    const keep = {
      title: `Keep this arrangement on ${key} (${title})`,
      run: () => {
        own.set(name, encodePanes(panes.peek()));
        ownLayouts.value = own.toString();
        load(name);
        say(`The arrangement is on ${key}`);
      },
    };
    const reset = {
      title: `Reset the arrangement of ${key} (${title})`,
      run: () => {
        own.delete(name);
        ownLayouts.value = own.toString();
        load(name);
        say(`The arrangement of ${key} is reset`);
      },
    };
    return own.has(name) ? [keep, reset] : [keep];
  });
}
