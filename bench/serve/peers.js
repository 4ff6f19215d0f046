import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CLIENTS } from './asked.js';
import { cpuOf, forgetPeak, peakOf } from './process.js';

const CLIENT = fileURLToPath(new URL('client.js', import.meta.url));

/** Seconds for which `/ws-replay` waits for subscriptions before it starts. */
export const SUBSCRIBING = 2;

/**
 * Clients of servers, for `compare`: one client, and many at once, over HTTP and over WebSocket.
 * @param servers servers by name; their builds are compared.
 * @param asked returns the requests of a number of clients.
 * @param rows source messages that are replayed, for any number of clients.
 * @param counts numbers of clients at once.
 */
export function clientsOf(servers, asked, rows, counts = [1, CLIENTS]) {
  return Object.entries(servers).flatMap(([build, server]) =>
    counts.flatMap((clients) =>
      Object.entries(asked(clients)).map(([way, requests]) => ({
        name: `${build}${NAMES[way]}, ${clients === 1 ? 'one client' : `${clients} clients`}`,
        ...{ rows, way, clients, server },
        command: async (folder) => {
          server.before = await cpuOf(server.pid);
          await forgetPeak(server.pid);
          return [countingClients(server, way, requests, folder)];
        },
      })),
    ),
  );
}

const NAMES = { http: 'HTTP', ws: 'WebSocket' };

/**
 * The measurement of clients: the server's CPU and memory, and the clients' time.
 * @returns a check for `compare`. It fails if clients of other protocols or builds received other messages.
 */
export function servedToAll() {
  const expected = new Map();
  return async ({ name, server, clients, way }, folder) => {
    if (!server) return {};
    const { wall, messages, bytes } = await resultOf(folder);
    const most = expected.get(clients) ?? messages;
    // A twentieth of a small file may have no complete bar.
    const isRight = messages === most && (messages > 0 || clients > 1);
    if (!isRight) throw new Error(`${name}: ${messages} messages, not ${most}`);
    expected.set(clients, messages);
    return {
      wall: wall - (server.isRaw && way === 'ws' ? SUBSCRIBING : 0),
      cpu: (await cpuOf(server.pid)) - server.before,
      memory: await peakOf(server.pid),
      output: bytes,
    };
  };
}

/** A command whose clients request from a server. */
export function countingClients({ port }, way, requests, folder, isFirstOnly = false) {
  const isSocket = way === 'ws';
  const asked = { port: isSocket ? port + 1 : port, isSocket, requests, isFirstOnly };
  return [process.execPath, CLIENT, JSON.stringify(asked), join(folder, 'clients.json')];
}

export async function resultOf(folder) {
  return JSON.parse(await readFile(join(folder, 'clients.json'), 'utf8'));
}
