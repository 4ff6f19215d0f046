import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * Measures the time from a command's start to its first request, and then stops it. The clock is that of this process.
 * @param env environment of the command; the address is added as that of the service.
 * @returns seconds. @throws if it ends without a request.
 */
export async function untilFirstRequest(command, env) {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const began = performance.now();
  const child = spawn(command[0], command.slice(1), {
    env: { PATH: process.env.PATH, ...env, TICKHAUL_API_URL: origin, TICKHAUL_DATASETS_URL: origin },
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  try {
    const request = once(server, 'request').then(() => performance.now());
    const end = await Promise.race([request, exited.then(() => undefined)]);
    if (end === undefined) throw new Error(`${command.join(' ')} ended before its first request`);
    return { wall: (end - began) / 1000 };
  } finally {
    child.kill();
    await exited;
    server.closeAllConnections();
    server.close();
  }
}
