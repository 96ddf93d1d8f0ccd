/** The time line of a second run, moved so that a phase begins where it begins in the first. No DOM here. */

import type { Grains } from '../api.ts';
import { quote } from '../logic/lens.ts';
import { windowOf } from '../logic/time-range.ts';
import type { Request } from '../registry/definition.ts';
import { grainDiffOf } from '../registry/group-pages.ts';
import { definitionsOf as coloursOf, routeOf } from '../registry/one-run.ts';
import type { Interval, Selection } from '../registry/selection.ts';
import type { Answers, Settings } from './definition.ts';
import type { Intervals } from './model.ts';
import { differ, Names } from './names.ts';

export interface Phase {
  readonly definition: string;
  /** Begin of its first grain in each run; nothing if a run has none, or it is not read yet. */
  readonly first: number | undefined;
  readonly second: number | undefined;
}

/** The phase at which two runs are aligned. */
export function phaseOf(answers: Answers, { align }: Settings): Phase | undefined {
  if (align === '' || !answers.otherHead) return undefined;
  return {
    definition: align,
    first: beginOf(answers.phase, answers.head.run),
    second: beginOf(answers.otherPhase, answers.otherHead.run),
  };
}

function beginOf(grains: Grains | undefined, run: string): number | undefined {
  return grains?.run === run ? (grains.rows[0]?.start ?? undefined) : undefined;
}

/** Time by which the second run is moved back; 0 while a begin is not known. */
export function shiftOf(phase: Phase | undefined): number {
  if (phase?.first === undefined || phase.second === undefined) return 0;
  return phase.second - phase.first;
}

/** Intervals at earlier times. */
export function movedBack(all: Intervals, by: number): Intervals {
  if (by === 0) return all;
  const back = (times: Float64Array): Float64Array => times.map((time) => time - by);
  return { ...all, start: back(all.start), end: back(all.end) };
}

/** Definitions of the second run and their other names, the first grain of the phase in each run, and the second run's rows at the visible range. */
export function alignedParts(
  answers: Answers,
  settings: Settings,
  { run, otherRun, time }: Selection,
): Readonly<Record<string, Request>> {
  const { head, otherHead, definitions, otherDefinitions } = answers;
  if (head.run !== run || otherHead?.run !== otherRun) return {};
  const parts: Record<string, Request> = { otherDefinitions: coloursOf(otherRun) };
  const isRenamed = definitions && otherDefinitions && differ(definitions, otherDefinitions);
  if (settings.align !== '' || isRenamed)
    parts['renames'] = grainDiffOf(run, otherRun, { offset: 0, limit: 1 });
  if (settings.align === '') return parts;
  parts['phase'] = firstGrain(run, head.unit, settings.align);
  if (!answers.renames || !otherDefinitions) return parts;
  const there = new Names(answers).there(settings.align);
  parts['otherPhase'] = firstGrain(otherRun, otherHead.unit, there);
  const shift = shiftOf(phaseOf(answers, settings));
  if (shift !== 0 && time)
    parts['alignedRows'] = {
      route: routeOf(otherRun, 'timeline'),
      query: windowOf(movedInto(time, shift)),
      what: 'Reading the time line',
      format: 'arrow',
    };
  return parts;
}

/** The range at the times of the second run; windows do not begin before a run does. */
function movedInto([from, to]: Interval, shift: number): Interval {
  return [Math.max(0, from + shift), Math.max(1, to + shift)];
}

function firstGrain(run: string, unit: string, definition: string): Request {
  const where = `definition = ${quote(definition)}`;
  return {
    route: routeOf(run, 'grains'),
    query: { where, sort: 'start', all: 'true', metrics: `work_${unit}`, limit: 1 },
    what: 'Looking for the begin of the phase',
  };
}

/** What a reader must know of the alignment. */
export function alignmentNotes(answers: Answers, settings: Settings): readonly string[] {
  const phase = phaseOf(answers, settings);
  if (!phase) return [];
  const lacks = (grains: Grains | undefined): boolean =>
    grains !== undefined && typeof grains.rows[0]?.start !== 'number';
  if (lacks(answers.phase)) return [`The first run has no grain of ${phase.definition}.`];
  if (lacks(answers.otherPhase))
    return [`The second run has no grain of ${phase.definition}: both runs begin at 0.`];
  return shiftOf(phase) > 0
    ? ['What the second run did before the begin of the first lies to the left of the axis.']
    : [];
}
