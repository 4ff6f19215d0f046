import { usageError } from '../../base/errors.js';
import { isReply, type OpenQueue, openQueue, redisError, serverOf } from '../../fleet/redis.js';
import type { Args } from '../arguments/args.js';
import { readText } from '../arguments/read.js';
import type { Host } from '../host.js';

export const QUEUE_URL = 'TICKHAUL_QUEUE_URL';
/** BullMQ makes keys of it, with colons between. */
const NAME = /^[\w.-]{1,100}$/;

/** Which queue is meant. @throws usage error. */
export function readQueueAccess(args: Args, { env }: Host): { readonly url: string; readonly name: string } {
  const url = env[QUEUE_URL];
  if (!url) throw usageError(`${QUEUE_URL} is not set: a queue lives in a Redis, as redis://host:6379`);
  serverOf(url);
  const name = readText(args, 'queue') ?? 'tickhaul';
  if (!NAME.test(name))
    throw usageError(`--queue: "${name}" is no name; take letters, digits, ".", "_" and "-"`);
  return { url, name };
}

/** Does some work with a queue that is closed whatever happens. @throws as `openQueue`; what Redis refuses later. */
export async function withQueue<T>(
  access: { readonly url: string; readonly name: string },
  { warn, signal }: { readonly warn: (message: string) => void; readonly signal: AbortSignal },
  work: (open: OpenQueue) => Promise<T>,
): Promise<T> {
  const open = await openQueue({ ...access, warn, signal });
  try {
    return await work(open);
  } catch (error) {
    throw isReply(error) ? redisError(open.server, error) : error;
  } finally {
    await open.close();
  }
}
