import { addDays, type Day, formatDay, msToDay, parseDay } from '../../day-files/day.js';
import { hasExpiredKey, hasKey, sendKeyRefusal } from '../hosts/authorization.js';
import type { SandboxKeyAccess } from '../hosts/sandbox-key-access.js';
import { parseTarget, type SandboxCall, type SandboxHandler } from '../http/sandbox-call.js';
import { answerStep, type StepResult } from '../issuer/answer-step.js';
import { Refusal } from '../issuer/issuer-steps.js';
import { readJsonBody } from '../issuer/request-body.js';
import type { SandboxIssuer } from '../issuer/sandbox-issuer.js';
import { type Account, Accounts } from './accounts.js';
import { createOpenApiDocument } from './openapi-document.js';

const MAX_USAGE_DAYS = 366;

export interface AccountApiOptions {
  readonly issuer: SandboxIssuer;
  /** The issuer's origin. */
  readonly issuerUrl: () => string;
  /** Response of the key check; undefined for a service without it. */
  readonly keyInfo: readonly SandboxKeyAccess[] | undefined;
}

/** Serves the account API (`docs/spec/account-api.md#account-calls`). Returns undefined for calls to other APIs. */
export function createAccountApi({
  issuer,
  issuerUrl,
  keyInfo,
}: AccountApiOptions): (call: SandboxCall) => Promise<void> | undefined {
  const accounts = new Accounts();
  const { answerSettings } = issuer;
  const handleOperation: SandboxHandler = (call) =>
    answerStep(call, 'account', answerSettings, async () => {
      const email = issuer.findEmail(readBearerToken(call) ?? '');
      if (email === undefined) throw new Refusal('invalid_token', 'The access token is missing or not valid');
      return runOperation(call, accounts, email);
    });
  return (call) => {
    const { pathname } = parseTarget(call);
    const origin = `http://${call.request.headers.host}`;
    const isGet = call.request.method === 'GET';
    if (isGet && pathname === '/.well-known/oauth-protected-resource') {
      // RFC 9728, section 2.
      const body = {
        resource: origin,
        authorization_servers: [issuerUrl()],
        bearer_methods_supported: ['header'],
      };
      return answerStep(call, 'resource', answerSettings, () => ({ body }));
    }
    if (isGet && pathname === '/v1/account/openapi.json') {
      return answerStep(call, 'openapi', answerSettings, () => ({ body: createOpenApiDocument(origin) }));
    }
    if (isGet && pathname === '/v1/api-key-info' && keyInfo) {
      if (!hasKey(call) && !hasExpiredKey(call)) return sendKeyRefusal(call);
      return answerStep(call, 'key', answerSettings, () => ({ body: hasKey(call) ? keyInfo : [] }));
    }
    return /^\/v1\/account(\/|$)/.test(pathname) ? handleOperation(call) : undefined;
  };
}

async function runOperation(call: SandboxCall, accounts: Accounts, email: string): Promise<StepResult> {
  const { pathname, searchParams } = parseTarget(call);
  const operation = `${call.request.method} ${pathname}`;
  const account = accounts.find(email);
  if (operation === 'POST /v1/account') {
    return account ? { body: account } : { status: 201, body: accounts.create(email) };
  }
  if (!account) throw new Refusal('account_not_found', 'There is no account yet; POST /v1/account makes it');
  if (operation === 'GET /v1/account') return { body: account };
  if (operation === 'PATCH /v1/account')
    return { body: accounts.update(renameAccount(account, await readJsonBody(call))) };
  if (operation === 'GET /v1/account/api-keys') {
    const active = searchParams.get('active');
    return { body: account.apiKeys.filter((key) => active === null || String(key.active) === active) };
  }
  if (operation === 'GET /v1/account/usage') return { body: createUsage(searchParams) };
  const keyId = /^DELETE \/v1\/account\/api-keys\/([^/]+)$/.exec(operation)?.[1];
  if (keyId !== undefined && account.apiKeys.some(({ id }) => id === keyId)) {
    const apiKeys = account.apiKeys.map((key) => (key.id === keyId ? { ...key, active: false } : key));
    accounts.update({ ...account, apiKeys });
    return { status: 204, body: undefined };
  }
  throw new Refusal('not_found', `There is nothing at ${pathname}`);
}

function renameAccount(
  account: Account,
  { name, ...otherFields }: Readonly<Record<string, unknown>>,
): Account {
  const isName = name === null || (typeof name === 'string' && name.length > 0 && name.length <= 100);
  if (!isName || Object.keys(otherFields).length > 0) {
    throw new Refusal(
      'invalid_request',
      'The body must hold name, of 1 to 100 characters or null, and nothing else',
    );
  }
  return { ...account, name };
}

/** All days have 0 bytes, since the embedded service does not count transfers. */
function createUsage(query: URLSearchParams): readonly object[] {
  const from = readDay(query, 'from');
  const to = query.has('to') ? readDay(query, 'to') : addDays(msToDay(Date.now()), 1);
  const days = Math.max(0, to - from);
  if (days > MAX_USAGE_DAYS) throw new Refusal('invalid_request', `More than ${MAX_USAGE_DAYS} days`);
  return Array.from({ length: days }, (_, i) => ({ date: formatDay(addDays(from, i)), bytes: 0 }));
}

function readDay(query: URLSearchParams, name: string): Day {
  try {
    return parseDay(query.get(name) ?? '');
  } catch {
    throw new Refusal('invalid_request', `${name} must be a day such as 2024-03-01`);
  }
}

function readBearerToken({ request }: SandboxCall): string | undefined {
  return /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
}
