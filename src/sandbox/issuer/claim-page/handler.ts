import { randomBytes } from 'node:crypto';
import { Latest } from '../../archive/latest.js';
import {
  parseTarget,
  type SandboxCall,
  type SandboxHandler,
  sendText,
  startResponse,
} from '../../http/sandbox-call.js';
import { type Attempt, type Claims, isOver } from '../claims.js';
import { readEmail } from '../email.js';
import { readForm } from '../request-body.js';
import { CONTENT_SECURITY_POLICY, type PageState, renderPage } from './html.js';

const COOKIE = 'sandbox_session';

/** E-mail of each browser's session. */
type Sessions = Latest<string>;

/**
 * The page of a claim attempt (service interface, Authentication, step 3): the user signs in and is shown the code.
 * @param organizations to choose from; empty where none must be chosen.
 */
export function claimPage(claims: Claims, organizations: readonly string[]): SandboxHandler {
  const sessions: Sessions = new Latest();
  return async (call) => {
    if (call.request.method === 'POST') return act(call, claims, sessions, organizations);
    const attempt = claims.attempt(parseTarget(call).searchParams.get('attempt') ?? '');
    const state = stateOf(attempt, sessions.get(sessionId(call) ?? ''), organizations);
    if (attempt && state.kind === 'choose') attempt.progress = 'choosing';
    if (attempt && state.kind === 'code') attempt.progress = 'confirmed';
    return sendPage(call, state);
  };
}

function stateOf(
  attempt: Attempt | undefined,
  signedInAs: string | undefined,
  organizations: readonly string[],
): PageState {
  if (!attempt) return { kind: 'unknown' };
  const { claim, id, userCode } = attempt;
  if (claim.state === 'claimed') return { kind: 'claimed' };
  if (claim.state === 'denied') return { kind: 'denied' };
  if (isOver(attempt)) return { kind: 'expired' };
  const { email } = claim;
  if (signedInAs === undefined) return { kind: 'sign-in', attempt: id, email };
  if (signedInAs !== email) return { kind: 'wrong-account', attempt: id, email, signedInAs };
  if (organizations.length > 0 && attempt.organization === undefined) {
    return { kind: 'choose', attempt: id, email, organizations };
  }
  return { kind: 'code', attempt: id, email, userCode, organization: attempt.organization };
}

/** Does what a form of the page asks for, and leads back to the page. */
async function act(
  call: SandboxCall,
  claims: Claims,
  sessions: Sessions,
  organizations: readonly string[],
): Promise<void> {
  const { attempt: id = '', action, email, organization = '' } = await readForm(call);
  const session = sessionId(call);
  const attempt = claims.attempt(id);
  if (!attempt) return sendPage(call, { kind: 'unknown' });
  const isOwner = sessions.get(session ?? '') === attempt.claim.email;
  let cookie = {};
  if (action === 'sign-in') {
    const address = readEmail(email?.trim());
    if (address === undefined) {
      const { email: hint } = attempt.claim;
      return sendPage(call, { kind: 'sign-in', attempt: id, email: hint, rejected: email ?? '' });
    }
    const fresh = randomBytes(16).toString('base64url');
    sessions.set(fresh, address);
    cookie = { 'Set-Cookie': `${COOKIE}=${fresh}; Path=/claim; HttpOnly; SameSite=Lax` };
  } else if (action === 'switch') {
    sessions.delete(session ?? '');
    cookie = { 'Set-Cookie': `${COOKIE}=; Path=/claim; Max-Age=0; HttpOnly; SameSite=Lax` };
  } else if (action === 'deny' && isOwner && attempt.claim.state === 'pending') {
    attempt.claim.state = 'denied';
  } else if (action === 'choose' && isOwner && organizations.includes(organization)) {
    attempt.organization = organization;
  }
  await startResponse(call, 303, { Location: `/claim?attempt=${id}`, 'Content-Length': 0, ...cookie });
  call.response.end();
}

function sendPage(call: SandboxCall, state: PageState): Promise<void> {
  const { status, html } = renderPage(state);
  return sendText(call, status, 'text/html; charset=utf-8', html, {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    // The address holds the attempt.
    'Referrer-Policy': 'no-referrer',
  });
}

function sessionId({ request }: SandboxCall): string | undefined {
  const cookies = (request.headers.cookie ?? '').split(';').map((cookie) => cookie.trim());
  return cookies.find((cookie) => cookie.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1);
}
