/** The theme of the notebook that surrounds a widget. */

import type { Theme } from '@grainsheaf/views/logic/colour.ts';

/** Theme that the surroundings state, or else the one that the reader prefers. */
export function themeOfNotebook(): Theme {
  const { body, documentElement } = document;
  // JupyterLab and Notebook 7.
  const jupyter = body.dataset['jpThemeLight'];
  if (jupyter !== undefined) return jupyter === 'false' ? 'dark' : 'light';
  // VS Code.
  const code = body.dataset['vscodeThemeKind'] ?? [...body.classList].join(' ');
  if (/vscode-(dark|high-contrast)(?!-light)/.test(code)) return 'dark';
  if (/vscode-(light|high-contrast-light)/.test(code)) return 'light';
  // Marimo and others.
  for (const element of [body, documentElement]) {
    const stated = element.dataset['theme'] ?? '';
    if (element.classList.contains('dark') || /dark/.test(stated)) return 'dark';
    if (element.classList.contains('light') || /light/.test(stated)) return 'light';
  }
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

/** Calls back when the surroundings may have changed their theme. */
export function watchTheme(changed: () => void, signal: AbortSignal): void {
  const observer = new MutationObserver(changed);
  const attributeFilter = ['class', 'data-theme', 'data-jp-theme-light', 'data-vscode-theme-kind'];
  for (const element of [document.body, document.documentElement])
    observer.observe(element, { attributes: true, attributeFilter });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed, { signal });
  signal.addEventListener('abort', () => observer.disconnect());
}
