import { describe, expect, test } from 'vitest';
import {
  contrast,
  countColour,
  differenceColour,
  exclusiveColour,
  paletteOf,
  sampleScale,
  textOn,
} from './colour.ts';

describe.each(['light', 'dark'] as const)('%s', (theme) => {
  const palette = paletteOf(theme);

  test('texts reach 4.5:1 on ground and surface', () => {
    for (const role of ['ink', 'ink2', 'accent', 'target', 'problem', 'warning'] as const) {
      expect(contrast(palette[role], palette.ground), `${role} on ground`).toBeGreaterThanOrEqual(
        4.5,
      );
      expect(contrast(palette[role], palette.surface), `${role} on surface`).toBeGreaterThanOrEqual(
        4.5,
      );
    }
    expect(
      contrast(palette.ground, palette.accent),
      'label of a primary button',
    ).toBeGreaterThanOrEqual(4.5);
  });

  test('black or white reads on every difference', () => {
    for (let step = -20; step <= 20; step += 1) {
      const fill = differenceColour(palette, step, 20);
      expect(contrast(textOn(fill), fill)).toBeGreaterThanOrEqual(4.5);
    }
  });

  test('the target stands off the ensemble', () => {
    for (const grey of palette.ensembleScale)
      expect(contrast(palette.target, grey)).toBeGreaterThan(2);
  });

  test('scales are monotonous in lightness', () => {
    for (const scale of [palette.distribution, palette.exclusive, palette.ensembleScale]) {
      const steps = Array.from({ length: 21 }, (_, i) =>
        contrast(sampleScale(scale, i / 20), palette.ground),
      );
      steps
        .slice(1)
        .forEach((step, i) => expect(step).toBeGreaterThanOrEqual((steps[i] ?? 0) - 0.02));
    }
  });
});

test('scales', () => {
  const palette = paletteOf('light');
  expect(countColour(palette.distribution, 0, 9)).toBe('#ffffff');
  expect(countColour(palette.distribution, 9, 9)).toBe('#b2182b');
  expect(countColour(palette.distribution, 1, 0)).toBe('#ffffff');
  expect(exclusiveColour(palette, 5, 5)).toBe('#08519c');
  expect(differenceColour(palette, 0, 4)).toBe('#f2f2f2');
  expect(differenceColour(palette, 4, 4)).toBe('#c2410c');
  expect(differenceColour(palette, 4, 4, false)).toBe('#2166ac');
  expect(sampleScale(palette.distribution, Number.NaN)).toBe('#ffffff');
  expect(contrast('#000000', '#FFFFFF')).toBeCloseTo(21);
});
