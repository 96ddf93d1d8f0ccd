/** Requests of the children of groups, for views that draw an aggregation tree page by page. */

import type { Group, Groups } from '../api.ts';
import type { GroupTree } from '../logic/group-tree.ts';
import { FIRST_CHILDREN, type VisibleNodes } from '../logic/open-groups.ts';
import type { Request } from './definition.ts';
import { routeOf } from './one-run.ts';

/** Children of a page after the first one. */
const PAGE = 1000;
/** With more open groups, structures are not asked for. */
const MAX_BADGED = 60;

/** End of the names of pages that are asked for with structures. */
const WITH_STRUCTURES = ' structures';

type Requests = Readonly<Record<string, Request>>;

/**
 * Asks for the children of groups of one run, under names that begin with a word such as `page`. `held` are the
 * answers that are here. A held page of an open group is asked for as before: without it, the group would be
 * closed, and the next question would ask for the page again, without end.
 */
export class GroupPages {
  readonly #run: string;
  readonly #query: Readonly<Record<string, string>>;
  readonly #held: Readonly<Record<string, unknown>>;
  readonly #name: string;

  constructor(
    run: string,
    query: Readonly<Record<string, string>>,
    held: Readonly<Record<string, unknown>>,
    name = 'page',
  ) {
    this.#run = run;
    this.#query = query;
    this.#held = held;
    this.#name = name;
  }

  /** The first children of a group. */
  first(group: number): Requests {
    return this.#page(group, 0, FIRST_CHILDREN, true);
  }

  /** What is missing of the visible nodes; `whole` are groups of which all children are wanted. */
  visible(known: GroupTree, nodes: VisibleNodes, whole: ReadonlySet<number>): Requests {
    const parts: Record<string, Request> = {};
    const open = nodes.groups.filter((group, at) => group && nodes.isOpen[at] === 1);
    const isStructured = open.length <= MAX_BADGED;
    for (const group of open) {
      if (!group) continue;
      const isWide = group.children > FIRST_CHILDREN;
      if (!isStructured && !isWide && this.#heldAs(group.group, 0) === undefined) continue;
      Object.assign(parts, this.#page(group.group, 0, FIRST_CHILDREN, isStructured));
      if (whole.has(group.group)) Object.assign(parts, this.#rest(known, group, isStructured));
    }
    for (const group of nodes.missing)
      Object.assign(parts, this.#page(group, 0, FIRST_CHILDREN, isStructured));
    return parts;
  }

  /** The pages after the first one, up to one more than is here. */
  #rest(known: GroupTree, group: Group, isStructured: boolean): Requests {
    const parts: Record<string, Request> = {};
    const here = known.children.get(group.group)?.length ?? 0;
    for (let offset = FIRST_CHILDREN; offset < group.children; offset += PAGE) {
      Object.assign(parts, this.#page(group.group, offset, PAGE, isStructured));
      if (offset >= here) break;
    }
    return parts;
  }

  /** Name of a held page; nothing if it is not here. */
  #heldAs(group: number, offset: number): string | undefined {
    const name = `${this.#name} ${group} ${offset}`;
    return [name, name + WITH_STRUCTURES].find((one) => this.#held[one] !== undefined);
  }

  #page(group: number, offset: number, limit: number, isStructured: boolean): Requests {
    const wanted = `${this.#name} ${group} ${offset}${isStructured ? WITH_STRUCTURES : ''}`;
    const name = this.#heldAs(group, offset) ?? wanted;
    const more = name.endsWith(WITH_STRUCTURES) ? { structures: 'true' } : {};
    return {
      [name]: {
        route: routeOf(this.#run, 'groups'),
        query: { ...this.#query, ...more, group, offset, limit },
        what: `Reading the children of group ${group}`,
      },
    };
  }
}

/** The pages among answers whose names begin with a word. */
export function pagesOf(answers: Readonly<Record<string, unknown>>, name = 'page'): Groups[] {
  return Object.entries(answers).flatMap(([key, answer]) =>
    answer !== undefined && key.startsWith(`${name} `) ? [answer as Groups] : [],
  );
}

/** Request of grains compared between two runs: definitions with other names, and rows by path key. */
export function grainDiffOf(
  run: string,
  otherRun: string,
  rows: Readonly<{ offset: number; limit: number }>,
): Request {
  return {
    route: 'diff/grains',
    query: { lens: `diff run=${run} to run=${otherRun}`, ...rows },
    what: 'Matching the grains of both runs',
  };
}
