/** Serves the built page with the mock until it is interrupted. */

import { join } from 'node:path';
import { startMock } from './fixture/server.ts';

export async function main(): Promise<number> {
  const { server, url } = await startMock(
    join(import.meta.dirname, '../dist'),
    Number(process.env['PORT'] ?? 8765),
  );
  console.log(url);
  await new Promise((done) => process.once('SIGINT', done));
  server.close();
  return 0;
}
