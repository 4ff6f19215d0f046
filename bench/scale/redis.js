import { fromTests } from '../lib/engine.js';
import { start } from '../lib/service.js';

/**
 * Starts a Redis on loopback without persistence.
 * @returns the environment that makes tickhaul use it, its address, and a function that stops it.
 * @throws if redis-server is not installed.
 */
export async function startRedis(scratch) {
  const { freePort } = await fromTests('helpers/free-port.js');
  const port = await freePort();
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--dir', scratch, '--save', ''];
  const { lines, stop } = start('redis-server', flags);
  const url = `redis://127.0.0.1:${port}`;
  for await (const line of lines) {
    if (line.includes('Ready to accept connections')) return { env: { TICKHAUL_QUEUE_URL: url }, url, stop };
  }
  throw new Error('redis-server did not start');
}
