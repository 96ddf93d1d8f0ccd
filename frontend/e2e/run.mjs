/** Runs a TypeScript file of this folder on Node. */
import { createServer, createServerModuleRunner } from 'vite';

const server = await createServer({
  root: import.meta.dirname,
  configFile: false,
  appType: 'custom',
  logLevel: 'error',
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
  ssr: { noExternal: [/@grainsheaf/] },
});
const runner = createServerModuleRunner(server.environments.ssr, { hmr: false });
try {
  const { main } = await runner.import(`/${process.argv[2]}`);
  process.exitCode = await main(process.argv.slice(3));
} finally {
  await runner.close();
  await server.close();
}
