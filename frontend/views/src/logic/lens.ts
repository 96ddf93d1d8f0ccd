/** Edits the text form of a lens clause by clause. The service validates; this only cuts and joins. */

/** One clause: its first word and the whole of it. */
export interface Clause {
  readonly keyword: string;
  readonly text: string;
}

/** What a clause is for and what may follow its first word. */
export interface ClauseHelp {
  readonly keyword: string;
  readonly pattern: string;
  readonly about: string;
  readonly isRepeatable: boolean;
  /** What holds without the clause. */
  readonly fallback?: string;
}

/** Every clause, in canonical order. */
export const CLAUSES: readonly ClauseHelp[] = [
  { keyword: 'where', pattern: 'where threads >= 4', about: 'Which runs', isRepeatable: false },
  {
    keyword: 'by',
    pattern: 'by threads',
    about: 'Parameters that form cohorts',
    isRepeatable: false,
  },
  {
    keyword: 'level',
    pattern: 'level module',
    about: 'module, definition or context',
    isRepeatable: false,
    fallback: 'definition',
  },
  {
    keyword: 'metric',
    pattern: 'metric work_ns',
    about: 'What is measured',
    isRepeatable: false,
    fallback: 'work_ns',
  },
  {
    keyword: 'scope',
    pattern: 'scope exclusive',
    about: 'exclusive or inclusive values',
    isRepeatable: false,
    fallback: 'inclusive',
  },
  {
    keyword: 'over',
    pattern: 'over workers=mean',
    about: 'How ranks or workers become one value per run',
    isRepeatable: false,
    fallback: 'ranks=mean',
  },
  {
    keyword: 'below',
    pattern: 'below 2%',
    about: 'Collects groups below a share of the root',
    isRepeatable: false,
    fallback: '1%',
  },
  {
    keyword: 'bins',
    pattern: 'bins 20',
    about: 'Bins of histograms, 1 to 200',
    isRepeatable: false,
    fallback: '20',
  },
  {
    keyword: 'split',
    pattern: 'split "name" entries',
    about: 'Makes entry functions or callees groups of their own',
    isRepeatable: true,
  },
  {
    keyword: 'reveal',
    pattern: 'reveal "context"',
    about: 'Makes one context a group of its own',
    isRepeatable: true,
  },
  {
    keyword: 'focus',
    pattern: 'focus "name"',
    about: 'Shows only paths through a group',
    isRepeatable: true,
  },
  { keyword: 'hide', pattern: 'hide "name"', about: 'Leaves a group out', isRepeatable: true },
  {
    keyword: 'target',
    pattern: 'target "run"',
    about: 'One run against the ensemble',
    isRepeatable: false,
  },
  {
    keyword: 'diff',
    pattern: 'diff "baseline" to "candidate"',
    about: 'Candidate B against baseline A',
    isRepeatable: false,
  },
];

/** Words that may follow a clause's first word. */
export const CHOICES: Readonly<Record<string, readonly string[]>> = {
  level: ['module', 'definition', 'context'],
  scope: ['inclusive', 'exclusive'],
  over: [
    'ranks=mean',
    'ranks=max',
    'ranks=sum',
    'ranks=median',
    'workers=mean',
    'workers=max',
    'workers=median',
  ],
  below: ['0%', '0.5%', '1%', '2%', '5%', '10%'],
  bins: ['5', '10', '20', '40', '80'],
};

/** Cuts a text at `|` outside of quotations; blank clauses are left out. */
export function splitClauses(text: string): Clause[] {
  const parts: string[] = [];
  let part = '';
  let quote = '';
  let isEscaped = false;
  for (const c of text) {
    if (isEscaped) isEscaped = false;
    else if (quote) {
      if (c === '\\') isEscaped = true;
      else if (c === quote) quote = '';
    } else if (c === '"' || c === "'" || c === '`') quote = c;
    else if (c === '|') {
      parts.push(part);
      part = '';
      continue;
    }
    part += c;
  }
  parts.push(part);
  return parts
    .map((raw) => raw.trim())
    .filter((raw) => raw !== '')
    .map((raw) => ({ keyword: /^\S+/.exec(raw)?.[0] ?? raw, text: raw }));
}

/** The text of clauses. */
export function joinClauses(clauses: readonly Clause[]): string {
  return clauses.map((clause) => clause.text).join(' | ');
}

/** The text without the clause at `index`. */
export function withoutClause(text: string, index: number): string {
  return joinClauses(splitClauses(text).filter((_, at) => at !== index));
}

/** The text without any clause of these first words. */
export function without(text: string, ...keywords: string[]): string {
  return joinClauses(splitClauses(text).filter((clause) => !keywords.includes(clause.keyword)));
}

/** The text with a clause; one that may stand once replaces its predecessor in place. */
export function withClause(text: string, clause: string): string {
  const [added] = splitClauses(clause);
  if (!added) return text;
  const clauses = splitClauses(text);
  const isRepeatable =
    CLAUSES.find((help) => help.keyword === added.keyword)?.isRepeatable ?? false;
  const at = clauses.findIndex((present) =>
    isRepeatable ? present.text === added.text : present.keyword === added.keyword,
  );
  if (at >= 0) clauses[at] = added;
  else clauses.push(added);
  clauses.sort((a, b) => rank(a.keyword) - rank(b.keyword));
  return joinClauses(clauses);
}

/** The text with the clause at `from` moved to `to`. */
export function moveClause(text: string, from: number, to: number): string {
  const clauses = splitClauses(text);
  const [moved] = clauses.splice(from, 1);
  if (moved) clauses.splice(to, 0, moved);
  return joinClauses(clauses);
}

/** Whether the text itself has a clause. */
export function hasClause(text: string, keyword: string): boolean {
  return splitClauses(text).some((clause) => clause.keyword === keyword);
}

/** What follows the first word of the clause, or its default. */
export function clauseValue(text: string, keyword: string): string | undefined {
  const clause = splitClauses(text).find((present) => present.keyword === keyword);
  if (clause) return clause.text.slice(keyword.length).trim();
  return CLAUSES.find((help) => help.keyword === keyword)?.fallback;
}

/** Target named by the text, if any. */
export function targetOf(text: string): string | undefined {
  const clause = splitClauses(text).find((present) => present.keyword === 'target');
  return clause && words(clause.text)[1];
}

/** Baseline and candidate named by the text, if any. */
export function diffOf(text: string): [string, string] | undefined {
  const clause = splitClauses(text).find((present) => present.keyword === 'diff');
  const [, a, , b] = clause ? words(clause.text) : [];
  return a !== undefined && b !== undefined ? [a, b] : undefined;
}

/** The text with this target and no diff. */
export function withTarget(text: string, name: string | undefined): string {
  const rest = without(text, 'target', 'diff');
  return name === undefined ? rest : withClause(rest, `target ${quote(name)}`);
}

/** The text with this diff and no target. */
export function withDiff(text: string, sides: readonly [string, string] | undefined): string {
  const rest = without(text, 'target', 'diff');
  return sides ? withClause(rest, `diff ${quote(sides[0])} to ${quote(sides[1])}`) : rest;
}

/** The text without a comparison: what the picture's geometry depends on. */
export function geometryLens(text: string): string {
  return without(text, 'target', 'diff');
}

/** The text with the scope that a diff has if the text names none. */
export function comparedLens(text: string): string {
  return hasClause(text, 'scope') ? text : withClause(text, 'scope exclusive');
}

/** The text for a distribution. Over runs the page itself knows which are the target's, so a change of target asks nothing. */
export function distributionLens(
  given: { readonly lens: string; readonly shape: string; readonly isDiff: boolean },
  mode: string,
): string {
  // A diff compares exclusive values unless the lens says otherwise; so does its distribution.
  if (given.isDiff) return comparedLens(given.lens);
  return mode === 'runs' ? given.shape : given.lens;
}

/** The text for the opened run and the one next to it, without clauses about groups: the service refuses groups that a run lacks. */
export function lensInside({
  shape,
  run,
  otherRun,
}: {
  readonly shape: string;
  readonly run: string;
  readonly otherRun: string;
}): string {
  if (run === '') return shape;
  const rest = without(shape, 'by', 'level', 'split', 'reveal', 'focus', 'hide');
  const other = otherRun === '' ? '' : ` or run == "${otherRun}"`;
  return withClause(rest, `where run == "${run}"${other}`);
}

/** Words of a clause; quotations are one word without their quotes. */
export function words(clause: string): string[] {
  const found: string[] = [];
  const pattern = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`|([^\s,]+)/gs;
  for (const match of clause.matchAll(pattern)) {
    const quoted = match[1] ?? match[2] ?? match[3];
    found.push(quoted === undefined ? (match[4] ?? '') : quoted.replace(/\\(.)/gs, '$1'));
  }
  return found;
}

/** A name in double quotes. */
export function quote(text: string): string {
  return `"${text.replace(/\\/g, '\\\\').replace(/"/g, '\\"')}"`;
}

/** An expression that selects the runs with these parameter values. */
export function cohortExpression(
  values: Readonly<Record<string, string | number | boolean>>,
  by: readonly string[],
): string {
  const names = by.length > 0 ? by : Object.keys(values);
  return names
    .map((name) => {
      const value = values[name];
      const plain = /^[A-Za-z_][A-Za-z0-9_.-]*$/.test(name)
        ? name
        : `\`${name.replace(/[\\`]/g, '\\$&')}\``;
      if (value === undefined) return `not exists ${plain}`;
      const literal =
        typeof value === 'string' ? `'${value.replace(/[\\']/g, '\\$&')}'` : String(value);
      return `${plain} == ${literal}`;
    })
    .join(' and ');
}

function rank(keyword: string): number {
  const at = CLAUSES.findIndex((help) => help.keyword === keyword);
  // Operations keep the order in which they were made.
  if (['split', 'reveal', 'focus', 'hide'].includes(keyword)) return 8;
  return at < 0 ? CLAUSES.length : at;
}
