import { usageError } from '../../base/errors.js';
import { US_A_MINUTE } from '../../dataset/minutes.js';
import { readSubscription } from '../../dialects/subscriptions/subscriptions.js';
import { sessionKeyOf } from '../http/call.js';
import { NO_RAW } from '../http/replay.js';
import { readMinutes } from '../request/raw-options.js';
import type { Serving } from '../serving.js';
import type { SocketClient } from './client.js';
import { closeFailed } from './close-failed.js';
import { ReplaySession, type SessionMember } from './session.js';

/** Sessions under way, by their keys. */
export type Sessions = Map<string, ReplaySession>;

/**
 * `/ws-replay`: an exchange's own messages, to clients that subscribe as they do at the exchange (service interface,
 * Local replay server). Connections with the same session key share one.
 */
export function openReplaySocket(
  serving: Serving,
  sessions: Sessions,
  client: SocketClient,
  query: URLSearchParams,
): void {
  try {
    if (serving.options.source === 'datasets') throw usageError(NO_RAW);
    const member = memberOf(client, query);
    client.onText((text) => subscribe(serving, member, text));
    sessionOf(serving, sessions, sessionKeyOf(query)).join(member);
  } catch (error) {
    closeFailed(serving, '/ws-replay', [client], error);
  }
}

function sessionOf(serving: Serving, sessions: Sessions, key: string | undefined): ReplaySession {
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

function memberOf(client: SocketClient, query: URLSearchParams): SessionMember {
  const textOf = (name: string): string => {
    const text = query.get(name)?.trim();
    if (!text) throw usageError(`the query parameter "${name}" is missing`);
    return text;
  };
  const exchange = textOf('exchange').toLowerCase();
  const range = readMinutes(textOf('from'), textOf('to'));
  return { client, request: { exchange, range }, filters: undefined };
}

/** What isn't understood is ignored, and told once an exchange. */
function subscribe({ warnOnce }: Serving, member: SessionMember, text: string): void {
  const { exchange, range } = member.request;
  const { filters, ...refused } = readSubscription(exchange, parsed(text), range.start * US_A_MINUTE);
  if (filters) member.filters = joined(member.filters, filters);
  else if ('advice' in refused) warnOnce(`/ws-replay ${exchange}: ${refused.advice}`);
}

/** No filter at all is the whole exchange, which nothing adds to. */
function joined(
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
