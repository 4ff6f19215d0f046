import { Semaphore } from '../base/semaphore.js';
import type { LineSink } from '../market/lines/line-sink.js';

/** Writes and starts of replays in one turn of the event loop; together they take some milliseconds. */
const MAX_PER_TURN = 32;

/**
 * Limits what replays do in one turn of the event loop, so that a server with many of them still accepts
 * connections and responds to other requests.
 */
export class WritePacer {
  readonly #turn = new Semaphore(MAX_PER_TURN);

  /** The same output, whose writes wait for their turn. */
  pace(output: LineSink): LineSink {
    return {
      write: async (bytes) => {
        await this.waitForTurn();
        await output.write(bytes);
      },
    };
  }

  /** Resolves when one more replay may write or start. */
  async waitForTurn(): Promise<void> {
    setImmediate(await this.#turn.acquire());
  }
}
