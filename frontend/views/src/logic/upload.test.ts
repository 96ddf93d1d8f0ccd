import { describe, expect, test } from 'vitest';
import {
  checkFiles,
  clauseOfRuns,
  faultOf,
  findingText,
  formatLeft,
  inferParam,
  paramsOf,
  SpeedMeter,
  summaryOf,
  summaryText,
  typeOfParam,
  withMore,
} from './upload.ts';
import { relativePath } from './relative-path.ts';

const LIMITS = { file_bytes: 100, bytes: 150, files: 3, path_bytes: 20, depth: 3 };

describe('files', () => {
  test('the later of two with one path counts', () => {
    const merged = withMore(
      [
        { path: 'b', bytes: 1 },
        { path: 'a', bytes: 1 },
      ],
      [{ path: 'b', bytes: 2 }],
    );
    expect(merged).toEqual([
      { path: 'a', bytes: 1 },
      { path: 'b', bytes: 2 },
    ]);
    expect(relativePath('/a/b')).toBe('a/b');
  });

  test.each([
    ['a/b.x', 100, undefined],
    ['a', 0, undefined],
    ['a', 101, 'larger'],
    ['a/../b', 1, 'usable'],
    ['a//b', 1, 'usable'],
    ['', 1, 'usable'],
    ['a\nb', 1, 'control'],
    ['a\\b', 1, 'backslash'],
    ['a/b/c/d', 1, 'deep'],
    ['äääääääääää', 1, 'bytes'],
  ])('%j of %d bytes', (path, bytes, part) => {
    const fault = faultOf({ path, bytes }, LIMITS);
    if (part === undefined) expect(fault).toBeUndefined();
    else expect(fault).toContain(part);
  });

  test('limits on all files', () => {
    const files = (count: number, bytes: number) =>
      Array.from({ length: count }, (_, i) => ({ path: String(i), bytes }));
    expect(checkFiles(files(3, 50), LIMITS).bar).toBeUndefined();
    expect(checkFiles(files(4, 1), LIMITS).bar).toContain('4 files');
    expect(checkFiles(files(2, 80), LIMITS).bar).toContain('160');
    // What cannot be sent anyway does not count.
    const { fit, refused, bar } = checkFiles([...files(3, 50), { path: 'x', bytes: 999 }], LIMITS);
    expect([fit.length, refused.length, bar]).toEqual([3, 1, undefined]);
  });
});

describe('parameters', () => {
  // The same cases as those of the command line's own inference.
  test.each([
    ['8', 8],
    ['-1.5', -1.5],
    ['0.0000001', 1e-7],
    ['1000000000000000000000000', 1e24],
    ['true', true],
    ['false', false],
    ['1.20', '1.20'],
    ['007', '007'],
    ['1e3', '1e3'],
    ['+1', '+1'],
    ['.5', '.5'],
    ['inf', 'inf'],
    ['NaN', 'NaN'],
    ['True', 'True'],
    ['0.1000000000000000055', '0.1000000000000000055'],
    ['x y', 'x y'],
  ])('%j is %j', (text, value) => expect(inferParam(text)).toBe(value));

  test('types have names', () => {
    expect([1, true, 'x'].map(typeOfParam)).toEqual(['number', 'truth value', 'text']);
  });

  test('rows', () => {
    const { params, faults } = paramsOf([
      { name: ' threads ', text: ' 4 ' },
      { name: '', text: '' },
      { name: '', text: '1' },
      { name: 'threads', text: '8' },
      { name: 'host', text: '' },
      { name: '__proto__', text: 'x' },
    ]);
    expect(Object.entries(params)).toEqual([
      ['threads', 4],
      ['__proto__', 'x'],
    ]);
    expect([...faults]).toEqual([
      [2, 'name missing'],
      [3, 'named twice'],
      [4, 'value missing'],
    ]);
  });
});

describe('speed', () => {
  test('is that of the last seconds', () => {
    const meter = new SpeedMeter();
    meter.note(0, 0);
    expect(meter.rate).toBeUndefined();
    for (let time = 100; time <= 10_000; time += 100)
      meter.note(time, time < 5000 ? 0 : (time - 5000) * 2);
    expect(meter.rate).toBeCloseTo(2000, -2);
    expect(meter.secondsFor(4000)).toBeCloseTo(2, 0);
  });

  test('of nothing is unknown', () => {
    const meter = new SpeedMeter();
    meter.note(0, 5);
    meter.note(1000, 5);
    expect(meter.rate).toBe(0);
    expect(meter.secondsFor(1)).toBeUndefined();
  });

  test.each([
    [1, 'a few seconds left'],
    [12, 'about 10 s left'],
    [54, 'about 55 s left'],
    [58, 'about 1 min left'],
    [600, 'about 10 min left'],
    [3500, 'about 1 h left'],
  ])('%d s', (seconds, text) => expect(formatLeft(seconds)).toBe(text));
});

describe('report', () => {
  const file = (status: 'added' | 'present' | 'refused', runs: string[]) => ({
    path: 'p',
    status,
    runs,
    report: [],
  });

  test('in one line', () => {
    const summary = summaryOf([
      file('added', ['1', '2']),
      file('added', ['1']),
      file('present', ['3']),
      file('refused', []),
    ]);
    expect(summary).toEqual({ added: 2, present: 1, refused: 1, runs: ['1', '2'] });
    expect(summaryText(summary)).toBe('2 runs added, 1 already present, 1 refused');
    expect(summaryText(summaryOf([]))).toBe('nothing to add');
  });

  test('findings', () => {
    expect(findingText({ kind: 'skipped_other_files', count: 1200, first: 'a/README' })).toBe(
      'skipped 1\u202f200 other files; first: a/README',
    );
    expect(findingText({ kind: 'lost', count: 2 })).toBe('lost: 2');
  });

  test('runs become a clause', () => {
    expect(clauseOfRuns(['a'])).toBe("where run == 'a'");
    expect(clauseOfRuns(['a', 'b'])).toBe("where run in ('a', 'b')");
  });
});
