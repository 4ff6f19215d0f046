/** Kind of a status text. It selects the colour; the text is clear without it. */
export type StatusKind = 'plain' | 'done' | 'problem';

/** Fetches JSON from the server. @throws Error with a message for the user. */
export async function fetchJson<T>(path: string): Promise<T> {
  const response = await fetchOrThrow(path);
  return (await response.json()) as T;
}

/** Fetches a response of the server with an unread body. @throws Error with a message for the user. */
export async function fetchOrThrow(path: string, signal?: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, { signal: signal ?? null });
  } catch {
    throw new Error('The server does not respond; check that it is running.');
  }
  if (response.ok) return response;
  throw new Error(await readErrorMessage(response));
}

/** Reads the error message of the server. */
async function readErrorMessage(response: Response): Promise<string> {
  const text = await response.text().catch(() => '');
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    if (typeof message === 'string') return `${response.status}: ${message}`;
  } catch {
    // Some responses have no JSON body.
  }
  return `The server responded with status ${response.status}.`;
}

/** Message of an error. */
export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

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
