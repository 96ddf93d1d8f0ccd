/** Paths of files that a browser hands over. */

/** Paths of a browser may begin with a slash. */
export function relativePath(path: string): string {
  return path.replace(/^\/+/, '');
}
