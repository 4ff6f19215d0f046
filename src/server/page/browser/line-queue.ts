/** Where an answer's bytes come from; nothing is read that wasn't asked for, so whoever sends has to wait. */
export interface Chunks {
  /** Undefined at the end. @throws Error where the connection is cut. */
  read(): Promise<Uint8Array | undefined>;
}

/** Lines at hand from which on no more are read. */
const ENOUGH = 1000;

/** The lines of an answer, a little ahead of who takes them. */
export class LineQueue {
  readonly #source: Chunks;
  readonly #decoder = new TextDecoder();
  #lines: readonly string[] = [];
  #at = 0;
  /** What came of the next line so far. */
  #rest = '';
  #reading: Promise<void> | undefined;
  #isAtEnd = false;
  #failure: Error | undefined;

  constructor(source: Chunks) {
    this.#source = source;
  }

  /** The next line; undefined where none is at hand. */
  get head(): string | undefined {
    return this.#lines[this.#at];
  }

  /** Whether all lines were taken, and there are no more. */
  get isOver(): boolean {
    return this.#isAtEnd && this.head === undefined;
  }

  /** Why there are no more, where it isn't the end. */
  get failure(): Error | undefined {
    return this.isOver ? this.#failure : undefined;
  }

  /** Goes on to the next line. */
  next(): void {
    this.#at++;
  }

  /** Reads on, where few lines are at hand; resolves when more are. */
  fill(): Promise<void> {
    if (this.#isAtEnd || this.#lines.length - this.#at >= ENOUGH) return Promise.resolve();
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    try {
      const bytes = await this.#source.read();
      if (bytes !== undefined) return this.#take(this.#decoder.decode(bytes, { stream: true }));
      if (this.#rest !== '') this.#failure = new Error('the answer ended within a line');
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error));
    }
    this.#isAtEnd = true;
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    this.#lines = [...this.#lines.slice(this.#at), ...lines.filter((line) => line !== '')];
    this.#at = 0;
  }
}
