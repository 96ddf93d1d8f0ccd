/** Which groups of an aggregation tree are open, as a setting in the address has it. */

/** Numbers of a setting such as `3,-17`: those without a minus, and those with one. */
export function numbersOf(text: string): { with: Set<number>; without: Set<number> } {
  const numbers = { with: new Set<number>(), without: new Set<number>() };
  for (const part of text.split(',')) {
    const found = /^(-?)(\d+)$/.exec(part.trim());
    if (found) (found[1] ? numbers.without : numbers.with).add(Number(found[2]));
  }
  return numbers;
}

/** The setting with a group opened or closed by hand. */
export function toggled(text: string, group: number, isOpen: boolean): string {
  const numbers = numbersOf(text);
  numbers.with.delete(group);
  numbers.without.delete(group);
  (isOpen ? numbers.with : numbers.without).add(group);
  return [...numbers.with, ...[...numbers.without].map((one) => `-${one}`)].join(',');
}
