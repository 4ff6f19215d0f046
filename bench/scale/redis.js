import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

/**
 * Starts a Redis on loopback that writes nothing to disk.
 * @returns the environment that makes tickhaul use it; bytes that it holds; how to end it.
 * @throws where redis-server isn't installed.
 */
export async function startRedis(scratch) {
  const port = await freePort();
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--dir', scratch, '--save', ''];
  const child = spawn('redis-server', flags, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const stop = async () => {
    child.kill();
    await exited;
  };
  const url = `redis://127.0.0.1:${port}`;
  for await (const line of createInterface(child.stdout)) {
    if (line.includes('Ready to accept connections')) return { env: { TICKHAUL_QUEUE_URL: url }, url, stop };
  }
  throw new Error('redis-server did not start');
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
