/** The stretches of the selected grain, read when their list is opened. */

import type { Fragments } from '@grainsheaf/views';
import { formatCount, formatValue } from '@grainsheaf/views/logic/format.ts';
import { routeOf } from '@grainsheaf/views/registry/one-run.ts';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { addressOf } from './data.ts';
import { Resource } from './resource.ts';
import { Body } from './states.tsx';

/** Fragments that are listed at most. */
const LISTED = 200;

export function GrainFragments({ run, grain }: { run: string; grain: number }) {
  const [isOpen, setOpen] = useState(false);
  const fragments = useMemo(() => new Resource<Fragments>(), []);
  useEffect(() => {
    if (!isOpen) return;
    const query = { grain, limit: LISTED };
    fragments.load(addressOf(routeOf(run, 'fragments'), query), 'Reading the fragments');
  }, [isOpen, run, grain]);
  return (
    <details class="fragments" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary class="quiet">fragments</summary>
      {isOpen && (
        <Body resource={fragments} skeleton="rows">
          {(answer) => <FragmentTable answer={answer} />}
        </Body>
      )}
    </details>
  );
}

function FragmentTable({ answer }: { answer: Fragments }) {
  const { rows, total, unit } = answer;
  const hasRanks = rows.some(({ rank }) => rank > 0);
  return (
    <>
      <table>
        <thead>
          <tr>
            <th scope="col">worker</th>
            <th scope="col">begin</th>
            <th scope="col">length</th>
            <th scope="col">ended by</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              <td>{hasRanks ? `rank ${row.rank}, ${row.thread}` : row.thread}</td>
              <td>{formatValue(row.start, unit)}</td>
              <td>{formatValue(row.duration, unit)}</td>
              <td>{row.ended_by.replaceAll('_', ' ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {total > rows.length && (
        <p class="quiet">
          the first {formatCount(rows.length)} of {formatCount(total)} fragments
        </p>
      )}
    </>
  );
}
