/**
 * A server under clients that never read, beside some that do: `npm run soak:stalled -- --clients 1000 --minutes 2`.
 * Memory is reported as it goes, and after they left. Linux only: it reads /proc.
 */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { portsOf } from '../cli/serve/ports.js';
import { cleanUp, killAndWait } from '../helpers/clean-up.js';
import { envOf, start } from '../helpers/cli.js';
import { BUSY, sandboxAndFolder } from '../helpers/sandbox.js';
import { ask, withOptions } from '../server/serving.js';
import { hear } from '../server/socket/connecting.js';
import { upgrade } from './clients.js';
import { createRequests } from './soak-requests.js';
import { median, readMemory } from './watch.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    clients: { type: 'string', default: '1000' },
    readers: { type: 'string', default: '10' },
    /** Minutes of the period that a client asks for which never reads. */
    period: { type: 'string', default: '1440' },
  },
});
const seconds = Number(values.minutes) * 60;
const clients = Number(values.clients);
const readers = Number(values.readers);

/** Milliseconds after the clients left until memory is looked at for the last time. */
const LEFT_MS = 10_000;
/** Aim for the memory that is left then, over the idle figure. */
const LEFT_AIM = 1.5;
/** Bytes that a client takes at most: what waits for it, what its types compute, and garbage of both. */
const MAX_CLIENT_BYTES = 2e6;
/** Megabytes that threads and readers take besides. */
const BASE_MB = 200;
const REPORT_MS = 10_000;
const MB = 1e6;

const began = performance.now();
const elapsed = (): string => `${((performance.now() - began) / 1000).toFixed(0)} s`;
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const midnight = Date.parse('2024-03-01');
const STALLED = withOptions('/ws-replay-normalized', {
  exchange: 'bitmex',
  dataTypes: ['trade', 'book_change', 'book_snapshot_10_100ms'],
  from: '2024-03-01',
  to: new Date(midnight + Number(values.period) * 60_000).toISOString(),
});

test(`${clients} clients that never read beside ${readers} that do, for ${values.minutes} minutes`, async (t) => {
  const { service, dir } = await sandboxAndFolder(t, BUSY);
  const limit = String(2 * (clients + readers));
  const args = ['serve', '--port', '0', '--max-clients', limit, '--cache-dir', join(dir, 'slices')];
  const server = start(args, { env: envOf(service, dir) });
  cleanUp(t, () => killAndWait(server.child));
  const { http, ws } = await portsOf(server);
  const pid = server.child.pid ?? 0;
  const parts = async (): Promise<string> => {
    const { memoryInfo } = JSON.parse((await ask(http, '/health-check')).text);
    return Object.entries(memoryInfo)
      .map(([name, size]) => `${name} ${Number(size).toFixed(0)}`)
      .join(', ');
  };
  const memory = async (): Promise<number> => (await readMemory(pid)) / MB;
  const read = async (): Promise<void> => {
    for (const { path, socket } of createRequests(0)) {
      const { status } = await ask(http, path);
      assert.equal(status, 200);
      const { code } = await hear({ wsPort: ws }, socket.path, socket.sent);
      assert.equal(code, 1000);
    }
  };
  await pause(3000);
  const idle = await memory();
  say(`idle: ${idle.toFixed(0)} MB`);
  await read();
  // From now on no slice has to be made up.
  assert.equal((await ask(http, STALLED.replace('/ws-', '/'))).status, 200);
  say(`after ${elapsed()}: ${(await memory()).toFixed(0)} MB once one client had read all`);

  const connecting = performance.now();
  const stalled = await Promise.all(Array.from({ length: clients }, () => neverReads(ws)));
  say(`${clients} clients connected within ${((performance.now() - connecting) / 1000).toFixed(1)} s`);
  const until = performance.now() + 1000 * seconds;
  let answers = 0;
  const health: number[] = [];
  const reading = Array.from({ length: readers }, async () => {
    while (performance.now() < until) {
      await read();
      answers++;
    }
  });
  let peak = 0;
  for (let next = 0; performance.now() < until; ) {
    const asked = performance.now();
    assert.equal((await ask(http, '/health-check')).status, 200);
    health.push(performance.now() - asked);
    const now = await memory();
    peak = Math.max(peak, now);
    if (performance.now() > next) {
      say(`after ${elapsed()}: ${now.toFixed(0)} MB, ${answers} rounds of answers read (${await parts()})`);
      next = performance.now() + REPORT_MS;
    }
    await pause(500);
  }
  await Promise.all(reading);
  say(`health checks took ${median(health).toFixed(0)} ms, and ${Math.max(...health).toFixed(0)} at most`);
  say(`peak: ${peak.toFixed(0)} MB, ${(((peak - idle) * 1000) / clients).toFixed(0)} KB for each client`);

  for (const socket of stalled) socket.destroy();
  const left = performance.now();
  while (performance.now() - left < LEFT_MS) {
    await pause(2000);
    const ago = ((performance.now() - left) / 1000).toFixed(0);
    say(`${ago} s after they left: ${(await memory()).toFixed(0)} MB (${await parts()})`);
  }
  const after = await memory();
  server.child.kill('SIGTERM');
  assert.equal((await server.finished).exitCode, 0);
  const share = after / idle;
  say(
    `${share.toFixed(1)} times the idle figure is left: the aim, ${LEFT_AIM}, is ${share <= LEFT_AIM ? 'met' : 'missed'}`,
  );
  assert.ok(peak - idle <= (clients * MAX_CLIENT_BYTES) / MB + BASE_MB, `a peak of ${peak.toFixed(0)} MB`);
});

/** A client that asks for more than a connection holds, and reads nothing behind the handshake. */
async function neverReads(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(upgrade(STALLED));
  await once(socket, 'readable');
  return socket;
}
