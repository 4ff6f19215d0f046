import { usageError } from '../../base/errors.js';
import { type OpenQueue, openQueue } from '../../fleet/redis.js';
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
  const name = readText(args, 'queue') ?? 'tickhaul';
  if (!NAME.test(name))
    throw usageError(`--queue: "${name}" is no name; take letters, digits, ".", "_" and "-"`);
  return { url, name };
}

/** Does some work with a queue that is closed whatever happens. @throws as `openQueue`. */
export async function withQueue<T>(
  access: { readonly url: string; readonly name: string },
  warn: (message: string) => void,
  work: (open: OpenQueue) => Promise<T>,
): Promise<T> {
  const open = await openQueue({ ...access, warn });
  try {
    return await work(open);
  } finally {
    await open.close();
  }
}
