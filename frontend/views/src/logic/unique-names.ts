/** Shortest texts that tell names apart: what all share is cut, what differs never is. */

import { shorten } from './names.ts';

/**
 * Texts of at most about `length` characters, as unique as the names are.
 *
 * A name that fits stays as it is. Others lose what they share with their neighbours in the order of
 * the alphabet: an ellipsis stands for a common beginning, and for the middle between the part that
 * differs and the end. Only a part that differs may make a text longer than `length`.
 */
export function uniqueNames(names: readonly string[], length: number): string[] {
  const texts = names.map((name) => shorten(name, length));
  const clashes = groupBy(texts.map((text, index) => [text, index] as const));
  for (const members of clashes.values()) {
    const distinct = [...new Set(members.map((index) => names[index] ?? ''))];
    if (distinct.length < 2) continue;
    const cut = new Map(distinct.map((name) => [name, differing(name, distinct, length)]));
    for (const index of members) texts[index] = cut.get(names[index] ?? '') ?? texts[index] ?? '';
  }
  return secure(names, texts);
}

/** Common beginning of all names, up to a boundary of words; empty for fewer than two names. */
export function commonPrefix(names: readonly string[]): string {
  const [first = '', ...others] = names;
  if (others.length === 0) return '';
  let end = first.length;
  for (const other of others) {
    let at = 0;
    while (at < end && first[at] === other[at]) at += 1;
    end = at;
  }
  // Half a word in common is no common word.
  return /^.*[^\p{L}\p{N}]/su.exec(first.slice(0, end))?.[0] ?? '';
}

/** The part of a name around its first difference from the others, with its end. */
function differing(name: string, all: readonly string[], length: number): string {
  let first = Infinity;
  let last = 0;
  for (const other of all) {
    if (other === name) continue;
    let at = 0;
    while (at < name.length && name[at] === other[at]) at += 1;
    first = Math.min(first, at);
    let back = 0;
    while (
      back < name.length - at &&
      name[name.length - 1 - back] === other[other.length - 1 - back]
    )
      back += 1;
    last = Math.max(last, name.length - back);
  }
  const from = Math.max(0, Math.min(first, name.length - 1) - 2);
  const to = Math.min(name.length, Math.max(last, from + 1));
  const room = Math.max(0, length - (to - from) - 2);
  const head = [...name].slice(0, Math.min(from, Math.ceil(room / 2))).join('');
  const tail = [...name.slice(to)].slice(-Math.floor(room / 2) || name.length).join('');
  const middle =
    to - from > 2 * length ? shorten(name.slice(from, to), 2 * length) : name.slice(from, to);
  return [
    head,
    from > head.length ? '…' : '',
    middle,
    room >= 2 && name.length - to > tail.length ? '…' : '',
    room >= 2 || name.length - to <= 2 ? tail : to < name.length ? '…' : '',
  ].join('');
}

/** Names whose texts are equal all the same get a number. */
function secure(names: readonly string[], texts: string[]): string[] {
  const owners = new Map<string, string[]>();
  return texts.map((text, index) => {
    const name = names[index] ?? '';
    const known = owners.get(text) ?? [];
    if (!known.includes(name)) known.push(name);
    owners.set(text, known);
    const place = known.indexOf(name);
    return place === 0 ? text : `${text} (${place + 1})`;
  });
}

function groupBy(pairs: readonly (readonly [string, number])[]): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const [key, index] of pairs) groups.set(key, [...(groups.get(key) ?? []), index]);
  return groups;
}
