import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Above the ports of most services, and below the ephemeral ports of the system, which begin at 32768. */
const [FIRST, END] = [10_000, 32_768];

/** A free port on loopback. It stays free, since the system does not assign it by itself. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = randomInt(FIRST, END);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
  throw new Error('no port of loopback is free');
}
