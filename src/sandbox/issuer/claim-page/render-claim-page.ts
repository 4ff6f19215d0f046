import { createHash } from 'node:crypto';
import { escapeHtml } from '../../../base/text.js';
import { CLAIM_PAGE_STYLE } from './claim-page-style.js';

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

const styleHash = createHash('sha256').update(CLAIM_PAGE_STYLE).digest('base64');

/** Allows only the page's own style and forms. */
export const CONTENT_SECURITY_POLICY = `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

/** Renders the page, with its HTTP status. It needs no script and nothing from the network. */
export function renderClaimPage(state: ClaimPageState): { readonly status: number; readonly html: string } {
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
