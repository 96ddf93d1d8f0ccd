/** Restricts the runs of a lens to those with one value of a parameter. */

import type { components } from '../generated/api.ts';
import { clauseValue, cohortExpression, splitClauses, withClause, without, words } from './lens.ts';

type Value = components['schemas']['ParamValue'];
type Change = components['schemas']['EnvironmentChange'];
type Parameter = Pick<components['schemas']['Parameter'], 'name' | 'role'>;

/** The text with a further condition on the runs. */
export function restricted(text: string, condition: string): string {
  const own = clauseValue(text, 'where');
  if (!own) return withClause(text, `where ${condition}`);
  const isChoice = /\sor\s/i.test(own);
  if (own === condition || (!isChoice && own.endsWith(` and ${condition}`))) return text;
  const kept = isChoice ? `(${own})` : own;
  const added = /\sor\s/i.test(condition) ? `(${condition})` : condition;
  return withClause(text, `where ${kept} and ${added}`);
}

/** The text for the runs of a condition only. What compares runs goes: its sides may be elsewhere. */
export function withOnly(text: string, condition: string, by: readonly string[]): string {
  const alone = without(restricted(text, condition), 'target', 'diff');
  const own = words(clauseValue(text, 'by') ?? '');
  // The runs no longer differ in these parameters.
  const isSettled = own.length > 0 && own.every((name) => by.includes(name));
  return isSettled ? without(alone, 'by') : alone;
}

/** Condition on a run to have a value of a parameter. */
export function hasValue(name: string, value: Value): string {
  return cohortExpression({ [name]: value }, [name]);
}

/** Whether the text selects runs. */
export function isRestricted(text: string): boolean {
  return splitClauses(text).some(({ keyword }) => keyword === 'where');
}

/** Changes of the configuration, and of what identifies the launches, as the table of runs knows it. */
export function environmentOf(
  environment: readonly Change[],
  parameters: readonly Parameter[],
): { readonly configuration: readonly Change[]; readonly launch: readonly Change[] } {
  const incidental = new Set(
    parameters.filter(({ role }) => role === 'incidental').map(({ name }) => name),
  );
  const isOf = ({ parameter }: Change): boolean => incidental.has(parameter);
  return {
    configuration: environment.filter((change) => !isOf(change)),
    launch: environment.filter(isOf),
  };
}

/** A parameter that has several values on one side of a comparison, and the values that both sides have. */
export interface MixedParameter {
  readonly name: string;
  /** Sides with several values. */
  readonly sides: readonly ('A' | 'B')[];
  readonly shared: readonly Value[];
}

/** Parameters that have several values on a side, if one of these can be held constant on both. */
export function mixedParameters(environment: readonly Change[]): readonly MixedParameter[] {
  return environment.flatMap(({ parameter, a, b }) => {
    // Repeats are meant to be mixed.
    if (parameter === 'repeat') return [];
    const shared = a.filter((value) => b.includes(value));
    if (shared.length === 0 || (a.length < 2 && b.length < 2)) return [];
    const sides = (['A', 'B'] as const).filter((side) => (side === 'A' ? a : b).length > 1);
    return [{ name: parameter, sides, shared }];
  });
}
