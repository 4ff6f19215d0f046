import { request } from 'undici';

/** A user of the claim page, without a browser: submits forms, keeps one cookie and reads the page. */
export interface ClaimVisitor {
  /** Posts a form of the page with its action and more fields; returns the resulting page. */
  act(action: string, fields?: Readonly<Record<string, string>>): Promise<ClaimPage>;
  /** Loads the page. */
  look(): Promise<ClaimPage>;
}

export interface ClaimPage {
  readonly status: number;
  readonly html: string;
  /** The code as shown, with its hyphen; undefined if the page shows none. */
  readonly code: string | undefined;
}

/** @param verificationUri `attempt.verification_uri` of the issuer’s response. */
export function claimVisitor(verificationUri: string): ClaimVisitor {
  const { origin, searchParams } = new URL(verificationUri);
  let cookie = '';
  const look = async (): Promise<ClaimPage> => {
    const { statusCode, body } = await request(verificationUri, { headers: { cookie } });
    const html = await body.text();
    return { status: statusCode, html, code: /<output id="user-code"[^>]*>([^<]+)</.exec(html)?.[1] };
  };
  const act: ClaimVisitor['act'] = async (action, fields = {}) => {
    const answer = await request(`${origin}/claim`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ attempt: searchParams.get('attempt') ?? '', action, ...fields }).toString(),
    });
    const html = await answer.body.text();
    const set = answer.headers['set-cookie'];
    if (set !== undefined) cookie = String(set).split(';')[0] ?? '';
    return answer.statusCode === 303 ? look() : { status: answer.statusCode, html, code: undefined };
  };
  return { act, look };
}

/** Signs in with the e-mail address and reads the code from the page. */
export async function approveClaim(verificationUri: string, email: string): Promise<string> {
  const { code, html } = await claimVisitor(verificationUri).act('sign-in', { email });
  if (code === undefined) throw new Error(`the claim page shows no code:\n${html}`);
  return code;
}
