import type { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { TickhaulError, usageError } from '../base/errors.js';
import { loadOptional } from '../base/optional-package.js';
import { orAborted, within } from '../base/wait.js';
import type { SliceJob } from './slice-job.js';

export interface QueueAccess {
  /** `redis://…` or `rediss://…`; it may hold a password, and is never printed. */
  readonly url: string;
  /** Of the queue. */
  readonly name: string;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

/** A queue of slices in Redis, with the connections that were opened for it. */
export interface OpenQueue {
  readonly queue: Queue<SliceJob>;
  readonly redis: Redis;
  /** The same address again, for one who waits at the server. */
  connect(): Redis;
  readonly bullmq: BullMq;
  /** Host and port, for messages. */
  readonly server: string;
  close(): Promise<void>;
}

export type SliceWorker = Worker<SliceJob>;
type BullMq = typeof import('bullmq');
type IoRedis = typeof import('ioredis');

/** The releases that are known to do what is asked of them; package.json has the same. */
const PACKAGES = 'bullmq@6.7.0 ioredis@5.9.3';
/** What BullMQ needs. */
const LEAST_VERSION = 5;
const CONNECT_MS = 10_000;
const MOST_RECONNECT_MS = 5000;
const CLOSE_MS = 1000;

/**
 * Connects, and looks whether this Redis will do.
 * @throws usage error for an address that is none, a Redis that is too old, packages that aren't installed;
 * TickhaulError `unreachable`, `no_access`; the reason of an abort.
 */
export async function openQueue({ url, name, warn, signal }: QueueAccess): Promise<OpenQueue> {
  const server = serverOf(url);
  const { bullmq, ioredis } = loadOptional('a queue', PACKAGES, loadPackages);
  let connected = false;
  let isClosing = false;
  let trouble: Error | undefined;
  const connections: Redis[] = [];
  const connect = (): Redis => {
    const redis = new ioredis.Redis(url, {
      lazyConnect: true,
      // A worker outlives its Redis: what it asks waits for the next connection.
      maxRetriesPerRequest: null,
      connectTimeout: CONNECT_MS,
      retryStrategy: (times) => (connected && !isClosing ? Math.min(times * 200, MOST_RECONNECT_MS) : null),
    });
    connections.push(redis);
    redis.on('error', (error) => {
      if (connected && trouble === undefined) warn(`Redis at ${server}: ${error.message}; trying again`);
      trouble = error;
    });
    redis.on('ready', () => {
      trouble = undefined;
    });
    return redis;
  };
  const redis = connect();
  try {
    const ready = redis.connect().then(() => assertFit(redis, server, warn).then(() => true));
    if (!(await orAborted(within(ready, CONNECT_MS), signal)))
      throw new Error(`no answer within ${CONNECT_MS / 1000} s`);
    connected = true;
  } catch (error) {
    redis.disconnect();
    throw error instanceof TickhaulError ? error : redisError(server, trouble ?? error);
  }
  const queue = new bullmq.Queue<SliceJob>(name, { connection: redis, skipVersionCheck: true });
  // Connections tell of it.
  queue.on('error', () => {});
  return {
    queue,
    redis,
    connect,
    bullmq,
    server,
    async close() {
      isClosing = true;
      await within(queue.close(), CLOSE_MS);
      // They are ours, so neither queue nor worker ends them.
      for (const connection of connections) connection.disconnect();
    },
  };
}

/** Host and port, for messages. @throws usage error for what is no address of a Redis, or of none of its databases. */
export function serverOf(url: string): string {
  if (URL.canParse(url)) {
    const { protocol, hostname, port, pathname, searchParams } = new URL(url);
    const isAddress = /^rediss?:$/.test(protocol) && hostname !== '';
    const isDatabase =
      /^(\/\d*)?\/?$/.test(pathname) && searchParams.getAll('db').every((db) => /^\d+$/.test(db));
    if (isAddress && isDatabase) return `${hostname}:${port || '6379'}`;
  }
  throw usageError(
    'TICKHAUL_QUEUE_URL is not an address of a Redis; write it as redis://host:6379, with /1 behind it for database 1',
  );
}

function loadPackages(byName: (name: string) => unknown): { bullmq: BullMq; ioredis: IoRedis } {
  return { bullmq: byName('bullmq') as BullMq, ioredis: byName('ioredis') as IoRedis };
}

/** What Redis refuses, also later than at the start, or why it can't be reached. */
export function redisError(server: string, error: unknown): TickhaulError {
  const message = error instanceof Error ? error.message : String(error);
  if (/^(NOAUTH|WRONGPASS|NOPERM|ERR AUTH|ERR invalid password)/.test(message)) {
    return new TickhaulError(
      'no_access',
      `Redis at ${server} refused the sign-in (${message}): TICKHAUL_QUEUE_URL takes redis://user:password@host:port`,
    );
  }
  if (isReply(error)) return new TickhaulError('server_error', `Redis at ${server} refused: ${message}`);
  return new TickhaulError(
    'unreachable',
    `Redis at ${server} cannot be reached (${message}): is it running, and is TICKHAUL_QUEUE_URL right?`,
  );
}

/** Whether Redis itself said no, in the place of an answer. */
export function isReply(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}

async function assertFit(redis: Redis, server: string, warn: (message: string) => void): Promise<void> {
  await assertDatabase(redis, server);
  const info = await redis.info();
  const version = /^redis_version:(\d+)\.(\S+)/m.exec(info);
  if (version && Number(version[1]) < LEAST_VERSION) {
    throw usageError(
      `Redis at ${server} is ${version[1]}.${version[2]}; the queue needs ${LEAST_VERSION}.0 or later`,
    );
  }
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1];
  if (policy !== undefined && policy !== 'noeviction') {
    warn(
      `Redis at ${server} throws keys away when it is full (maxmemory-policy ${policy}), slices among them: set maxmemory-policy noeviction`,
    );
  }
}

/** Where Redis has no such database, ioredis goes on in the first one, which is another's. */
async function assertDatabase(redis: Redis, server: string): Promise<void> {
  const { db = 0 } = redis.options;
  // There always is one, and a user may not be allowed to say SELECT.
  if (db === 0) return;
  try {
    await redis.select(db);
  } catch (error) {
    if (!isReply(error) || !error.message.startsWith('ERR ')) throw error;
    throw usageError(
      `Redis at ${server} has no database ${db}: name another behind TICKHAUL_QUEUE_URL's host, as redis://host:6379/1`,
    );
  }
}
