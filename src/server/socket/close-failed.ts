import { describeFailure } from '../../run/failure.js';
import { tellBug } from '../http/call.js';
import type { Serving } from '../serving.js';
import { CLOSE, type SocketClient } from './client.js';

/** Closes connections whose answer failed, with the reason. */
export function closeFailed(
  serving: Serving,
  path: string,
  clients: readonly SocketClient[],
  error: unknown,
): void {
  const open = clients.filter(({ isOpen }) => isOpen);
  if (open.length === 0) return;
  const { code, message } = describeFailure(error).error;
  tellBug(serving, error);
  serving.options.log.debug?.(`${path}: closed: ${message}`);
  for (const client of open) client.close(code === 'terminated' ? CLOSE.goingAway : CLOSE.failed, message);
}
