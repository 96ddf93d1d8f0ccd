/** The edge of a side panel, which can be moved. */

import { leftWidth, navigateInOneStep, panelWidths, rightWidth } from './state.ts';

const LEAST = 160;

export function SideSplitter({ side }: { side: 'left' | 'right' }) {
  const width = Number(panelWidths.value[side === 'left' ? 0 : 1]);
  const set = (value: number): void => {
    const most = Math.max(LEAST, window.innerWidth / 2 - 100);
    const next = String(Math.round(Math.max(LEAST, Math.min(most, value))));
    const [left, right] = panelWidths.peek();
    (side === 'left' ? leftWidth : rightWidth).value = next;
    const widths = side === 'left' ? `${next}-${right}` : `${left}-${next}`;
    navigateInOneStep(`width-${side}`, { widths });
  };
  return (
    <div
      class="side-splitter"
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of the ${side} panel`}
      aria-valuenow={width}
      aria-valuemin={LEAST}
      aria-valuemax={800}
      tabIndex={0}
      onKeyDown={(event) => {
        const step = event.key === 'ArrowLeft' ? -24 : event.key === 'ArrowRight' ? 24 : 0;
        if (step === 0) return;
        event.preventDefault();
        event.stopPropagation();
        set(width + (side === 'left' ? step : -step));
      }}
      onPointerDown={(event) => {
        const element = event.currentTarget;
        element.setPointerCapture(event.pointerId);
        const from = event.clientX;
        const move = (moved: PointerEvent): void =>
          set(width + (side === 'left' ? moved.clientX - from : from - moved.clientX));
        element.addEventListener('pointermove', move);
        element.addEventListener(
          'pointerup',
          () => element.removeEventListener('pointermove', move),
          { once: true },
        );
      }}
    />
  );
}
