/** Places of the pointer on an element while it is pressed. */

/** Calls `act` with places of the pointer on an element, from each press until it is released. */
export function onDrag(element: Element, act: (x: number, y: number) => void): void {
  element.addEventListener('pointerdown', (start) => {
    start.stopPropagation();
    const stop = new AbortController();
    const follow = (event: Event): void => {
      const { clientX, clientY } = event as PointerEvent;
      const box = element.getBoundingClientRect();
      act(clientX - box.left, clientY - box.top);
    };
    follow(start);
    window.addEventListener('pointermove', follow, { signal: stop.signal });
    for (const end of ['pointerup', 'pointercancel'])
      window.addEventListener(end, () => stop.abort(), { signal: stop.signal });
  });
}
