import type { Queue, Worker } from 'bullmq';
import type { Redis, RedisOptions } from 'ioredis';
import { TickhaulError, usageError } from '../base/errors.js';
import { loadOptionalPackage } from '../base/load-optional-package.js';
import { rejectOnAbort, withTimeout } from '../base/wait.js';
import { createLenientClasses } from './lenient-classes.js';
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
const MIN_REDIS_VERSION = 5;
const CONNECT_TIMEOUT_MS = 10_000;
const MAX_RECONNECT_MS = 5000;
const CLOSE_TIMEOUT_MS = 1000;

/**
 * Connects, and looks whether this Redis will do.
 * @throws usage error for an address that is none, a Redis that is too old, packages that aren't installed;
 * TickhaulError `unreachable`, `no_access`; the reason of an abort.
 */
export async function openQueue({ url, name, warn, signal }: QueueAccess): Promise<OpenQueue> {
  const server = formatRedisServer(url);
  const { bullmq, ioredis } = loadOptionalPackage('a queue', PACKAGES, loadPackages);
  let connected = false;
  let isClosing = false;
  let trouble: Error | undefined;
  const connections: Redis[] = [];
  const connect = (override?: Partial<RedisOptions>): Redis => {
    const redis = new ioredis.Redis(url, {
      lazyConnect: true,
      // A worker outlives its Redis: what it asks waits for the next connection.
      maxRetriesPerRequest: null,
      connectTimeout: CONNECT_TIMEOUT_MS,
      retryStrategy: (times) => (connected && !isClosing ? Math.min(times * 200, MAX_RECONNECT_MS) : null),
      ...override,
    });
    connections.push(redis);
    // BullMQ duplicates a worker's connection: without these listeners, the client prints errors of the copy itself.
    redis.duplicate = connect;
    redis.on('error', (error) => {
      // A refusal fails the pending requests too, and their callers report it.
      if (connected && !isRedisReply(error) && trouble === undefined)
        warn(`Redis at ${server}: ${error.message}; trying again`);
      trouble = error;
    });
    redis.on('ready', () => {
      trouble = undefined;
    });
    return redis;
  };
  const redis = connect();
  try {
    const ready = redis.connect().then(() => assertSupported(redis, server, warn).then(() => true));
    if (!(await rejectOnAbort(withTimeout(ready, CONNECT_TIMEOUT_MS), signal)))
      throw new Error(`no answer within ${CONNECT_TIMEOUT_MS / 1000} s`);
    connected = true;
  } catch (error) {
    redis.disconnect();
    throw error instanceof TickhaulError ? error : toRedisError(server, trouble ?? error);
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
      await withTimeout(queue.close(), CLOSE_TIMEOUT_MS);
      // They are ours, so neither queue nor worker ends them.
      for (const connection of connections) {
        connection.disconnect();
        // The client drops the wait for a reconnect without this event, which a worker of BullMQ waits for.
        if (connection.status === 'reconnecting') connection.emit('end');
      }
    },
  };
}

/** Host and port, for messages. @throws usage error for what is no address of a Redis, or of none of its databases. */
export function formatRedisServer(url: string): string {
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
  const bullmq = byName('bullmq') as BullMq;
  return { bullmq: { ...bullmq, ...createLenientClasses(bullmq) }, ioredis: byName('ioredis') as IoRedis };
}

/** Errors of access control: of a command or a key, and of those that a script uses (Redis 6 and 7). */
const NOT_PERMITTED = /^NOPERM|ACL failure in script|user executing the script can't/;

/** What Redis refuses, also later than at the start, or why it can't be reached. */
export function toRedisError(server: string, error: unknown): TickhaulError {
  const text = error instanceof Error ? error.message : String(error);
  // Where in which script it happened is of no use.
  const message = text.replace(/ script: .*$/s, '');
  if (NOT_PERMITTED.test(message)) {
    return new TickhaulError(
      'no_access',
      `Redis at ${server}: the user of TICKHAUL_QUEUE_URL has no permission (${message}); grant it the keys and commands of the queue`,
    );
  }
  if (/^(NOAUTH|WRONGPASS|ERR AUTH|ERR invalid password)/.test(message)) {
    return new TickhaulError(
      'no_access',
      `Redis at ${server} refused the sign-in (${message}): TICKHAUL_QUEUE_URL takes redis://user:password@host:port`,
    );
  }
  if (isRedisReply(error)) return new TickhaulError('server_error', `Redis at ${server} refused: ${message}`);
  return new TickhaulError(
    'unreachable',
    `Redis at ${server} cannot be reached (${message}): is it running, and is TICKHAUL_QUEUE_URL right?`,
  );
}

/** What Redis itself says in the place of an answer. */
interface ReplyError extends Error {
  readonly name: 'ReplyError';
}

export function isRedisReply(error: unknown): error is ReplyError {
  return error instanceof Error && error.name === 'ReplyError';
}

async function assertSupported(redis: Redis, server: string, warn: (message: string) => void): Promise<void> {
  await assertDatabase(redis, server);
  const info = await readInfo(redis);
  const version = /^redis_version:(\d+)\.(\S+)/m.exec(info);
  if (version && Number(version[1]) < MIN_REDIS_VERSION) {
    throw usageError(
      `Redis at ${server} is ${version[1]}.${version[2]}; the queue needs ${MIN_REDIS_VERSION}.0 or later`,
    );
  }
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1];
  if (policy !== undefined && policy !== 'noeviction') {
    warn(
      `Redis at ${server} throws keys away when it is full (maxmemory-policy ${policy}), slices among them: set maxmemory-policy noeviction`,
    );
  }
}

/** Empty where the user may not read it: a queue works without INFO. */
async function readInfo(redis: Redis): Promise<string> {
  try {
    return await redis.info();
  } catch (error) {
    if (isRedisReply(error) && NOT_PERMITTED.test(error.message)) return '';
    throw error;
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
    if (!isRedisReply(error) || !error.message.startsWith('ERR ')) throw error;
    throw usageError(
      `Redis at ${server} has no database ${db}: name another behind TICKHAUL_QUEUE_URL's host, as redis://host:6379/1`,
    );
  }
}
