/** Texts of the call tree: tooltips, which readers of the screen get too. */

import { differenceRows } from '../sankey/content.ts';
import { formatCount, formatPlural, formatShare, formatValue } from '../logic/format.ts';
import type { Merged } from '../logic/tree.ts';
import { meanOf, summarise } from '../logic/values.ts';
import type { TooltipContent } from '../ui/tooltip.ts';
import {
  type IcicleData,
  type IcicleSelection,
  type RunIndex,
  type SiteDifference,
  valuesOfSite,
} from './model.ts';

/** Text of a cell. */
export function siteContent(
  index: number,
  data: IcicleData,
  selection: IcicleSelection,
  runs: RunIndex,
  difference: SiteDifference | undefined,
  merged: Merged | undefined,
): TooltipContent | undefined {
  const { hierarchy, comparison } = data;
  const site = hierarchy.sites[index];
  if (!site) return undefined;
  const { unit } = hierarchy;
  const whole = hierarchy.sites[0]?.max_inclusive ?? 0;
  const values = valuesOfSite(site, data);
  const absent = hierarchy.runs.length - site.present;
  const share = formatShare(whole > 0 ? site.max_inclusive / whole : null);
  const rows: [string, string][] = [
    ['inclusive, max.', `${formatValue(site.max_inclusive, unit)} · ${share}`],
    ['exclusive, max.', formatValue(site.max_exclusive, unit)],
    [`median ${data.scope}`, formatValue(summarise(values).median, unit)],
    [
      'runs',
      absent > 0
        ? `${formatCount(site.present)} · absent in ${formatCount(absent)}`
        : formatCount(site.present),
    ],
  ];
  if (difference && comparison)
    rows.push(...differenceRows(difference, comparison, '', difference.text));
  const { target } = selection;
  if (target && !comparison) {
    const value = meanOf(values, runs.of(hierarchy, target.runs));
    rows.push([
      target.name,
      value === null ? 'not executed in this run' : formatValue(value, unit),
    ]);
  }
  const notes = [
    site.source ?? '',
    merged
      ? `${formatPlural(merged.count, 'callee')} too narrow to draw; zoom in to see them.`
      : '',
  ];
  return { title: site.name, rows, notes: notes.filter(Boolean) };
}

/** Text of merged cells. */
export function mergedContent(name: string, merged: Merged): TooltipContent {
  return {
    title: `+ ${formatPlural(merged.count, 'callee')} of ${name}`,
    rows: [],
    notes: ['Too narrow to draw. Click, or press Enter, to zoom to their caller.'],
  };
}
