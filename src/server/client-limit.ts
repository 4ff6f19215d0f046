import { TickhaulError } from '../base/errors.js';

/** Clients at once, of both ports and of all processes: WebSocket connections, and answers over HTTP that replay. */
export interface ClientLimit {
  /** @returns whether there was room; each client that got in has to leave. */
  enter(): Promise<boolean>;
  leave(): void;
}

/** The limit of one process. */
export function createClientLimit(max: number): ClientLimit {
  let clients = 0;
  return {
    async enter() {
      if (clients >= max) return false;
      clients++;
      return true;
    },
    leave: () => void clients--,
  };
}

/** Message for a client above the limit. */
export function tooManyClients(max: number): TickhaulError {
  const message = `too many clients: ${max} are being served; try again later, or serve with a higher --max-clients`;
  return new TickhaulError('server_error', message);
}
