import type { TestContext } from 'node:test';
import type { LiveEvent, LiveInput, LiveOption } from '../../src/live/live-options.js';
import { streamLive } from '../../src/live/stream-live.js';
import { parseMessageType } from '../../src/market/message-type-name.js';
import { createServiceClient } from '../../src/service/service-client.js';
import { cleanUp } from '../helpers/clean-up.js';

export interface Line {
  readonly type: string;
  readonly exchange: string;
  readonly localTimestamp: string;
  readonly [field: string]: unknown;
}

export interface Streaming {
  readonly lines: readonly Line[];
  readonly events: readonly LiveEvent[];
  readonly written: { messages: number; bytes: number };
  /** Resolves when this number of lines has arrived. */
  waitForLines(count: number): Promise<void>;
  /** Resolves at the first matching line, earlier lines included. */
  waitForLine(isIt: (line: Line) => boolean): Promise<Line>;
  waitForEvent(event: LiveEvent['event']): Promise<LiveEvent>;
  /** Ends the stream. */
  end(): Promise<void>;
  /** Resolves or rejects with the stream. */
  readonly ended: Promise<void>;
}

/** Exchanges with symbols and types: `{ bitmex: ['XBTUSD'] }`. */
export function option(
  exchange: string,
  symbols: readonly string[],
  types: string,
  more: Partial<LiveOption> = {},
): LiveOption {
  return {
    exchange,
    symbols,
    types: types.split(',').map(parseMessageType),
    withDisconnects: true,
    timeoutIntervalMs: 0,
    ...more,
  };
}

/** A stream that ends with the test and reconnects without a delay. */
export function startStream(
  t: TestContext,
  options: readonly LiveOption[],
  env: Readonly<Record<string, string>>,
  more: Partial<LiveInput> = {},
): Streaming {
  const controller = new AbortController();
  const client = createServiceClient({
    apiUrl: 'http://127.0.0.1:9',
    datasetsUrl: 'http://127.0.0.1:9',
    stallTimeoutMs: 5000,
    env,
  });
  const lines: Line[] = [];
  const events: LiveEvent[] = [];
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const look of waiting) look();
  };
  const until = <T>(look: () => T | undefined): Promise<T> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        const found = look();
        if (found === undefined) return;
        waiting.delete(check);
        resolve(found);
      };
      waiting.add(check);
      check();
      // A stream that has ended gives no more lines.
      ended.then(
        () => reject(new Error(`it ended with ${lines.length} lines`)),
        (error: unknown) => reject(error),
      );
    });
  const written = { messages: 0, bytes: 0 };
  const ended = streamLive({
    options,
    client,
    output: {
      async write(bytes) {
        const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
        for (const line of text.split('\n').slice(0, -1)) lines.push(JSON.parse(line) as Line);
        wake();
      },
    },
    times: { supplementDelayMs: 0, reconnectDelayMs: () => 0 },
    written,
    emit(event) {
      events.push(event);
      wake();
    },
    signal: controller.signal,
    ...more,
  });
  ended.catch(() => {});
  const end = async (): Promise<void> => {
    controller.abort();
    await ended;
  };
  cleanUp(t, async () => {
    controller.abort();
    await ended.catch(() => {});
    await client.close();
  });
  return {
    lines,
    events,
    written,
    waitForLines: async (count) => void (await until(() => (lines.length >= count ? true : undefined))),
    waitForLine: (isIt) => until(() => lines.find(isIt)),
    waitForEvent: (name) => until(() => events.find(({ event }) => event === name)),
    end,
    ended,
  };
}
