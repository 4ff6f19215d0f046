import { TickhaulError } from '../base/errors.js';

/**
 * Limits the clients of both ports and all processes: WebSocket connections, and HTTP responses that replay. A client
 * above the limit is refused; it does not wait.
 */
export interface ClientLimit {
  /** @returns false above the limit; otherwise call `release` when the client has left. */
  tryAcquire(): Promise<boolean>;
  release(): void;
}

/** The limit of one process. */
export function createClientLimit(max: number): ClientLimit {
  let clients = 0;
  return {
    async tryAcquire() {
      if (clients >= max) return false;
      clients++;
      return true;
    },
    release: () => void clients--,
  };
}

/** Message for a client above the limit. */
export function tooManyClients(max: number): TickhaulError {
  const message = `too many clients: ${max} are being served; try again later, or serve with a higher --max-clients`;
  return new TickhaulError('server_error', message);
}
