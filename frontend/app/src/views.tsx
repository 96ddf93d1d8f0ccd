/** Hosts of the framework-free views: mount once, update with the signals, destroy at the end. */

import { useEffect, useRef } from 'preact/hooks';
import type { Table, View, ViewContext, ViewEvent } from '@grainsheaf/views';
import { onViewEvent } from './actions.ts';
import { selection } from './selection.ts';
import { isMotionReduced, page, palette } from './state.ts';

/** Views on the page, by name, for commands and export. */
export const shown = new Map<string, View<never, never>>();

/** Tables behind the views of the registry on the page, by id. */
export const tables = new Map<string, () => Table>();

const context: ViewContext = {
  palette: () => palette.peek(),
  isMotionReduced: () => isMotionReduced.peek(),
  lens: () => page.peek().lens,
  emit: onViewEvent,
  hover: selection.hover,
};

interface HostProps<D, S> {
  readonly name: string;
  readonly make: () => View<D, S>;
  readonly data: D;
  readonly selection: S;
  readonly isDim?: boolean;
  readonly onResize?: ((width: number, height: number) => void) | undefined;
  /** Takes events of the view before the page does; true if it has dealt with one. */
  readonly onEvent?: ((event: ViewEvent) => boolean) | undefined;
}

export function ViewHost<D, S>({
  name,
  make,
  data,
  selection,
  isDim = false,
  onResize,
  onEvent,
}: HostProps<D, S>) {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<View<D, S> | undefined>(undefined);
  const latest = useRef({ data, selection });
  latest.current = { data, selection };
  const colours = palette.value;
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const made = make();
    view.current = made;
    made.mount(element, {
      ...context,
      emit: (event) => {
        if (!onEvent?.(event)) onViewEvent(event);
      },
    });
    shown.set(name, made as unknown as View<never, never>);
    const observer = new ResizeObserver(() => {
      made.update(latest.current.data, latest.current.selection);
      onResize?.(element.clientWidth, element.clientHeight);
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      shown.delete(name);
    };
  }, []);
  useEffect(() => {
    view.current?.update(data, selection);
  }, [data, selection, colours]);
  return <div ref={box} class={`view view-${name}${isDim ? ' is-dim' : ''}`} />;
}
