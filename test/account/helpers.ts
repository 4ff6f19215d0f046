import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { AccountContext } from '../../src/account/account-session.js';
import type { Identity } from '../../src/account/identity.js';
import { type IdentityStore, openIdentityStore } from '../../src/account/identity-store.js';
import {
  type LoginEvent,
  type LoginInput,
  type LoginResult,
  signInToAccount,
} from '../../src/account/sign-in-to-account.js';
import { Secrets } from '../../src/base/secrets.js';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox-options.js';
import { type Issuer, parseIssuer } from '../../src/service/issuer.js';
import { approveClaim } from '../helpers/claim-page.js';
import { isAlive } from '../helpers/is-alive.js';
import { sandbox } from '../helpers/sandbox.js';
import { tempDir } from '../helpers/temp.js';
import { clientFor } from '../service/loopback.js';

export const EMAIL = 'jo@example.com';

/** Opens an identity store in a config folder. @param api address of the API that the identities are for. */
export function openStore(configDir: string, api = 'https://api.tardis.dev'): IdentityStore {
  const owner = { pid: process.pid, host: 'here', command: 'test', isAlive };
  return openIdentityStore({ configDir, api, owner });
}

export interface Account extends AccountContext {
  readonly configDir: string;
  readonly issuer: Issuer;
}

/** Creates a client of the service with an empty identity store. */
export async function createAccount(
  t: TestContext,
  { apiUrl, issuerUrl }: Pick<Sandbox, 'apiUrl' | 'issuerUrl'>,
  { stallTimeoutMs = 60_000, maxWaitMs = 1000 } = {},
): Promise<Account> {
  const configDir = join(await tempDir(t), 'config');
  await mkdir(configDir);
  const client = clientFor(t, apiUrl, { stallTimeoutMs });
  return {
    calls: { client, secrets: new Secrets(), maxWaitMs },
    issuer: parseIssuer(issuerUrl, 'the issuer'),
    store: openStore(configDir, apiUrl),
    configDir,
  };
}

/** An embedded service, and a client of it with an empty identity store. */
export async function sandboxAccount(
  t: TestContext,
  options: SandboxOptions = {},
  limits: Parameters<typeof createAccount>[2] = {},
): Promise<{ readonly service: Sandbox; readonly account: Account }> {
  const service = await sandbox(t, options);
  return { service, account: await createAccount(t, service, limits) };
}

export interface SignIn {
  readonly events: readonly LoginEvent[];
  readonly result: Promise<LoginResult>;
}

/** Signs in like a user who opens the page at once and enters the code that it shows. */
export function signIn(context: Account, changes: Partial<LoginInput> = {}): SignIn {
  const events: LoginEvent[] = [];
  const emit = (event: LoginEvent): void => {
    events.push(event);
  };
  const askCode = (): Promise<string> => {
    const last = events.findLast((event) => event.event === 'verification');
    return last ? approveClaim(last.uri, EMAIL) : Promise.reject(new Error('no link was given'));
  };
  const input = { context, email: EMAIL, askCode, emit, timeoutMs: 120_000, pauseMs: 5, ...changes };
  return { events, result: signInToAccount(input) };
}

/** Signs in and returns the stored identity. */
export async function storeNewIdentity(context: Account): Promise<Identity> {
  await signIn(context).result;
  const stored = await context.store.read(context.issuer.host, EMAIL);
  if (!stored) throw new Error('nothing was stored');
  return stored;
}

/** Creates an unsigned JWT with these claims. */
export function createJwt(claims: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none' })}.${part(claims)}.signature`;
}

/** Stores an identity whose assertion has expired, so that the next use refreshes it. */
export async function expireStored(context: Account, identity: Identity): Promise<Identity> {
  const assertion = createJwt({ iat: 1_000_000, exp: 1_000_100 });
  return context.store.update(identity.issuer, identity.email, async () => ({ ...identity, assertion }));
}

/** Counts the POST requests for a path. */
export function countPosts({ requests }: Sandbox, path: string): number {
  return requests.filter((request) => request.url === path && request.method === 'POST').length;
}
