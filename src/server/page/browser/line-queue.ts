/** Source of a response's bytes. It reads only on request, so that the sender has to wait. */
export interface ChunkSource {
  /** Undefined at the end. @throws Error if the connection is cut. */
  read(): Promise<Uint8Array | undefined>;
}

/** With this many lines buffered, no more are read. */
const MAX_BUFFERED_LINES = 1000;

/** The lines of a response, read a little ahead of their consumer. */
export class LineQueue {
  readonly #source: ChunkSource;
  readonly #decoder = new TextDecoder();
  #lines: readonly string[] = [];
  #at = 0;
  /** Received start of an incomplete line. */
  #rest = '';
  #reading: Promise<void> | undefined;
  #isAtEnd = false;
  #failure: Error | undefined;

  constructor(source: ChunkSource) {
    this.#source = source;
  }

  /** The next line; undefined if none is buffered. */
  get head(): string | undefined {
    return this.#lines[this.#at];
  }

  /** Whether all lines were consumed. */
  get isOver(): boolean {
    return this.#isAtEnd && this.head === undefined;
  }

  /** The error after the last line; undefined after a regular end. */
  get failure(): Error | undefined {
    return this.isOver ? this.#failure : undefined;
  }

  /** Moves to the next line. */
  next(): void {
    this.#at++;
  }

  /** Reads more lines if few are buffered; resolves when the read is done. */
  fill(): Promise<void> {
    if (this.#isAtEnd || this.#lines.length - this.#at >= MAX_BUFFERED_LINES) return Promise.resolve();
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    try {
      const bytes = await this.#source.read();
      if (bytes !== undefined) return this.#append(this.#decoder.decode(bytes, { stream: true }));
      if (this.#rest !== '') this.#failure = new Error('the response ended within a line');
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error));
    }
    this.#isAtEnd = true;
  }

  #append(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    this.#lines = [...this.#lines.slice(this.#at), ...lines.filter((line) => line !== '')];
    this.#at = 0;
  }
}
