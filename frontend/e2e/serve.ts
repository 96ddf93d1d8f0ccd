/**
 * Serves the built page until it is interrupted: with the mock, or with the service at `GRAINSHEAF_API`.
 */

import { createServer, request as ask, type Server } from 'node:http';
import { join } from 'node:path';
import { POLICY, sendFile, startMock } from './fixture/server.ts';

const DIST = join(import.meta.dirname, '../dist');

/** Files of the page from here, everything else from the service. */
function startInFrontOf(service: URL, port: number): Server {
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    if (!path.startsWith('/api/')) {
      response.setHeader('Content-Security-Policy', POLICY);
      void sendFile(new URL(path, 'http://localhost').pathname, DIST, response);
      return;
    }
    const headers = { ...request.headers, host: service.host };
    const onward = ask(new URL(path, service), { method: request.method, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  return server.listen(port, '127.0.0.1');
}

export async function main(): Promise<number> {
  const port = Number(process.env['PORT'] ?? 8765);
  const api = process.env['GRAINSHEAF_API'];
  const server = api ? startInFrontOf(new URL(api), port) : (await startMock(DIST, port)).server;
  console.log(`http://127.0.0.1:${port}`);
  await new Promise((done) => process.once('SIGINT', done));
  server.close();
  return 0;
}
