/** Names in little room: what distinguishes them is never cut. */

/** Glyphs for kinds of constructs; names carry the kind as a suffix such as ` (task)`. */
const GLYPHS: Readonly<Record<string, string>> = {
  program: '▣',
  parallel: '∥',
  single: '①',
  sections: '≡',
  section: '≡',
  loop: '↻',
  taskloop: '↻',
  task: '◇',
  critical: '⊘',
};

export interface NameParts {
  /** The name without its kind. */
  readonly text: string;
  /** A glyph that stands for the kind, or nothing. */
  readonly glyph: string;
  readonly kind: string;
}

/** A name without the kind at its end, and the kind as a glyph. */
export function partsOf(name: string, kind = ''): NameParts {
  const found = / \(([a-z ]+)\)$/.exec(name);
  const suffix = found?.[1] ?? '';
  if (suffix && suffix in GLYPHS)
    return { text: name.slice(0, -(suffix.length + 3)), glyph: GLYPHS[suffix] ?? '', kind: suffix };
  return { text: name, glyph: GLYPHS[kind] ?? '', kind: GLYPHS[kind] ? kind : '' };
}

const ELLIPSIS = '…';
const LEAST = 6;

/** Characters as people see them, so that none is cut apart. */
export function characters(text: string): string[] {
  if (typeof Intl === 'undefined' || !('Segmenter' in Intl)) return [...text];
  if (/^[\x20-\x7e]*$/.test(text)) return text.split('');
  return [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)].map(
    (part) => part.segment,
  );
}

/**
 * Texts of at most `most` characters, different for different names. A name that is too long loses its middle, and
 * keeps its last word, such as a line number. Where that makes two names equal, what they have in common is cut
 * instead. If nothing shorter distinguishes them, a text is longer than `most`.
 */
export function uniqueLabels(names: readonly string[], most: number): string[] {
  const limit = Math.max(LEAST, Math.floor(most));
  const distinct = [...new Set(names)];
  const labels = new Map(distinct.map((name) => [name, cutMiddle(name, limit)]));
  for (let room = limit, round = 0; round < 40; round += 1) {
    const clashes = groupBy(distinct, (name) => labels.get(name) ?? name).filter(
      (group) => group.length > 1,
    );
    if (clashes.length === 0) break;
    for (const group of clashes) {
      const parts = differing(group);
      group.forEach((name, index) => labels.set(name, cutAround(name, parts[index], room)));
    }
    room += round < 2 ? 0 : 4;
  }
  return names.map((name) => labels.get(name) ?? name);
}

function groupBy(names: readonly string[], key: (name: string) => string): string[][] {
  const groups = new Map<string, string[]>();
  for (const name of names) groups.set(key(name), [...(groups.get(key(name)) ?? []), name]);
  return [...groups.values()];
}

/** Without its middle, with its last word, if that is short. */
function cutMiddle(name: string, limit: number): string {
  const all = characters(name);
  if (all.length <= limit) return name;
  const last = /[:.@#/_-]?[^\s:.@#/_-]+$/.exec(name)?.[0] ?? '';
  const wanted = characters(last).length;
  const tail = wanted <= limit / 2 ? wanted : Math.floor((limit - 1) / 2);
  const end = tail > 0 ? all.slice(-tail).join('') : '';
  return `${all.slice(0, limit - 1 - tail).join('')}${ELLIPSIS}${end}`;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Where each name of a group differs from the others, extended to whole words. */
function differing(names: readonly string[]): Range[] {
  const lists = names.map(characters);
  const shortest = Math.min(...lists.map((list) => list.length));
  const isShared = (at: (list: string[]) => string | undefined): boolean =>
    new Set(lists.map(at)).size === 1;
  let head = 0;
  while (head < shortest && isShared((list) => list[head])) head += 1;
  let tail = 0;
  while (tail < shortest - head && isShared((list) => list[list.length - 1 - tail])) tail += 1;
  return lists.map((list) => ({ from: head, to: list.length - tail }));
}

/** Keeps the part that differs, and as much of both ends as there is room for. */
function cutAround(name: string, part: Range | undefined, limit: number): string {
  const all = characters(name);
  if (!part || all.length <= limit) return name;
  const core = all.slice(part.from, part.to);
  if (core.length + 2 >= limit) {
    // The differing part itself is long: its own ends tell most.
    const tail = Math.floor((limit - 3) / 2);
    const head = limit - 3 - tail;
    const text =
      core.length <= limit - 2
        ? core.join('')
        : `${core.slice(0, head).join('')}${ELLIPSIS}${core.slice(-tail).join('')}`;
    return `${part.from > 0 ? ELLIPSIS : ''}${text}${part.to < all.length ? ELLIPSIS : ''}`;
  }
  const room = limit - core.length;
  const after = all.slice(part.to);
  const before = all.slice(0, part.from);
  const isAfterWhole = after.length <= room / 2;
  const end = isAfterWhole
    ? after.join('')
    : `${after.slice(0, Math.max(0, Math.floor(room / 2) - 1)).join('')}${ELLIPSIS}`;
  const left = room - characters(end).length;
  const start =
    before.length <= left
      ? before.join('')
      : `${before.slice(0, Math.max(0, left - 1)).join('')}${ELLIPSIS}`;
  return start + core.join('') + end;
}

/**
 * Lines of at most `width` characters, broken after words: at spaces, signs and capitals. A text with more than
 * `most` lines keeps its end.
 */
export function breakLines(text: string, width: number, most: number): string[] {
  const words = text.match(/[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[^A-Za-z0-9]+|[A-Z]+/g) ?? [text];
  const lines: string[] = [];
  let line = '';
  const flush = (): void => {
    if (line) lines.push(line);
    line = '';
  };
  for (const word of words) {
    const all = characters(word);
    if (characters(line).length + all.length <= width) {
      line += word;
      continue;
    }
    // A sign that ends a word stays with it.
    if (line && /^[^A-Za-z0-9]/.test(word) && word.trim().length <= 2 && all.length <= 2) {
      line += word.trimEnd();
      flush();
      continue;
    }
    flush();
    if (all.length <= width) line = word.trimStart();
    else {
      for (let at = 0; at < all.length; at += width) {
        flush();
        line = all.slice(at, at + width).join('');
      }
    }
  }
  flush();
  return lines.length === 0 ? [''] : lines.slice(0, most);
}

/**
 * Lines of names of one column, each unique, with nothing lost that distinguishes them. Names that need more than `most`
 * lines are shortened until their lines break after words.
 */
export function labelLines(names: readonly string[], width: number, most: number): string[][] {
  const room = width * most - Math.ceil(most / 2) * 2;
  const labelsAt = new Map<number, string[]>();
  const labelOf = (index: number, limit: number): string => {
    const labels = labelsAt.get(limit) ?? uniqueLabels(names, limit);
    labelsAt.set(limit, labels);
    return labels[index] ?? '';
  };
  const whole = names.map((name) => breakLines(name, width, Infinity));
  const isWhole = whole.map((lines) => lines.length <= most);
  const used = new Map(names.filter((_, index) => isWhole[index]).map((name) => [name, name]));
  return names.map((name, index) => {
    if (isWhole[index]) return whole[index] ?? [name];
    for (let limit = room; limit >= width; limit -= 2) {
      const label = labelOf(index, limit);
      const lines = breakLines(label, width, Infinity);
      if (lines.length > most || (used.get(label) ?? name) !== name) continue;
      used.set(label, name);
      return lines;
    }
    const all = characters(labelOf(index, room));
    return Array.from({ length: most }, (_, line) =>
      all.slice(line * width, line === most - 1 ? undefined : (line + 1) * width).join(''),
    ).filter(Boolean);
  });
}
