import type { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { isSystemError, TickhaulError, usageError } from '../base/errors.js';
import type { SliceJob } from './slice-job.js';

export interface QueueAccess {
  /** `redis://…` or `rediss://…`; it may hold a password, and is never printed. */
  readonly url: string;
  /** Of the queue. */
  readonly name: string;
  readonly warn: (message: string) => void;
}

/** A queue of slices in Redis, with the connections that were opened for it. */
export interface OpenQueue {
  readonly queue: Queue<SliceJob>;
  /** The same address again, for one who waits at the server. */
  connect(): Redis;
  readonly bullmq: BullMq;
  /** Host and port, for messages. */
  readonly server: string;
  close(): Promise<void>;
}

export type SliceWorker = Worker<SliceJob>;
type BullMq = typeof import('bullmq');

/** The releases that are known to do what is asked of them; package.json has the same. */
const PACKAGES = 'bullmq@6.7.0 ioredis@5.9.3';
/** What BullMQ needs. */
const LEAST_VERSION = 5;
const CONNECT_MS = 10_000;
const MOST_RECONNECT_MS = 5000;

/**
 * Connects, and looks whether this Redis will do.
 * @throws usage error for an address that is none, a Redis that is too old, packages that aren't installed;
 * TickhaulError `unreachable`, `no_access`.
 */
export async function openQueue({ url, name, warn }: QueueAccess): Promise<OpenQueue> {
  const server = serverOf(url);
  const { bullmq, Redis } = await loadPackages();
  let connected = false;
  let trouble: Error | undefined;
  const connections: Redis[] = [];
  const connect = (): Redis => {
    const redis = new Redis(url, {
      lazyConnect: true,
      // A worker outlives its Redis: what it asks waits for the next connection.
      maxRetriesPerRequest: null,
      connectTimeout: CONNECT_MS,
      retryStrategy: (times) => (connected ? Math.min(times * 200, MOST_RECONNECT_MS) : null),
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
    await redis.connect();
    connected = true;
    await assertFit(redis, server, warn);
  } catch (error) {
    redis.disconnect();
    throw error instanceof TickhaulError ? error : connectError(server, trouble ?? error);
  }
  const queue = new bullmq.Queue<SliceJob>(name, { connection: redis, skipVersionCheck: true });
  // Connections tell of it.
  queue.on('error', () => {});
  return {
    queue,
    connect,
    bullmq,
    server,
    async close() {
      await queue.close();
      // They are ours, so neither queue nor worker ends them.
      for (const connection of connections) connection.disconnect();
    },
  };
}

function serverOf(url: string): string {
  const parsed = URL.parse(url);
  if (parsed && /^rediss?:$/.test(parsed.protocol) && parsed.hostname !== '')
    return `${parsed.hostname}:${parsed.port || '6379'}`;
  throw usageError('TICKHAUL_QUEUE_URL is not an address of a Redis; write it as redis://host:6379');
}

async function loadPackages(): Promise<{ bullmq: BullMq; Redis: typeof Redis }> {
  try {
    const [bullmq, ioredis] = await Promise.all([import('bullmq'), import('ioredis')]);
    return { bullmq, Redis: ioredis.Redis };
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw usageError(`a queue needs packages that are not installed: npm install ${PACKAGES}`);
  }
}

function connectError(server: string, error: unknown): TickhaulError {
  const message = error instanceof Error ? error.message : String(error);
  if (/^(NOAUTH|WRONGPASS|NOPERM|ERR AUTH)/.test(message)) {
    return new TickhaulError(
      'no_access',
      `Redis at ${server} refused the sign-in (${message}): TICKHAUL_QUEUE_URL takes redis://user:password@host:port`,
    );
  }
  return new TickhaulError(
    'unreachable',
    `Redis at ${server} cannot be reached (${message}): is it running, and is TICKHAUL_QUEUE_URL right?`,
  );
}

async function assertFit(redis: Redis, server: string, warn: (message: string) => void): Promise<void> {
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
