import { createHash, randomBytes } from 'node:crypto';
import { escapeHtml } from '../../base/text.js';
import { LruMap } from '../archive/lru-map.js';
import {
  parseTarget,
  type SandboxCall,
  type SandboxHandler,
  sendText,
  startResponse,
} from '../hosts/sandbox-call.js';
import { readUrlEncodedForm } from './answer-step.js';
import { type Attempt, type Claims, hasExpired, normalizeEmail } from './claims.js';

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

/** State that the page shows. */
export type ClaimPageState =
  | { readonly kind: 'unknown' | 'expired' | 'claimed' | 'denied' }
  | {
      readonly kind: 'sign-in';
      readonly attempt: string;
      /** E-mail address of the claim. */
      readonly email: string;
      /** The rejected input, if it was not an e-mail address. */
      readonly rejected?: string;
    }
  | {
      readonly kind: 'wrong-account';
      readonly attempt: string;
      readonly email: string;
      readonly signedInAs: string;
    }
  | {
      readonly kind: 'choose';
      readonly attempt: string;
      readonly email: string;
      readonly organizations: readonly string[];
    }
  | {
      readonly kind: 'code';
      readonly attempt: string;
      readonly email: string;
      readonly userCode: string;
      readonly organization: string | undefined;
    };

/** The page's style sheet, for light and dark mode. */
const CLAIM_PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --page: #f4f5f7; --card: #ffffff; --text: #1c2430; --soft: #56606e; --line: #c9cfd8;
  --main: #1857b8; --on-main: #ffffff; --error: #b3261e; --code: #eef2f8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161c; --card: #1b212a; --text: #e8ecf2; --soft: #a3adba; --line: #47515f;
    --main: #8ab4f8; --on-main: #0d1b2e; --error: #ff9d94; --code: #252d39;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; padding: 24px 16px;
  display: flex; flex-direction: column; align-items: center; justify-content: center; gap: 16px;
  background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif;
}
main {
  width: 100%; max-width: 420px; padding: 32px;
  background: var(--card); border: 1px solid var(--line); border-radius: 12px;
}
h1 { margin: 0 0 12px; font-size: 24px; line-height: 1.25; }
p { margin: 0 0 16px; }
main > :last-child { margin-bottom: 0; }
strong { overflow-wrap: anywhere; }
label, legend { display: block; margin-bottom: 4px; padding: 0; font-weight: 600; }
input[type=email] {
  width: 100%; padding: 10px 12px; border: 1px solid var(--soft); border-radius: 8px;
  background: transparent; color: inherit; font: inherit;
}
fieldset { margin: 0; padding: 0; border: 0; }
.choice {
  display: flex; gap: 10px; align-items: center; margin: 0 0 8px; padding: 10px 12px;
  border: 1px solid var(--line); border-radius: 8px; font-weight: 400; cursor: pointer;
}
.choice input { margin: 0; accent-color: var(--main); }
output {
  display: block; margin: 0 0 8px; padding: 16px; border-radius: 8px; background: var(--code);
  font: 600 32px/1.2 ui-monospace, monospace; letter-spacing: 2px; text-align: center; user-select: all;
}
button {
  width: 100%; margin-top: 16px; padding: 11px 16px; border-radius: 8px; font: inherit; font-weight: 600;
  cursor: pointer;
}
.main { border: 1px solid var(--main); background: var(--main); color: var(--on-main); }
.quiet { border: 1px solid var(--line); background: transparent; color: var(--text); }
input:focus-visible, button:focus-visible { outline: 3px solid var(--main); outline-offset: 2px; }
form + .hint { margin-top: 16px; }
form + form { margin-top: 12px; }
input[type=hidden] + button { margin-top: 0; }
.hint, footer { color: var(--soft); font-size: 14px; }
.error { margin: 6px 0 0; color: var(--error); font-size: 14px; }
footer { text-align: center; }
`;

const styleHash = createHash('sha256').update(CLAIM_PAGE_STYLE).digest('base64');

/** Allows only the page's own style and forms. */
const CONTENT_SECURITY_POLICY = `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

/** Renders the page, with its HTTP status. It needs no script and nothing from the network. */
function renderClaimPage(state: ClaimPageState): { readonly status: number; readonly html: string } {
  switch (state.kind) {
    case 'unknown':
      return {
        status: 404,
        html: notice(
          'Unknown link',
          'This link is not known. Copy it whole, or ask the tool for a fresh one.',
        ),
      };
    case 'expired':
      return {
        status: 410,
        html: notice('Link expired', 'Ask the tool that gave you this link for a fresh one.'),
      };
    case 'claimed':
      return { status: 200, html: notice('All done', 'The tool has its access. You can close this page.') };
    case 'denied':
      return {
        status: 200,
        html: notice('Access denied', 'The tool gets no access to your account. You can close this page.'),
      };
    case 'sign-in':
      return { status: state.rejected === undefined ? 200 : 422, html: signIn(state) };
    case 'wrong-account':
      return { status: 200, html: wrongAccount(state) };
    case 'choose':
      return { status: 200, html: choose(state) };
    case 'code':
      return { status: 200, html: code(state) };
  }
}

type PageStateOf<Kind extends ClaimPageState['kind']> = Extract<ClaimPageState, { kind: Kind }>;

function notice(title: string, text: string): string {
  return layout(title, `<p>${text}</p>`);
}

function signIn({ attempt, email, rejected }: PageStateOf<'sign-in'>): string {
  const error =
    rejected === undefined
      ? ''
      : '<p class="error" id="email-error" role="alert">This is not an e-mail address.</p>';
  const describedBy = rejected === undefined ? '' : ' aria-invalid="true" aria-describedby="email-error"';
  const field = `<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="email" required value="${escapeHtml(rejected ?? email)}"${describedBy}>${error}`;
  const text = `<p>A tool asks for access to the account of <strong>${escapeHtml(email)}</strong>.</p>`;
  const hint = '<p class="hint">New here? Signing in makes your account.</p>';
  return layout('Sign in', text + form(attempt, 'sign-in', field, 'Sign in') + hint);
}

function wrongAccount({ attempt, email, signedInAs }: PageStateOf<'wrong-account'>): string {
  const text = `<p>You are signed in as <strong>${escapeHtml(signedInAs)}</strong>, but the tool asks for access to the account of <strong>${escapeHtml(email)}</strong>.</p>`;
  return layout('Wrong account', text + form(attempt, 'switch', '', 'Switch account'));
}

function choose({ attempt, email, organizations }: PageStateOf<'choose'>): string {
  const options = organizations.map(
    (name) =>
      `<label class="choice"><input type="radio" name="organization" required value="${escapeHtml(name)}">${escapeHtml(name)}</label>`,
  );
  const fields = `<fieldset><legend>Organization</legend>${options.join('')}</fieldset>`;
  const text = `<p>A tool asks for access to the account of <strong>${escapeHtml(email)}</strong>. Choose the organization it may work in.</p>`;
  return layout('Choose an organization', text + form(attempt, 'choose', fields, 'Continue') + deny(attempt));
}

function code({ attempt, email, userCode, organization }: PageStateOf<'code'>): string {
  const half = userCode.length / 2;
  const shown = `${userCode.slice(0, half)}-${userCode.slice(half)}`;
  const place = organization === undefined ? '' : ` in <strong>${escapeHtml(organization)}</strong>`;
  const text = `<p>Signed in as <strong>${escapeHtml(email)}</strong>${place}.</p>
<p>Give this code to the tool that gave you the link, but only if you started it yourself:</p>
<output id="user-code" aria-label="Code">${escapeHtml(shown)}</output>
<p class="hint">The code is case-sensitive.</p>`;
  return layout('Your code', text + deny(attempt));
}

function deny(attempt: string): string {
  return form(attempt, 'deny', '', 'Deny', 'quiet');
}

function form(attempt: string, action: string, fields: string, label: string, style = 'main'): string {
  return `<form method="post" action="/claim">
<input type="hidden" name="attempt" value="${escapeHtml(attempt)}">${fields}
<button class="${style}" name="action" value="${action}">${label}</button>
</form>`;
}

function layout(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${CLAIM_PAGE_STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
<footer>Embedded service of tickhaul: nothing here is a real account</footer>
</body>
</html>
`;
}
