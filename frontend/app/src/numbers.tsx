/** A list of labelled values in a side panel. */

export function Numbers({ rows }: { rows: readonly (readonly [string, string, string?])[] }) {
  return (
    <dl class="numbers">
      {rows.map(([label, value, why]) => (
        <div key={label} title={why}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
