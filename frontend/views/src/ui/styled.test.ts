import { expect, test } from 'vitest';
import type { Boxes } from './graph-canvas.ts';
import type { Pen, Shape } from './pen.ts';
import { Styled } from './styled.ts';

const COUNT = 6;
/** Squares of 10 side by side. */
const BOXES: Boxes = {
  x: Float64Array.from({ length: COUNT }, (_, at) => 20 * at),
  y: new Float64Array(COUNT),
  width: new Float64Array(COUNT).fill(10),
  height: new Float64Array(COUNT).fill(10),
};
const ALL = { x0: -Infinity, y0: -Infinity, x1: Infinity, y1: Infinity, scale: 1 };

/** Nodes and colours in the order in which they are drawn. */
function drawn(styled: Styled, window = ALL): string[] {
  const calls: string[] = [];
  const pen = {
    rect: (x: number, _y: number, _width: number, _height: number, { fill }: Shape) =>
      calls.push(`${x / 20} ${fill}`),
  } as unknown as Pen;
  styled.paint(pen, window, BOXES);
  return calls;
}

test('nodes of one style follow each other, each drawn once', () => {
  const styled = new Styled(COUNT, (at) => ({ fill: at % 2 === 0 ? 'red' : 'blue' }));
  expect(drawn(styled)).toEqual(['0 red', '2 red', '4 red', '1 blue', '3 blue', '5 blue']);
});

test('every property of a style counts', () => {
  const shapes: Shape[] = [
    { fill: 'red' },
    { fill: 'red', stroke: 'blue' },
    { fill: 'red', width: 2 },
    { fill: 'red', dash: [1, 2] },
    { fill: 'red', radius: 3 },
    { fill: 'red' },
  ];
  const styled = new Styled(COUNT, (at) => shapes[at]);
  expect(drawn(styled)).toEqual(['0 red', '5 red', '1 red', '2 red', '3 red', '4 red']);
});

test('higher levels lie over lower ones, whatever their styles', () => {
  const styled = new Styled(
    COUNT,
    (at) => ({ fill: at % 2 === 0 ? 'red' : 'blue' }),
    (at) => (at < 3 ? 1 : 0),
  );
  expect(drawn(styled)).toEqual(['3 blue', '5 blue', '4 red', '0 red', '2 red', '1 blue']);
});

test('nodes without a shape, or outside of the window, are not drawn', () => {
  const styled = new Styled(COUNT, (at) => (at === 2 ? undefined : { fill: 'red' }));
  expect(drawn(styled, { ...ALL, x0: 15, x1: 85 })).toEqual(['1 red', '3 red', '4 red']);
  expect(drawn(new Styled(0, () => ({ fill: 'red' })))).toEqual([]);
});
