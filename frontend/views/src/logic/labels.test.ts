import { expect, test } from 'vitest';
import { breakLines, characters, labelLines, partsOf, uniqueLabels } from './labels.ts';

const LULESH = [
  'CalcMonotonicQGradientsForElems',
  'CalcMonotonicQRegionForElems',
  'EvalEOSForElems',
  'CalcKinematicsForElems',
  'CalcVolumeForceForElems',
];

test('labels are different for different names', () => {
  for (const most of [4, 6, 9, 12, 20, 40]) {
    const labels = uniqueLabels(LULESH, most);
    expect(new Set(labels).size).toBe(LULESH.length);
  }
});

test('what differs is kept, wherever it stands', () => {
  expect(uniqueLabels(['merge_quarters:108', 'merge_quarters:110'], 10)).toEqual([
    'merge…:108',
    'merge…:110',
  ]);
  const files = [1, 8, 27].map((ranks) => `lulesh-annotation-profile-${ranks}cores`);
  for (const [index, label] of uniqueLabels(files, 12).entries())
    expect(label).toContain(String([1, 8, 27][index]));
  expect(uniqueLabels(['short', 'also short'], 20)).toEqual(['short', 'also short']);
  expect(uniqueLabels(['same', 'same'], 3)).toEqual(['same', 'same']);
});

test('a kind is a glyph', () => {
  expect(partsOf('merge_quarters:110 (task)')).toEqual({
    text: 'merge_quarters:110',
    glyph: '◇',
    kind: 'task',
  });
  expect(partsOf('f(int) (const)')).toEqual({ text: 'f(int) (const)', glyph: '', kind: '' });
});

test('lines break after words', () => {
  expect(breakLines('CalcHourglassControlForElems', 16, 3)).toEqual([
    'CalcHourglass',
    'ControlForElems',
  ]);
  expect(breakLines('merge_quarters:110', 16, 3)).toEqual(['merge_quarters:', '110']);
  expect(breakLines('a'.repeat(20), 8, 9)).toEqual(['aaaaaaaa', 'aaaaaaaa', 'aaaa']);
  expect(breakLines('', 8, 2)).toEqual(['']);
});

test('lines of a column are unique and hold whole names if they can', () => {
  const lines = labelLines(LULESH, 15, 3);
  expect(lines.map((line) => line.join(''))).toEqual(LULESH);
  expect(labelLines(['CalcHourglassControlForElems'], 11, 4)).toEqual([
    ['Calc', 'Hourglass', 'ControlFor', 'Elems'],
  ]);
  for (const lines of labelLines(['TimeIncrement › MPI_Allreduce › LagrangeNodal', 'x'], 11, 3)) {
    expect(lines.length).toBeLessThanOrEqual(3);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(12);
  }
  const tight = labelLines(LULESH, 8, 1).map((line) => line.join('\n'));
  expect(new Set(tight).size).toBe(LULESH.length);
});

test('joined characters are not cut apart', () => {
  expect(characters('a👩‍👩‍👧b')).toEqual(['a', '👩‍👩‍👧', 'b']);
});
