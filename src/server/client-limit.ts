import { TickhaulError } from '../base/errors.js';

/** Limits concurrent clients over both ports and all processes: WebSocket connections and HTTP replays. */
export interface ClientLimit {
  /** @returns false at the limit; otherwise call `leave` when the client has disconnected. */
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
