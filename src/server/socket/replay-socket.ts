import { usageError } from '../../base/errors.js';
import { US_PER_MINUTE } from '../../day-files/minute.js';
import { readSubscription } from '../../dialects/subscriptions/subscriptions.js';
import { NO_RAW_MESSAGES } from '../http/handle-replay.js';
import { parseSessionKey } from '../http/http-call.js';
import { parseMinutes } from '../request/raw-options.js';
import type { ServerContext } from '../server-context.js';
import { closeWithError } from './close-with-error.js';
import { ReplaySession, type SessionMember } from './replay-session.js';
import type { SocketClient } from './socket-client.js';

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
    const member = createSessionMember(client, query);
    client.onText((text) => subscribe(context, member, text));
    findOrCreateSession(context, sessions, parseSessionKey(query)).join(member);
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

function createSessionMember(client: SocketClient, query: URLSearchParams): SessionMember {
  const readParameter = (name: string): string => {
    const text = query.get(name)?.trim();
    if (!text) throw usageError(`the query parameter "${name}" is missing`);
    return text;
  };
  const exchange = readParameter('exchange').toLowerCase();
  const range = parseMinutes(readParameter('from'), readParameter('to'));
  return { client, request: { exchange, range }, filters: undefined };
}

/** Adds the filters of a subscribe message. Other messages are ignored with one warning per exchange. */
function subscribe({ warnOnce }: ServerContext, member: SessionMember, text: string): void {
  const { exchange, range } = member.request;
  const { filters, ...refused } = readSubscription(exchange, parseJson(text), range.start * US_PER_MINUTE);
  if (filters) member.filters = joinFilters(member.filters, filters);
  else if ('advice' in refused) warnOnce(`/ws-replay ${exchange}: ${refused.advice}`);
}

/** Combines filters; an empty list selects the whole exchange. */
function joinFilters(
  current: SessionMember['filters'],
  added: NonNullable<SessionMember['filters']>,
): SessionMember['filters'] {
  if (current === undefined) return added;
  return current.length === 0 || added.length === 0 ? [] : [...current, ...added];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
