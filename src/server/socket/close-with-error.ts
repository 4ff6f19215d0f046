import { toRunFailure } from '../../events/run-failure.js';
import { logBug } from '../http/http-call.js';
import type { ServerContext } from '../server-context.js';
import { CLOSE_CODE, type SocketClient } from './socket-client.js';

/** Closes connections with the code and message of an error. */
export function closeWithError(
  context: ServerContext,
  path: string,
  clients: readonly SocketClient[],
  error: unknown,
): void {
  const open = clients.filter(({ isOpen }) => isOpen);
  if (open.length === 0) return;
  const { code, message } = toRunFailure(error).error;
  logBug(context, error);
  context.options.log.debug?.(`${path}: closed: ${message}`);
  for (const client of open)
    client.close(code === 'terminated' ? CLOSE_CODE.goingAway : CLOSE_CODE.failed, message);
}
