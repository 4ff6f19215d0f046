import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../free-port.js';
import { cephConfig } from './ceph-config.js';

/** Environment variable in which the test runner passes the shared gateway, as JSON. */
export const SHARED_GATEWAY = 'TICKHAUL_TEST_GATEWAY';

/** Ceph’s RADOS gateway, an S3-compatible store, with its data in memory. */
export interface Gateway {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Configuration of its cluster, for `radosgw-admin`. */
  readonly conf: string;
}

/** A gateway that this process has started. */
export interface OwnGateway extends Gateway {
  stop(): Promise<void>;
}

/** Runs `radosgw-admin`. */
export async function admin({ conf }: Gateway, ...args: readonly string[]): Promise<string> {
  return (await promisify(execFile)('radosgw-admin', ['-c', conf, ...args], { timeout: 60_000 })).stdout;
}

/** Starts a gateway on loopback in a few seconds. Its daemons end with this process, even if it is killed. */
export async function startGateway(): Promise<OwnGateway> {
  for (let tries = 1; ; tries++) {
    const cluster = new Cluster(await mkdtemp(join(tmpdir(), 'tickhaul-ceph-')));
    try {
      return await cluster.start();
    } catch (error) {
      const errors = await cluster.stop();
      // Another process may have taken a port.
      if (tries === 3) throw new Error(`the gateway does not start:\n${errors}`, { cause: error });
    }
  }
}

/** One monitor, one OSD with objects in memory, and one gateway. */
class Cluster {
  readonly #dir: string;
  readonly #conf: string;
  readonly #daemons = new Set<ChildProcess>();
  #isStopping = false;

  constructor(dir: string) {
    this.#dir = dir;
    this.#conf = join(dir, 'ceph.conf');
  }

  async start(): Promise<OwnGateway> {
    for (const name of ['mon', 'osd']) await mkdir(join(this.#dir, name));
    const [monitorPort, port, fsid] = [await freePort(), await freePort(), randomUUID()];
    await writeFile(this.#conf, cephConfig({ dir: this.#dir, fsid, monitorPort, port }));
    await writeFile(join(this.#dir, 'keyring'), '');

    const map = join(this.#dir, 'monmap');
    const address = `[v1:127.0.0.1:${monitorPort}]`;
    await this.#run('monmaptool', '--create', '--addv', 'a', address, '--fsid', fsid, map);
    await this.#run('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map);
    this.#spawn('ceph-mon', '-i', 'a');
    const osd = randomUUID();
    await this.#run('ceph', 'osd', 'new', osd);
    await this.#run('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', osd);
    this.#spawn('ceph-osd', '-i', '0');

    const user = { accessKeyId: 'TICKHAULTESTKEY', secretAccessKey: 'made-up/secret+of+the+tests' };
    const { accessKeyId, secretAccessKey } = user;
    const keys = ['--access-key', accessKeyId, '--secret-key', secretAccessKey];
    await this.#run('radosgw-admin', 'user', 'create', '--uid', 'tests', '--display-name', 'tests', ...keys);
    this.#spawn('radosgw', '-n', 'client.admin');
    const endpoint = `http://127.0.0.1:${port}`;
    await answers(endpoint);
    return {
      endpoint,
      ...user,
      conf: this.#conf,
      stop: async () => {
        await this.stop();
      },
    };
  }

  /** @returns error output of its programs. */
  async stop(): Promise<string> {
    this.#isStopping = true;
    for (const daemon of this.#daemons) {
      if (!daemon.kill('SIGKILL')) continue;
      await once(daemon, 'exit');
    }
    const errors = await readFile(join(this.#dir, 'errors'), 'utf8').catch(() => '');
    await rm(this.#dir, { recursive: true, force: true });
    return errors;
  }

  async #run(program: string, ...args: readonly string[]): Promise<string> {
    const all = ['-c', this.#conf, ...args];
    const isOfMaps = program === 'monmaptool';
    const ended = await promisify(execFile)(program, isOfMaps ? args : all, { timeout: 60_000 });
    await this.#note(ended.stderr);
    return ended.stdout;
  }

  #spawn(program: string, ...args: readonly string[]): void {
    // The kernel ends it when this process ends.
    const words = ['--pdeathsig', 'KILL', program, '-f', '-c', this.#conf, ...args];
    const daemon = spawn('setpriv', words, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#daemons.add(daemon);
    daemon.stderr.setEncoding('utf8').on('data', (text: string) => void this.#note(text));
    daemon.once('exit', () => {
      this.#daemons.delete(daemon);
      // An OSD that starts before the monitor has its map assumes a different cluster, and ends ("wrong
      // fsid").
      if (!this.#isStopping) this.#spawn(program, ...args);
    });
  }

  #note(text: string): Promise<void> {
    return appendFile(join(this.#dir, 'errors'), text).catch(() => {});
  }
}

/** Polls, since the gateway does not report when it is ready. */
async function answers(endpoint: string): Promise<void> {
  const end = Date.now() + 30_000;
  while (
    !(await fetch(endpoint).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (Date.now() > end) throw new Error('the gateway does not answer');
    await sleep(50);
  }
}
