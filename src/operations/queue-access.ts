import { usageError } from '../base/errors.js';
import {
  formatRedisServer,
  isRedisReply,
  type OpenQueue,
  openQueue,
  toRedisError,
} from '../fleet/open-queue.js';
import type { CommandHost } from './command-host.js';

const QUEUE_URL_VARIABLE = 'TICKHAUL_QUEUE_URL';
/** BullMQ builds Redis keys from the name, separated by colons. */
const NAME_PATTERN = /^[\w.-]{1,100}$/;

/** Reads the Redis URL and the name of the queue. @throws usage error. */
export function readQueueAccess(
  name: string,
  { env }: Pick<CommandHost, 'env'>,
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
