import { usageError } from '../../base/errors.js';
import { US_PER_MINUTE } from '../../dataset/minute.js';
import { readSubscription } from '../../dialects/subscriptions/subscriptions.js';
import { NO_RAW_MESSAGES } from '../http/handle-replay.js';
import { parseSessionKey } from '../http/http-call.js';
import { parseMinutes } from '../request/raw-options.js';
import type { ServerContext } from '../server-context.js';
import { closeWithError } from './close-with-error.js';
import { ReplaySession, type SessionMember } from './replay-session.js';
import type { SocketClient } from './socket-client.js';

/** Sessions under way, by their keys. */
export type ReplaySessions = Map<string, ReplaySession>;

/**
 * `/ws-replay`: an exchange's own messages, to clients that subscribe as they do at the exchange (service interface,
 * Local replay server). Connections with the same session key share one.
 */
export function openReplaySocket(
  serving: ServerContext,
  sessions: ReplaySessions,
  client: SocketClient,
  query: URLSearchParams,
): void {
  try {
    if (serving.options.source === 'datasets') throw usageError(NO_RAW_MESSAGES);
    const member = createSessionMember(client, query);
    client.onText((text) => subscribe(serving, member, text));
    findOrCreateSession(serving, sessions, parseSessionKey(query)).join(member);
  } catch (error) {
    closeWithError(serving, '/ws-replay', [client], error);
  }
}

function findOrCreateSession(
  serving: ServerContext,
  sessions: ReplaySessions,
  key: string | undefined,
): ReplaySession {
  if (key === undefined) return new ReplaySession(serving, () => {});
  const known = sessions.get(key);
  if (known?.hasStarted) {
    throw usageError('trying to add new WS connection to replay session that already started');
  }
  if (known) return known;
  const session = new ReplaySession(serving, () => void sessions.delete(key));
  sessions.set(key, session);
  return session;
}

function createSessionMember(client: SocketClient, query: URLSearchParams): SessionMember {
  const textOf = (name: string): string => {
    const text = query.get(name)?.trim();
    if (!text) throw usageError(`the query parameter "${name}" is missing`);
    return text;
  };
  const exchange = textOf('exchange').toLowerCase();
  const range = parseMinutes(textOf('from'), textOf('to'));
  return { client, request: { exchange, range }, filters: undefined };
}

/** What isn't understood is ignored, and told once an exchange. */
function subscribe({ warnOnce }: ServerContext, member: SessionMember, text: string): void {
  const { exchange, range } = member.request;
  const { filters, ...refused } = readSubscription(exchange, parsed(text), range.start * US_PER_MINUTE);
  if (filters) member.filters = joinFilters(member.filters, filters);
  else if ('advice' in refused) warnOnce(`/ws-replay ${exchange}: ${refused.advice}`);
}

/** No filter at all is the whole exchange, which nothing adds to. */
function joinFilters(
  before: SessionMember['filters'],
  more: NonNullable<SessionMember['filters']>,
): SessionMember['filters'] {
  if (before === undefined) return more;
  return before.length === 0 || more.length === 0 ? [] : [...before, ...more];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
