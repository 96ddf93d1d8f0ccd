/** Draws layers as areas of steps on a canvas. */

import type { Palette } from '../logic/colour.ts';
import { mix } from '../logic/colour.ts';
import type { TimeAxis } from '../ui/time-hands.ts';
import { conditionColour, layerColour } from './colours.ts';
import { conditionOf, type LayerName, type Profile } from './model.ts';

/** Where the picture lies, in pixels, and what a pixel stands for. */
export interface Frame {
  readonly axis: TimeAxis;
  readonly isMirrored: boolean;
  /** Line from which layers rise, and ready ones hang if mirrored. */
  readonly zero: number;
  /** Pixels per fragment above and below that line. */
  readonly up: number;
  readonly down: number;
  /** Top and height of the strip of conditions. */
  readonly strip: number;
  readonly stripHeight: number;
}

/** Paints the parts of a profile that are in the range. */
export function paintProfile(
  context: CanvasRenderingContext2D,
  profile: Profile,
  workers: number,
  frame: Frame,
  palette: Palette,
  isShown: (name: LayerName) => boolean,
): void {
  const { range, x0, x1 } = frame.axis;
  const scale = (x1 - x0) / (range[1] - range[0]);
  const layers = profile.layers.filter(({ name }) => isShown(name));
  const colours = layers.map(({ name }) => layerColour(palette, name));
  const spread = mix(layerColour(palette, 'running'), palette.ground, 0.6);
  for (let at = 0; at < profile.count; at += 1) {
    const [start, end] = [profile.start[at] ?? 0, profile.end[at] ?? 0];
    if (end <= range[0] || start >= range[1]) continue;
    // Whole pixels, so that no seams show between parts.
    const left = Math.round(Math.max(x0, x0 + (start - range[0]) * scale));
    const width = Math.max(1, Math.round(Math.min(x1, x0 + (end - range[0]) * scale)) - left);
    let [above, below] = [frame.zero, frame.zero];
    layers.forEach((layer, index) => {
      const value = layer.mean[at] ?? 0;
      const isDown = frame.isMirrored && layer.name !== 'running';
      if (layer.name === 'running' && frame.isMirrored) {
        const most = (layer.max[at] ?? 0) * frame.up;
        context.fillStyle = spread;
        context.fillRect(left, frame.zero - most, width, most);
      }
      const height = value * (isDown ? frame.down : frame.up);
      if (height <= 0) return;
      context.fillStyle = colours[index] ?? palette.ink2;
      if (isDown) {
        context.fillRect(left, below, width, height);
        below += height;
      } else {
        above -= height;
        context.fillRect(left, above, width, height);
      }
    });
    const condition = conditionOf(profile, at, workers);
    if (!condition) continue;
    context.fillStyle = conditionColour(palette, condition);
    context.fillRect(left, frame.strip, width, frame.stripHeight);
  }
}

/** Steps of a second run over the first: what ran solid, what was ready dashed. */
export function paintOutline(
  context: CanvasRenderingContext2D,
  profile: Profile,
  frame: Frame,
  colour: string,
): void {
  const { range, x0, x1 } = frame.axis;
  const scale = (x1 - x0) / (range[1] - range[0]);
  const line = (value: (at: number) => number): void => {
    context.beginPath();
    let isOpen = false;
    for (let at = 0; at < profile.count; at += 1) {
      const [start, end] = [profile.start[at] ?? 0, profile.end[at] ?? 0];
      if (end <= range[0] || start >= range[1]) continue;
      const y = value(at);
      const left = Math.max(x0, x0 + (start - range[0]) * scale);
      if (isOpen) context.lineTo(left, y);
      else context.moveTo(left, y);
      context.lineTo(Math.min(x1, x0 + (end - range[0]) * scale), y);
      isOpen = true;
    }
    context.stroke();
  };
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  const running = profile.layers[0];
  if (running) line((at) => frame.zero - (running.mean[at] ?? 0) * frame.up);
  const { ready } = profile;
  if (!ready) return;
  context.setLineDash([4, 3]);
  const sum = (at: number): number => (ready[at] ?? 0) + (running?.mean[at] ?? 0);
  if (frame.isMirrored) line((at) => frame.zero + (ready[at] ?? 0) * frame.down);
  else line((at) => frame.zero - sum(at) * frame.up);
  context.setLineDash([]);
}
