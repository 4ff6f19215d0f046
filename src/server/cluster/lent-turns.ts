import { Turns } from '../turns.js';

interface Lent {
  readonly gone: AbortSignal;
  end(): void;
}

/** Works of several workers, where those of the same name follow each other. */
export class LentTurns {
  readonly #turns = new Turns();
  readonly #lent = new Map<string, Lent>();

  /** Resolves when it is a worker's turn, which lasts until it gives it back, or is gone. */
  take(work: string, gone: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const turn = (): Promise<void> =>
        new Promise((end) => {
          this.#lent.set(work, { gone, end });
          gone.addEventListener('abort', () => end(), { once: true });
          resolve();
        });
      // One that is gone by then has no turn.
      this.#turns.run(work, gone, turn).catch(() => {});
    });
  }

  giveBack(work: string, gone: AbortSignal): void {
    const lent = this.#lent.get(work);
    if (lent?.gone === gone) lent.end();
  }
}
