import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * How long a command takes until its first request: it is ended then. The clock is this process's.
 * @param env of the command; the address goes in as the service's.
 * @returns seconds. @throws where it ends without having asked for anything.
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
