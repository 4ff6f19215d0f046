import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type OpenQueue, openQueue } from '../../src/fleet/open-queue.js';
import { cleanUp } from './clean-up.js';
import { freePort } from './free-port.js';
import type { ContextWith } from './services.js';
import { tempDir } from './temp.js';

export interface TestRedis {
  readonly url: string;
  /** Kills it, as a crash would. */
  kill(): Promise<void>;
  /** Starts it again with its stored data. */
  restart(): Promise<void>;
}

/** A Redis server on loopback that persists every write; it ends with the test. */
export async function startRedis(t: ContextWith<'redis'>, flags: readonly string[] = []): Promise<TestRedis> {
  const dir = await tempDir(t);
  let child: ChildProcess | undefined;
  let port = 0;
  const kill = async (): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  const start = async (): Promise<boolean> => {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', ''];
    child = spawn('redis-server', [...args, '--appendonly', 'yes', '--appendfsync', 'always', ...flags]);
    let heard = '';
    for await (const text of child.stdout?.setEncoding('utf8').iterator({ destroyOnReturn: false }) ?? []) {
      heard += text;
      if (!/Ready to accept connections/.test(heard)) continue;
      child.stdout?.resume();
      return true;
    }
    return false;
  };
  cleanUp(t, kill);
  for (let tries = 0; tries < 5; tries++) {
    port = await freePort();
    // Another process may have taken the port.
    if (await start()) break;
    port = 0;
  }
  if (port === 0) throw new Error('redis-server does not start');
  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    async restart() {
      if (!(await start())) throw new Error('redis-server does not start again');
    },
  };
}

/** Opens the default queue of the commands, or another. Close it after use. */
export function queueOf({ url }: Pick<TestRedis, 'url'>, name = 'tickhaul'): Promise<OpenQueue> {
  return openQueue({ url, name, warn: assert.fail, signal: new AbortController().signal });
}
