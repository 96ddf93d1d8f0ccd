/** The part of the picture that is seen, as text for the address: the same in any window. */

/** Enlargement, and the middle of the window as shares of the picture. */
export interface Place {
  readonly zoom: number;
  readonly x: number;
  readonly y: number;
}

export function encodePlace({ zoom, x, y }: Place): string {
  const text = (value: number, digits: number): string => String(Number(value.toFixed(digits)));
  return [text(zoom, 3), text(x, 5), text(y, 5)].join('_');
}

/** The place of a text; nothing if it is none. */
export function decodePlace(text: string): Place | undefined {
  const parts = text.split('_').map(Number);
  const [zoom = NaN, x = NaN, y = NaN] = parts;
  const isShare = (value: number): boolean => value >= 0 && value <= 1;
  return parts.length === 3 && zoom > 0 && zoom < 100 && isShare(x) && isShare(y)
    ? { zoom, x, y }
    : undefined;
}

/** Texts of nodes that were moved, and back: the share of the height at which each one begins. */
export function encodeMoved(moved: ReadonlyMap<string, number>): string[] {
  return [...moved].map(([id, share]) => `${id}:${Number(share.toFixed(4))}`);
}

export function decodeMoved(texts: readonly string[]): Map<string, number> {
  return new Map(
    texts.flatMap((text) => {
      const at = text.lastIndexOf(':');
      const share = Number(text.slice(at + 1));
      return at > 0 && share >= 0 && share <= 1 ? [[text.slice(0, at), share]] : [];
    }),
  );
}
