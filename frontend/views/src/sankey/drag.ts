/** Moves a node up and down with the pointer. */

/** Pixels from which on a press is a drag and no click. */
const LEAST = 4;

interface Host {
  /** Where a node begins, in pixels of the picture. */
  topOf(id: string): number | undefined;
  /** The node is being moved to there. */
  move(id: string, top: number): void;
  /** It stays where it is now. */
  drop(): void;
}

export function dragNodes(root: SVGSVGElement, host: Host, signal: AbortSignal): void {
  root.addEventListener(
    'pointerdown',
    (start) => {
      const mark = start.target instanceof Element ? start.target.closest('[data-node]') : null;
      const id = mark?.getAttribute('data-node');
      const top = id ? host.topOf(id) : undefined;
      if (!id || top === undefined || start.button !== 0) return;
      const stop = new AbortController();
      let isDragged = false;
      const follow = (event: PointerEvent): void => {
        const by = event.clientY - start.clientY;
        if (!isDragged && Math.abs(by) < LEAST) return;
        if (!isDragged) {
          // The press that ends the drag must not select the node.
          root.setPointerCapture(start.pointerId);
          root.classList.add('gs-dragging');
        }
        isDragged = true;
        host.move(id, top + by);
      };
      const end = (): void => {
        stop.abort();
        root.classList.remove('gs-dragging');
        if (isDragged) host.drop();
      };
      root.addEventListener('pointermove', follow, { signal: stop.signal });
      root.addEventListener('pointerup', end, { signal: stop.signal });
      root.addEventListener('pointercancel', end, { signal: stop.signal });
    },
    { signal },
  );
}
