/** A worker that a test may kill: its slices are another's after a second. Arguments: address of Redis, then of the hosts. */
import { hostname } from 'node:os';
import { openQueue } from '../../src/fleet/redis.js';
import { runWorker } from '../../src/fleet/worker.js';
import { createClient } from '../../src/service/http/client.js';
import { openFolder } from '../../src/store/folder/folder-destination.js';

const [url = '', apiUrl = '', datasetsUrl = '', apiKey = ''] = process.argv.slice(2);
const { signal } = new AbortController();
const open = await openQueue({
  signal,
  url,
  name: 'tickhaul',
  warn: (message) => process.stderr.write(`${message}\n`),
});
const client = createClient({ apiUrl, datasetsUrl, apiKey, stallTimeoutMs: 5000, env: {} });
const { pid } = process;
const isAlive = (): boolean => true;
const summary = await runWorker({
  open,
  client,
  openDestination: async (name) => openFolder(name),
  owner: () => ({ pid, host: hostname(), now: Date.now(), command: 'worker', isAlive }),
  concurrency: 2,
  once: true,
  threads: 1,
  emit: (event) => process.stdout.write(`${JSON.stringify(event)}\n`),
  signal,
  times: { lockMs: 1000, stalledMs: 500 },
});
process.stdout.write(`${JSON.stringify({ event: 'summary', ...summary })}\n`);
await client.close();
await open.close();
process.exitCode = summary.exitCode;
