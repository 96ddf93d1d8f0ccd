import { expect, test } from 'vitest';
import { paletteOf } from '@grainsheaf/views/logic/colour.ts';
import css from './style/base.css?raw';

test.each(['light', 'dark'] as const)(
  'the style sheet has the roles of the %s palette',
  (theme) => {
    const block =
      theme === 'light' ? /:root \{([^}]*)\}/ : /:root\[data-theme='dark'\] \{([^}]*)\}/;
    const text = block.exec(css)?.[1] ?? '';
    const palette = paletteOf(theme);
    for (const role of [
      'ground',
      'surface',
      'line',
      'ink',
      'ink2',
      'accent',
      'target',
      'ensemble',
      'problem',
      'warning',
    ] as const) {
      expect(text).toContain(`--${role}: ${palette[role].toLowerCase()};`);
    }
  },
);
