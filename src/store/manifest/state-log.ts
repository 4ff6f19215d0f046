import { TickhaulError } from '../../base/errors.js';
import type { Destination } from '../destination.js';
import { LineStore } from './manifest-line.js';

/** Shortest time between two writes during a run. */
const MIN_WRITE_INTERVAL_MS = 10_000;
/** Share of the log that must be new before it is written again during a run. */
const MIN_NEW_SHARE = 0.1;

/**
 * A state file of a download folder with one line of JSON per key. It is written as a whole; lines that other runs added
 * meanwhile are kept.
 */
export class StateLog {
  readonly #destination: Destination;
  readonly #name: string;
  readonly #keyOf: KeyOf;
  readonly #known: LineStore;
  readonly #added = new LineStore();
  #unwritten = 0;
  #writtenAtMs = performance.now();
  #writing: Promise<void> = Promise.resolve();

  private constructor(destination: Destination, name: string, keyOf: KeyOf, known: LineStore) {
    this.#destination = destination;
    this.#name = name;
    this.#keyOf = keyOf;
    this.#known = known;
  }

  /** A log that cannot be read counts as empty. @throws errors of the store. */
  static async open(
    destination: Destination,
    name: string,
    keyOf: KeyOf,
    signal: AbortSignal,
  ): Promise<StateLog> {
    const text = await destination.readState(name, signal).catch((error: unknown) => {
      if (!(error instanceof TickhaulError) || error.code !== 'disk') throw error;
    });
    return new StateLog(destination, name, keyOf, splitByKey(text ?? '', keyOf));
  }

  get(key: string): string | undefined {
    return this.#added.get(key) ?? this.#known.get(key);
  }

  /** The lines that the file had when it was opened. */
  stored(): IterableIterator<string> {
    return this.#known.values();
  }

  /** Adds a line, and writes the log if that is due. @throws as `write` does. */
  async add(key: string, line: string, signal: AbortSignal): Promise<void> {
    this.#added.set(key, line);
    this.#unwritten++;
    const isDue = performance.now() - this.#writtenAtMs >= MIN_WRITE_INTERVAL_MS;
    if (isDue && this.#unwritten >= MIN_NEW_SHARE * this.#known.size) await this.write(signal);
  }

  /** Writes what was added; call it at the end of a run. @throws TickhaulError `disk`; errors of the store. */
  write(signal: AbortSignal): Promise<void> {
    const write = async (): Promise<void> => {
      const lines = this.#unwritten;
      if (lines === 0) return;
      this.#unwritten = 0;
      this.#writtenAtMs = performance.now();
      try {
        await this.#destination.updateState(this.#name, (text) => this.#merge(text ?? ''), signal);
      } catch (error) {
        this.#unwritten += lines;
        throw error;
      }
    };
    // An error is that of the write that failed: the next one tries again.
    this.#writing = this.#writing.then(write, write);
    return this.#writing;
  }

  #merge(text: string): string {
    const lines = splitByKey(text, this.#keyOf);
    for (const line of this.#added.values()) lines.set(this.#keyOf(line) ?? '', line);
    return [...lines.values()]
      .sort()
      .map((line) => `${line}\n`)
      .join('');
  }
}

/** The key of a line; undefined for one that is damaged. */
type KeyOf = (line: string) => string | undefined;

/** The valid lines of a log, the last of each key. */
function splitByKey(text: string, keyOf: KeyOf): LineStore {
  const lines = new LineStore();
  for (const line of text.split('\n')) {
    const key = keyOf(line);
    if (key !== undefined) lines.set(key, line);
  }
  return lines;
}
