import { TickhaulError, usageError } from '../../base/errors.js';
import { US_PER_MINUTE } from '../../day-files/day.js';
import { readSubscription } from '../../exchange-adapters/subscriptions/subscriptions.js';
import type { FeedRequest } from '../../raw-feeds/feed-read-context.js';
import { openFeed } from '../../raw-feeds/open-feed.js';
import { MESSAGE_START, type RawBatch } from '../../raw-feeds/raw-batch.js';
import type { FeedPart } from '../../raw-feeds/slice-prefetcher.js';
import type { RawSink } from '../../replay/raw-line-writer.js';
import { mergeRaw } from '../../replay/replay-raw.js';
import type { FeedFilter } from '../../service/feed-filter.js';
import { createUnknownExchangeError } from '../../service/records/fetch-records.js';
import { withClientBuffers } from '../client-limits.js';
import { NO_RAW_MESSAGES } from '../http-endpoints/replay-responses.js';
import { parseSessionKey, parseSessionRequest } from '../request-options.js';
import type { ServerContext } from '../server-context.js';
import { CLOSE_CODE, closeWithError, type SocketClient } from './socket-client.js';

/** Open sessions by key. */
export type ReplaySessions = Map<string, ReplaySession>;

/**
 * `/ws-replay`: an exchange's own messages for clients that subscribe as at the exchange
 * (`docs/spec/local-server.md#replay-sessions`). Connections with the same session key share a session.
 */
export function openReplaySocket(
  context: ServerContext,
  sessions: ReplaySessions,
  client: SocketClient,
  query: URLSearchParams,
): void {
  try {
    if (context.options.source === 'datasets') throw usageError(NO_RAW_MESSAGES);
    const request = parseSessionRequest(query);
    const member: SessionMember = { client, request, filters: undefined, characters: 0 };
    const session = findOrCreateSession(context, sessions, parseSessionKey(query));
    session.join(member);
    client.onText((text) => {
      if (!session.hasStarted) subscribe(context, member, text);
    });
  } catch (error) {
    closeWithError(context, '/ws-replay', [client], error);
  }
}

function findOrCreateSession(
  context: ServerContext,
  sessions: ReplaySessions,
  key: string | undefined,
): ReplaySession {
  if (key === undefined) return new ReplaySession(context, () => {});
  const existing = sessions.get(key);
  if (existing?.hasStarted) {
    throw usageError('trying to add new WS connection to replay session that already started');
  }
  if (existing) return existing;
  const session = new ReplaySession(context, () => void sessions.delete(key));
  sessions.set(key, session);
  return session;
}

/** Characters of all subscribe messages of a connection: a client must not fill the memory before the replay starts. */
const MAX_SUBSCRIBED_CHARACTERS = 1024 * 1024;

/**
 * Adds the filters of a subscribe message; an empty list selects the whole exchange. Other messages are ignored with one
 * warning per exchange. A connection whose messages are too long together is closed.
 */
function subscribe(context: ServerContext, member: SessionMember, text: string): void {
  const { exchange, range } = member.request;
  member.characters += text.length;
  if (member.characters > MAX_SUBSCRIBED_CHARACTERS) {
    const error = usageError('subscribe messages of more than 1 MB; subscribe to whole channels instead');
    closeWithError(context, '/ws-replay', [member.client], error);
    return;
  }
  const { filters, ...refused } = readSubscription(exchange, parseJson(text), range.start * US_PER_MINUTE);
  if ('advice' in refused) context.warnOnce(`/ws-replay ${exchange}: ${refused.advice}`);
  if (!filters) return;
  if (filters.length === 0) member.filters = [];
  else if (!member.filters) member.filters = [...filters];
  else if (member.filters.length > 0) for (const filter of filters) member.filters.push(filter);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A connection in a replay session. */
interface SessionMember {
  readonly client: SocketClient;
  readonly request: Omit<FeedRequest, 'filters'>;
  /** Subscribed filters; undefined before the first understood message. */
  filters: FeedFilter[] | undefined;
  /** Length of its messages until now. */
  characters: number;
}

/** Time for clients to subscribe (`docs/spec/local-server.md#replay-sessions`). */
const SUBSCRIBE_WINDOW_MS = 2000;

/**
 * Connections whose messages are merged by local timestamp, with ties to the connection that joined first. The session
 * starts two seconds after its first connection. All connections end together, and closed ones are skipped.
 */
class ReplaySession {
  readonly #context: ServerContext;
  readonly #members: SessionMember[] = [];
  readonly #stop = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #hasStarted = false;

  /** @param onEnd called when the session is over. */
  constructor(context: ServerContext, onEnd: () => void) {
    this.#context = context;
    const start = (): void => {
      if (this.#stop.signal.aborted) return;
      this.#hasStarted = true;
      void context.openResponses.run(this.#stop, () => this.#run()).finally(onEnd);
    };
    // Wait one more turn, so that a busy server first reads the messages that arrived in time.
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
      for (const { request, filters } of members)
        if (!filters) throw await this.#createUnsubscribedError(request);
      await this.#replay(members);
      for (const { client } of members) client.close(CLOSE_CODE.finished, 'WS replay finished');
    } catch (error) {
      closeWithError(
        this.#context,
        '/ws-replay',
        members.map(({ client }) => client),
        error,
      );
    }
  }

  /** The error for a connection without filters: the exchange is unknown, or no message was understood. */
  async #createUnsubscribedError({ exchange }: SessionMember['request']): Promise<TickhaulError> {
    const { options } = this.#context;
    const { client, offline } = options.feeds;
    const fetchOptions = { cache: options.records, offline, signal: this.#stop.signal };
    return (
      (await createUnknownExchangeError(client, exchange, fetchOptions)) ??
      createNoSubscriptionError(exchange)
    );
  }

  async #replay(members: readonly SessionMember[]): Promise<void> {
    const { signal } = this.#stop;
    const { options, run: shared } = this.#context;
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
    await withClientBuffers(run.texts, 1, (buffers) =>
      mergeRaw({
        run: { ...run, ...buffers },
        parts,
        partSignals: owners.map((client) => client.signal),
        withDisconnects: false,
        lines: createSessionSink(owners, buffers.writeBytes),
        onMinutes: () => {},
        signal,
      }),
    );
    await run.cache.trim();
  }
}

/**
 * Writes messages as frames to the client of their part. All clients are flushed together, so that none is ahead of the
 * others by more than one write, and a slow client slows all of them down.
 */
function createSessionSink(owners: readonly SocketClient[], writeBytes: number): RawSink {
  const clients = [...new Set(owners)];
  let pendingBytes = 0;
  const flush = async (): Promise<void> => {
    pendingBytes = 0;
    await Promise.all(
      clients.map((client) =>
        client.flush().catch((error: unknown) => {
          // If the client has disconnected, the others continue.
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
        pendingBytes += frames.length - before;
        if (pendingBytes >= writeBytes) await flush();
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
