import { expect, test } from 'vitest';
import { decodeMoved, decodePlace, encodeMoved, encodePlace } from './place.ts';

test('a place survives the address; what is none is refused', () => {
  const place = { zoom: 2.5, x: 0.12346, y: 1 };
  expect(encodePlace(place)).toBe('2.5_0.12346_1');
  expect(decodePlace(encodePlace(place))).toEqual(place);
  for (const text of ['', '1_2', '0_0.5_0.5', '2_1.5_0', 'a_b_c', '2_0.5_-1'])
    expect(decodePlace(text)).toBeUndefined();
});

test('places of moved nodes survive the address, whatever their id', () => {
  const moved = new Map([
    ['a:b', 0.25],
    ['c', 1],
  ]);
  expect(decodeMoved(encodeMoved(moved))).toEqual(moved);
  expect(decodeMoved(['x', ':0.5', 'y:7', 'z:nan']).size).toBe(0);
});
