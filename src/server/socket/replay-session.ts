import { TickhaulError } from '../../base/errors.js';
import type { FeedRequest } from '../../feeds/feed-run.js';
import { openFeed } from '../../feeds/open-feed.js';
import type { RawBatch } from '../../feeds/read/raw-batch.js';
import { MESSAGE_START } from '../../feeds/read/raw-line.js';
import type { FeedPart } from '../../feeds/read/slice-prefetcher.js';
import { mergeRaw, type RawSink } from '../../replay/raw/merge-raw.js';
import type { FeedFilter } from '../../service/feed-filter.js';
import { createUnknownExchangeError } from '../../service/records/feed-names.js';
import type { ServerContext } from '../server-context.js';
import { closeWithError } from './close-with-error.js';
import { CLOSE_CODE, type SocketClient, WRITE_BYTES } from './socket-client.js';

/** A connection of `/ws-replay`, as it joined. */
export interface SessionMember {
  readonly client: SocketClient;
  readonly request: Omit<FeedRequest, 'filters'>;
  /** What it subscribed to so far; undefined before the first message that was understood. */
  filters: readonly FeedFilter[] | undefined;
}

/** Milliseconds in which clients subscribe (service interface, /ws-replay). */
const SUBSCRIBE_WINDOW_MS = 2000;

/**
 * Connections whose messages are merged by local timestamp, ties to the one that joined first. It starts two seconds
 * after the first of them; all end together, and one that leaves is passed over.
 */
export class ReplaySession {
  readonly #serving: ServerContext;
  readonly #members: SessionMember[] = [];
  readonly #stop = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #hasStarted = false;

  /** @param onEnd told when nobody of it is left. */
  constructor(serving: ServerContext, onEnd: () => void) {
    this.#serving = serving;
    const start = (): void => {
      if (this.#stop.signal.aborted) return;
      this.#hasStarted = true;
      void serving.answers.run(this.#stop, () => this.#run()).finally(onEnd);
    };
    // A turn later: a server that was busy first reads what came in time.
    this.#timer = setTimeout(() => setImmediate(start), SUBSCRIBE_WINDOW_MS);
    this.#stop.signal.addEventListener('abort', () => {
      if (this.#hasStarted) return;
      clearTimeout(this.#timer);
      onEnd();
    });
  }

  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  join(member: SessionMember): void {
    this.#members.push(member);
    member.client.signal.addEventListener('abort', () => {
      if (this.#members.every(({ client }) => client.signal.aborted)) {
        this.#stop.abort(new TickhaulError('reset', 'all clients left'));
      }
    });
  }

  async #run(): Promise<void> {
    const members = this.#members.filter(({ client }) => client.isOpen);
    try {
      for (const { request, filters } of members) if (!filters) throw await this.#whyNone(request);
      await this.#replay(members);
      for (const { client } of members) client.close(CLOSE_CODE.finished, 'WS replay finished');
    } catch (error) {
      closeWithError(
        this.#serving,
        '/ws-replay',
        members.map(({ client }) => client),
        error,
      );
    }
  }

  /** Nothing of an exchange that isn't there is understood. */
  async #whyNone({ exchange }: SessionMember['request']): Promise<TickhaulError> {
    const { options } = this.#serving;
    const { client, offline } = options.feeds;
    const asking = { cache: options.records, offline, signal: this.#stop.signal };
    return (
      (await createUnknownExchangeError(client, exchange, asking)) ?? createNoSubscriptionError(exchange)
    );
  }

  async #replay(members: readonly SessionMember[]): Promise<void> {
    const { signal } = this.#stop;
    const { options, run: shared } = this.#serving;
    const run = { ...shared, signal };
    const parts: FeedPart[] = [];
    const owners: SocketClient[] = [];
    for (const { client, request, filters = [] } of members) {
      if (request.range.start >= request.range.end) continue;
      const feed = await openFeed(run, { ...request, filters }, options.records);
      parts.push(...feed.parts);
      owners.push(...feed.parts.map(() => client));
    }
    if (parts.length === 0) return;
    const lines = createSessionSink(owners);
    const gone = owners.map((client) => client.signal);
    await mergeRaw({
      run,
      parts,
      partSignals: gone,
      withDisconnects: false,
      lines,
      onMinutes: () => {},
      signal,
    });
    await run.cache.trim();
  }
}

/**
 * Messages as frames, each to the client that its part belongs to. All are written together, so that none is ahead of
 * the others by more than a write, and a slow one holds up all.
 */
function createSessionSink(owners: readonly SocketClient[]): RawSink {
  const clients = [...new Set(owners)];
  let gathered = 0;
  const flush = async (): Promise<void> => {
    gathered = 0;
    await Promise.all(
      clients.map((client) =>
        client.flush().catch((error: unknown) => {
          // Others go on without it.
          if (!client.signal.aborted) throw error;
        }),
      ),
    );
  };
  return {
    async add({ text, starts, ends }: RawBatch, start, end, part) {
      const client = owners[part];
      if (!client?.isOpen) return;
      const { frames } = client;
      for (let line = start; line < end; line++) {
        const before = frames.length;
        frames.add(text, (starts[line] as number) + MESSAGE_START, ends[line] as number);
        gathered += frames.length - before;
        if (gathered >= WRITE_BYTES) await flush();
      }
    },
    addDisconnect: async () => {},
    flush,
  };
}

function createNoSubscriptionError(exchange: string): TickhaulError {
  return new TickhaulError(
    'usage',
    `No subscriptions received for websocket connection ${JSON.stringify({ exchange })}`,
  );
}
