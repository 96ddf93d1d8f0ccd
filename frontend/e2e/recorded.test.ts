/** Recorded answers have the form that the service states: pages are tested on what it sends today. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';

const FOLDER = join(import.meta.dirname, 'recorded');

interface Described {
  readonly properties?: Readonly<Record<string, Described>>;
  readonly allOf?: readonly Described[];
  readonly description?: string;
}

interface Api {
  readonly components: { readonly schemas: Readonly<Record<string, Described>> };
}

const api = JSON.parse(readFileSync(join(import.meta.dirname, '../openapi.json'), 'utf8')) as Api;

/** Name of the schema of each answer, such as `Diff` of `diff/1`. */
const schemas = new Map<string, string>();
for (const [name, described] of Object.entries(api.components.schemas)) {
  const parts = [described, ...(described.allOf ?? [])];
  const stated = parts.map((part) => part.properties?.['schema']?.description);
  const form = /^`([a-z-]+\/\d+)`/.exec(stated.find((text) => text !== undefined) ?? '')?.[1];
  if (form !== undefined) schemas.set(form, name);
}

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(api, 'api');

/** Answers in a recording: the recording itself, or its parts. */
function answersOf(recording: unknown): readonly object[] {
  if (typeof recording !== 'object' || recording === null) return [];
  // Tables in Arrow are kept as columns, in a form of `record.ts`.
  if ('schema' in recording) return recording.schema === 'columns/1' ? [] : [recording];
  return Object.values(recording).flatMap(answersOf);
}

/** First deviation of an answer from its schema. */
function faultOf(answer: object): string | undefined {
  const form = 'schema' in answer ? String(answer.schema) : '';
  const name = schemas.get(form);
  if (name === undefined) return `no answer has the schema ${form}`;
  const validate = ajv.getSchema(`api#/components/schemas/${name}`);
  if (validate === undefined) return `the schema ${name} cannot be read`;
  if (validate(answer) === true) return undefined;
  const [first] = validate.errors ?? [];
  return `${form} ${first?.instancePath}: ${first?.message}`;
}

test('recorded answers fit the schemas of the service', () => {
  const faults: string[] = [];
  let checked = 0;
  for (const file of readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.gz')) continue;
    const text = gunzipSync(readFileSync(join(FOLDER, file))).toString();
    const [, status = '200', body = ''] = /^(\d{3})?(.*)$/s.exec(text) ?? [];
    // Tables in Arrow are no JSON, and refusals have a form of their own.
    if (status !== '200' || !body.startsWith('{')) continue;
    for (const answer of answersOf(JSON.parse(body))) {
      checked += 1;
      const fault = faultOf(answer);
      if (fault !== undefined) faults.push(`${file}: ${fault}`);
    }
  }
  expect(faults).toEqual([]);
  expect(checked).toBeGreaterThan(150);
});
