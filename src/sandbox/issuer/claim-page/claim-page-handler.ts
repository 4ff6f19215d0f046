import { randomBytes } from 'node:crypto';
import { LruMap } from '../../archive/lru-map.js';
import {
  parseTarget,
  type SandboxCall,
  type SandboxHandler,
  sendText,
  startResponse,
} from '../../http/sandbox-call.js';
import { type Attempt, type Claims, hasExpired, normalizeEmail } from '../claims.js';
import { readUrlEncodedForm } from '../request-body.js';
import { type ClaimPageState, CONTENT_SECURITY_POLICY, renderClaimPage } from './render-claim-page.js';

const COOKIE = 'sandbox_session';

/** E-mail address of each browser session. */
type Sessions = LruMap<string>;

/**
 * Serves the page of a claim attempt (`docs/spec/account-api.md#sign-in`), on which the user signs in and gets the code.
 * @param organizations organizations to choose from; empty if no choice is needed.
 */
export function createClaimPageHandler(claims: Claims, organizations: readonly string[]): SandboxHandler {
  const sessions: Sessions = new LruMap();
  return async (call) => {
    if (call.request.method === 'POST') return handleAction(call, claims, sessions, organizations);
    const attempt = claims.attempt(parseTarget(call).searchParams.get('attempt') ?? '');
    const state = createPageState(attempt, sessions.get(readSessionId(call) ?? ''), organizations);
    if (attempt && state.kind === 'choose') attempt.progress = 'choosing';
    if (attempt && state.kind === 'code') attempt.progress = 'confirmed';
    return sendPage(call, state);
  };
}

function createPageState(
  attempt: Attempt | undefined,
  signedInAs: string | undefined,
  organizations: readonly string[],
): ClaimPageState {
  if (!attempt) return { kind: 'unknown' };
  const { claim, id, userCode } = attempt;
  if (claim.state === 'claimed') return { kind: 'claimed' };
  if (claim.state === 'denied') return { kind: 'denied' };
  if (hasExpired(attempt)) return { kind: 'expired' };
  const { email } = claim;
  if (signedInAs === undefined) return { kind: 'sign-in', attempt: id, email };
  if (signedInAs !== email) return { kind: 'wrong-account', attempt: id, email, signedInAs };
  if (organizations.length > 0 && attempt.organization === undefined) {
    return { kind: 'choose', attempt: id, email, organizations };
  }
  return { kind: 'code', attempt: id, email, userCode, organization: attempt.organization };
}

/** Performs the action of a form, and redirects to the page. */
async function handleAction(
  call: SandboxCall,
  claims: Claims,
  sessions: Sessions,
  organizations: readonly string[],
): Promise<void> {
  const { attempt: id = '', action, email, organization = '' } = await readUrlEncodedForm(call);
  const session = readSessionId(call);
  const attempt = claims.attempt(id);
  if (!attempt) return sendPage(call, { kind: 'unknown' });
  const isOwner = sessions.get(session ?? '') === attempt.claim.email;
  let cookie = {};
  if (action === 'sign-in') {
    const address = normalizeEmail(email?.trim());
    if (address === undefined) {
      const { email: hint } = attempt.claim;
      return sendPage(call, { kind: 'sign-in', attempt: id, email: hint, rejected: email ?? '' });
    }
    const newSession = randomBytes(16).toString('base64url');
    sessions.set(newSession, address);
    cookie = { 'Set-Cookie': `${COOKIE}=${newSession}; Path=/claim; HttpOnly; SameSite=Lax` };
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

function sendPage(call: SandboxCall, state: ClaimPageState): Promise<void> {
  const { status, html } = renderClaimPage(state);
  return sendText(call, status, 'text/html; charset=utf-8', html, {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    // The address contains the attempt's id.
    'Referrer-Policy': 'no-referrer',
  });
}

function readSessionId({ request }: SandboxCall): string | undefined {
  const cookies = (request.headers.cookie ?? '').split(';').map((cookie) => cookie.trim());
  return cookies.find((cookie) => cookie.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1);
}
