/** The arrangement of views: a tree of splits, its text for the address, and changes of it. */

/** A view, or two panes next to or above each other. `share` is the part of the first in percent. */
export type Pane =
  | { readonly view: string }
  | {
      readonly isBeside: boolean;
      readonly share: number;
      readonly first: Pane;
      readonly second: Pane;
    };

/** Splits within splits at most. */
const MOST_DEPTH = 5;
const LEAST_SHARE = 10;

/** Text of an arrangement: `(sankey/62/tree)` above each other, `(sankey|50|tree)` next to each other. */
export function encodePanes(pane: Pane): string {
  if ('view' in pane) return pane.view;
  const sign = pane.isBeside ? '|' : '/';
  return `(${encodePanes(pane.first)}${sign}${pane.share}${sign}${encodePanes(pane.second)})`;
}

/** The arrangement of a text; nothing if it is none. */
export function decodePanes(text: string): Pane | undefined {
  let at = 0;
  const read = (depth: number): Pane | undefined => {
    if (text[at] !== '(') {
      const view = /^[a-z][a-z0-9-]*/.exec(text.slice(at))?.[0];
      at += view?.length ?? 0;
      return view === undefined ? undefined : { view };
    }
    if (depth >= MOST_DEPTH) return undefined;
    at += 1;
    const first = read(depth + 1);
    const share = /^([|/])(\d{1,2})\1/.exec(text.slice(at));
    if (!first || !share) return undefined;
    at += share[0].length;
    const second = read(depth + 1);
    if (!second || text[at] !== ')') return undefined;
    at += 1;
    return { isBeside: share[1] === '|', share: clampShare(Number(share[2])), first, second };
  };
  const pane = read(0);
  return pane && at === text.length ? pane : undefined;
}

export function clampShare(share: number): number {
  return Math.max(LEAST_SHARE, Math.min(100 - LEAST_SHARE, Math.round(share)));
}

/** Place of a pane in the tree: `1` for the first of a split, `2` for its second, read from the root. */
export type Place = string;

/** The arrangement with the pane at a place changed; `undefined` removes it. */
export function changePane(
  pane: Pane,
  place: Place,
  change: (pane: Pane) => Pane | undefined,
): Pane | undefined {
  if (place === '') return change(pane);
  if ('view' in pane) return pane;
  const isFirst = place.startsWith('1');
  const own = isFirst ? pane.first : pane.second;
  const other = isFirst ? pane.second : pane.first;
  const changed = changePane(own, place.slice(1), change);
  if (!changed) return other;
  return isFirst ? { ...pane, first: changed } : { ...pane, second: changed };
}

/** Two panes in place of one, if the tree is not too deep for that. */
export function splitPane(pane: Pane, place: Place, isBeside: boolean, view: string): Pane {
  if (place.length >= MOST_DEPTH - 1) return pane;
  const split = (own: Pane): Pane => ({ isBeside, share: 50, first: own, second: { view } });
  return changePane(pane, place, split) ?? pane;
}

/** Views of an arrangement with their places. */
export function viewsOf(pane: Pane, place: Place = ''): { view: string; place: Place }[] {
  if ('view' in pane) return [{ view: pane.view, place }];
  return [...viewsOf(pane.first, `${place}1`), ...viewsOf(pane.second, `${place}2`)];
}
