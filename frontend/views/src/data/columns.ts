/** A table of the service as columns: numbers as an array in which NaN is absent, texts and flags as lists. */
export interface Columns {
  readonly schema: 'columns/1';
  readonly rows: number;
  readonly columns: Readonly<Record<string, Float64Array | readonly (string | boolean | null)[]>>;
}
