/** Definitions of two runs that are one although the runs call them differently: one colour, both names. No DOM here. */

import type { Stats, Timeline } from '../api.ts';
import { namedBy } from '../logic/definition-names.ts';
import type { Answers } from './definition.ts';
import { definitionsOf } from './model.ts';

type Rows = Stats['rows'];
type Given = Pick<Answers, 'definitions' | 'otherDefinitions' | 'renames'>;

/** A name with a line in it, such as `merge:110 (task)`. */
const LINE = /^(.*):(\d+)(\D*)$/;

/** What the runs of a time line call their definitions. */
export class Names {
  /** Names in both runs, by the one in the second and by the one in the first. */
  readonly #there = new Map<string, readonly [string, string]>();
  readonly #here = new Map<string, readonly [string, string]>();
  readonly #own: readonly string[];

  constructor({ definitions, otherDefinitions, renames }: Given = {}) {
    const own = new Map(definitions?.rows.map((row) => [row.group, nameOf(row)]));
    this.#own = [...own.values()];
    // A definition on other lines has another name, and is the same one.
    for (const row of otherDefinitions?.rows ?? []) this.#add(own.get(row.group), nameOf(row));
    for (const renamed of renames?.renames ?? []) {
      const [first, ...others] = renamed.names;
      for (const { name } of others) this.#add(first?.name, name);
    }
  }

  #add(here: string | undefined, there: string): void {
    if (here === undefined || here === there) return;
    const names = [here, there] as const;
    this.#here.set(here, names);
    this.#there.set(there, names);
  }

  /** The name by which the first run knows a definition that a run calls so. */
  known(lane: number, name: string): string {
    return (lane > 0 ? this.#there.get(name)?.[0] : undefined) ?? name;
  }

  /** The same for a name of which it is not known which run has it, or that has the lines of several runs. */
  chosen(name: string): string {
    if (this.#here.has(name)) return name;
    return this.#own.find(namedBy(name)) ?? this.known(1, name);
  }

  /** The name by which the second run calls a definition that the first run knows by one. */
  there(known: string): string {
    return this.#here.get(known)?.[1] ?? known;
  }

  /** Both names of a definition that the first run knows by one: `f → g`, or `f:7→12` if only lines differ. */
  whole(known: string): string {
    const there = this.there(known);
    if (there === known) return known;
    const [one, other] = [LINE.exec(known), LINE.exec(there)];
    return one && other && one[1] === other[1] && one[3] === other[3]
      ? `${one[1]}:${one[2]}→${other[2]}${one[3]}`
      : `${known} → ${there}`;
  }

  /** Definitions of the runs, as the first run calls them, with most busy time first. */
  definitionsOf(heads: readonly Timeline[]): readonly string[] {
    return definitionsOf(heads, (lane, name) => this.known(lane, name));
  }
}

function nameOf({ path }: Rows[number]): string {
  return path[path.length - 1] ?? '';
}

/** Whether a run has a definition that the other one does not have: it may have been renamed. */
export function differ({ rows: first }: Stats, { rows: second }: Stats): boolean {
  const lacks = (rows: Rows, others: Rows): boolean => {
    const groups = new Set(others.map(({ group }) => group));
    return rows.some(({ group }) => !groups.has(group));
  };
  return lacks(first, second) && lacks(second, first);
}
