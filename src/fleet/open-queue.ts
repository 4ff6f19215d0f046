import { randomUUID } from 'node:crypto';
import type { Queue, Worker } from 'bullmq';
import type { Redis, RedisOptions } from 'ioredis';
import { TickhaulError, usageError } from '../base/errors.js';
import { loadOptionalPackage } from '../base/packages.js';
import { rejectOnAbort, withTimeout } from '../base/wait.js';
import type { SliceJob } from './slice-job.js';

interface QueueAccess {
  /** `redis://…` or `rediss://…`; it may hold a password, and is never printed. */
  readonly url: string;
  /** Name of the queue. */
  readonly name: string;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

/** A queue of slices in Redis, with its connections. */
export interface OpenQueue {
  readonly queue: Queue<SliceJob>;
  readonly redis: Redis;
  /** Opens another connection to the same Redis, for blocking commands. */
  connect(): Redis;
  readonly bullmq: BullMq;
  /** Host and port, for messages. */
  readonly server: string;
  close(): Promise<void>;
}

export type SliceWorker = Worker<SliceJob>;
type BullMq = typeof import('bullmq');
type IoRedis = typeof import('ioredis');

/** Tested versions, as in package.json. */
const PACKAGES = 'bullmq@6.7.0 ioredis@5.9.3';
/** Major version of Redis that BullMQ requires. */
const MIN_REDIS_VERSION = 5;
const CONNECT_TIMEOUT_MS = 10_000;
const MAX_RECONNECT_MS = 5000;
const CLOSE_TIMEOUT_MS = 1000;

/**
 * Connects to Redis and checks that it is suitable.
 * @throws usage error for an invalid address, an outdated Redis, or missing packages; TickhaulError `unreachable`,
 * `no_access`; the reason of an abort.
 */
export async function openQueue({ url, name, warn, signal }: QueueAccess): Promise<OpenQueue> {
  const server = formatRedisServer(url);
  const { bullmq, ioredis } = loadOptionalPackage('a queue', PACKAGES, loadPackages);
  let connected = false;
  let isClosing = false;
  let lastError: Error | undefined;
  const connections: Redis[] = [];
  const connect = (override?: Partial<RedisOptions>): Redis => {
    const redis = new ioredis.Redis(url, {
      lazyConnect: true,
      // A worker outlives interruptions of Redis: its requests wait for the next connection.
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
      if (connected && !isRedisReply(error) && lastError === undefined)
        warn(`Redis at ${server}: ${error.message}; trying again`);
      lastError = error;
    });
    redis.on('ready', () => {
      lastError = undefined;
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
    throw error instanceof TickhaulError ? error : toRedisError(server, lastError ?? error);
  }
  const queue = new bullmq.Queue<SliceJob>(name, { connection: redis, skipVersionCheck: true });
  // The connections report their own errors.
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
      // Neither queue nor worker closes connections that were passed to them.
      for (const connection of connections) {
        connection.disconnect();
        // ioredis cancels a pending reconnect without this event, which BullMQ's worker waits for.
        if (connection.status === 'reconnecting') connection.emit('end');
      }
    },
  };
}

/** Redis key of the mark, within the keys of a queue. */
const MARK = 'mark';

/** Gives the queue a mark on first use. A queue whose mark is gone, or is another one, was lost in between. */
export async function markQueue({ queue, redis }: OpenQueue): Promise<void> {
  await redis.setnx(queue.toKey(MARK), randomUUID());
}

/** The mark of the queue; undefined before the first `enqueue`, and if Redis lost the queue. */
export async function readQueueMark({ queue, redis }: OpenQueue): Promise<string | undefined> {
  return (await redis.get(queue.toKey(MARK))) ?? undefined;
}

/** Host and port, for messages. @throws usage error for an invalid Redis address or database number. */
function formatRedisServer(url: string): string {
  if (URL.canParse(url)) {
    const { protocol, hostname, port, pathname, searchParams } = new URL(url);
    const isAddress = /^rediss?:$/.test(protocol) && hostname !== '';
    const isDatabase =
      /^(\/\d*)?\/?$/.test(pathname) && searchParams.getAll('db').every((db) => /^\d+$/.test(db));
    if (isAddress && isDatabase) return `${hostname}:${port || '6379'}`;
  }
  throw usageError(
    'TICKHAUL_QUEUE_URL is not the URL of a Redis server; use the form redis://host:6379, or redis://host:6379/1 for database 1',
  );
}

function loadPackages(byName: (name: string) => unknown): { bullmq: BullMq; ioredis: IoRedis } {
  const bullmq = byName('bullmq') as BullMq;
  return { bullmq: { ...bullmq, ...createLenientClasses(bullmq) }, ioredis: byName('ioredis') as IoRedis };
}

/** Access control errors of a command or key, directly or within a script (Redis 6 and 7). */
const NOT_PERMITTED = /^NOPERM|ACL failure in script|user executing the script can't/;

/** Converts a refusal by Redis or a connection error, at any time of the run. */
export function toRedisError(server: string, error: unknown): TickhaulError {
  const text = error instanceof Error ? error.message : String(error);
  // The position in the script is of no use to the user.
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

/** An error reply of Redis. */
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
      `Redis at ${server} deletes keys when its memory is full (maxmemory-policy ${policy}), slices among them; set maxmemory-policy noeviction`,
    );
  }
}

/** Empty if the user has no permission: the queue works without INFO. */
async function readInfo(redis: Redis): Promise<string> {
  try {
    return await redis.info();
  } catch (error) {
    if (isRedisReply(error) && NOT_PERMITTED.test(error.message)) return '';
    throw error;
  }
}

/** ioredis ignores a missing database and continues in database 0, which may belong to someone else. */
async function assertDatabase(redis: Redis, server: string): Promise<void> {
  const { db = 0 } = redis.options;
  // Database 0 always exists, and the user may have no permission for SELECT.
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

/** Classes that treat a job with invalid JSON as a job without data. BullMQ's own classes fetch it repeatedly. */
function createLenientClasses({ Job, Queue, Worker }: BullMq): Pick<BullMq, 'Queue' | 'Worker'> {
  class LenientJob extends Job {
    static override fromJSON: typeof Job.fromJSON = (queue, json, id) =>
      super.fromJSON(queue, isJson(json.data) ? json : { ...json, data: 'null' }, id);
  }
  class LenientQueue extends Queue {
    protected override get Job(): typeof Job {
      return LenientJob as typeof Job;
    }
  }
  class LenientWorker extends Worker {
    protected override get Job(): typeof Job {
      return LenientJob as typeof Job;
    }
  }
  return { Queue: LenientQueue as typeof Queue, Worker: LenientWorker as typeof Worker };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const QUEUE_URL_VARIABLE = 'TICKHAUL_QUEUE_URL';
/** BullMQ builds Redis keys from the name, separated by colons. */
const NAME_PATTERN = /^[\w.-]{1,100}$/;

/** Reads the Redis URL and the name of the queue. @throws usage error. */
export function readQueueAccess(
  name: string,
  { env }: { readonly env: Readonly<Record<string, string | undefined>> },
): { readonly url: string; readonly name: string } {
  const url = env[QUEUE_URL_VARIABLE];
  if (!url)
    throw usageError(
      `${QUEUE_URL_VARIABLE} is not set; set it to the Redis of the queue, such as redis://host:6379`,
    );
  formatRedisServer(url);
  if (!NAME_PATTERN.test(name))
    throw usageError(`--queue: "${name}" is not a queue name; use letters, digits, ".", "_" and "-"`);
  return { url, name };
}

/**
 * Runs `work` with an open queue, and always closes it.
 * @throws like `openQueue`; errors of Redis commands.
 */
export async function withQueue<T>(
  access: { readonly url: string; readonly name: string },
  { warn, signal }: { readonly warn: (message: string) => void; readonly signal: AbortSignal },
  work: (open: OpenQueue) => Promise<T>,
): Promise<T> {
  const open = await openQueue({ ...access, warn, signal });
  try {
    return await work(open);
  } catch (error) {
    throw isRedisReply(error) ? toRedisError(open.server, error) : error;
  } finally {
    await open.close();
  }
}
