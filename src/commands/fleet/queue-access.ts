import { usageError } from '../../base/errors.js';
import {
  formatRedisServer,
  isRedisReply,
  type OpenQueue,
  openQueue,
  toRedisError,
} from '../../fleet/open-queue.js';
import type { CommandArgs } from '../arguments/command-args.js';
import { readTextFlag } from '../arguments/read-arguments.js';
import type { CommandHost } from '../command-host.js';

export const QUEUE_URL_VARIABLE = 'TICKHAUL_QUEUE_URL';
/** BullMQ makes keys of it, with colons between. */
const NAME = /^[\w.-]{1,100}$/;

/** Which queue is meant. @throws usage error. */
export function readQueueAccess(
  args: CommandArgs,
  { env }: CommandHost,
): { readonly url: string; readonly name: string } {
  const url = env[QUEUE_URL_VARIABLE];
  if (!url)
    throw usageError(`${QUEUE_URL_VARIABLE} is not set: a queue lives in a Redis, as redis://host:6379`);
  formatRedisServer(url);
  const name = readTextFlag(args, 'queue') ?? 'tickhaul';
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
    throw isRedisReply(error) ? toRedisError(open.server, error) : error;
  } finally {
    await open.close();
  }
}
