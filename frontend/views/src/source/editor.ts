/** The link that opens a line in an editor: a template of the reader, kept in this browser. */

const KEY = 'grainsheaf.editor';
/** Schemes that run or show what the address contains. */
const UNSAFE = ['javascript', 'data', 'vbscript', 'blob', 'file', 'about'];

/** Address of a line by a template such as `vscode://file/{path}:{line}`; nothing if it is not a safe link. */
export function editorLink(template: string, path: string, line: number): string | undefined {
  const [, scheme = ''] = /^([a-z][a-z0-9+.-]*):/i.exec(template) ?? [];
  if (scheme === '' || UNSAFE.includes(scheme.toLowerCase()) || !template.includes('{path}'))
    return undefined;
  // Names from traces are hostile: only slashes stay, so that a path cannot add a query or leave its place.
  const parts = path.split('/').map(encoded);
  if (parts.includes('..') || parts.includes(undefined) || !Number.isSafeInteger(line))
    return undefined;
  const absolute = parts.join('/').replace(/^\/+/, template.includes('/{path}') ? '' : '/');
  return template.replace(/\{(path|line)\}/g, (_, name) =>
    name === 'path' ? absolute : String(Math.max(1, line)),
  );
}

/** A part of a path as it stands in an address; nothing for text that no address can have. */
function encoded(part: string): string | undefined {
  try {
    return encodeURIComponent(part);
  } catch {
    return undefined;
  }
}

export function keptTemplate(): string {
  try {
    return localStorage.getItem(KEY) ?? '';
  } catch {
    // A browser may refuse storage; there is no link then.
    return '';
  }
}

export function keepTemplate(template: string): void {
  try {
    localStorage.setItem(KEY, template.trim());
  } catch {
    // As above.
  }
}
