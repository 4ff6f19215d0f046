import { createHash } from 'node:crypto';
import { addDays, type Day, formatDay, msToDay, parseDay } from '../../day-files/day.js';
import { LruMap } from '../archive/lru-map.js';
import { answerStep, readJsonBody, type StepResult } from '../issuer/answer-step.js';
import { Refusal } from '../issuer/issuer-steps.js';
import type { SandboxIssuer } from '../issuer/sandbox-issuer.js';
import type { SandboxKeyAccess } from '../sandbox-options.js';
import { hasExpiredKey, hasKey, sendKeyRefusal } from './authorization.js';
import {
  parseTarget,
  type Route,
  type RouteHandler,
  readOrigin,
  route,
  type SandboxCall,
} from './sandbox-call.js';

const MAX_USAGE_DAYS = 366;

interface AccountApiOptions {
  readonly issuer: SandboxIssuer;
  /** The issuer's origin. */
  readonly issuerUrl: () => string;
  /** Response of the key check; undefined for a service without it. */
  readonly keyInfo: readonly SandboxKeyAccess[] | undefined;
}

/** The routes of the account API (`docs/spec/account-api.md#account-calls`), and of the key check. */
export function createAccountRoutes({ issuer, issuerUrl, keyInfo }: AccountApiOptions): readonly Route[] {
  const accounts = new Accounts();
  const { answerSettings } = issuer;
  /** An operation of the user who has signed in. */
  const withEmail =
    <Name extends string = never>(work: Operation<string, Name>): RouteHandler<Name> =>
    (call, params) =>
      answerStep(call, 'account', answerSettings, () => {
        const email = issuer.findEmail(readBearerToken(call) ?? '');
        if (email === undefined)
          throw new Refusal('invalid_token', 'The access token is missing or not valid');
        return work(email, call, params);
      });
  const withAccount = <Name extends string = never>(work: Operation<Account, Name>): RouteHandler<Name> =>
    withEmail<Name>((email, call, params) => {
      const account = accounts.find(email);
      if (!account)
        throw new Refusal('account_not_found', 'There is no account yet; POST /v1/account makes it');
      return work(account, call, params);
    });
  return [
    route('GET', '/.well-known/oauth-protected-resource', (call) =>
      // RFC 9728, section 2.
      answerStep(call, 'resource', answerSettings, () => ({
        body: {
          resource: readOrigin(call),
          authorization_servers: [issuerUrl()],
          bearer_methods_supported: ['header'],
        },
      })),
    ),
    ...(keyInfo
      ? [
          route('GET', '/v1/api-key-info', (call) =>
            hasKey(call) || hasExpiredKey(call)
              ? answerStep(call, 'key', answerSettings, () => ({ body: hasKey(call) ? keyInfo : [] }))
              : sendKeyRefusal(call),
          ),
        ]
      : []),
    route('GET', '/v1/account/openapi.json', (call) =>
      answerStep(call, 'openapi', answerSettings, () => ({ body: createOpenApiDocument(readOrigin(call)) })),
    ),
    route(
      'POST',
      '/v1/account',
      withEmail((email) => {
        const account = accounts.find(email);
        return account ? { body: account } : { status: 201, body: accounts.create(email) };
      }),
    ),
    route(
      'GET',
      '/v1/account',
      withAccount((account) => ({ body: account })),
    ),
    route(
      'PATCH',
      '/v1/account',
      withAccount(async (account, call) => ({
        body: accounts.update(renameAccount(account, await readJsonBody(call))),
      })),
    ),
    route(
      'GET',
      '/v1/account/api-keys',
      withAccount(({ apiKeys }, call) => {
        const active = parseTarget(call).searchParams.get('active');
        return { body: apiKeys.filter((key) => active === null || String(key.active) === active) };
      }),
    ),
    route(
      'DELETE',
      '/v1/account/api-keys/:id',
      withAccount<'id'>((account, call, { id }) => {
        if (account.apiKeys.every((key) => key.id !== id)) throw createNotFound(call);
        const apiKeys = account.apiKeys.map((key) => (key.id === id ? { ...key, active: false } : key));
        accounts.update({ ...account, apiKeys });
        return { status: 204, body: undefined };
      }),
    ),
    route(
      'GET',
      '/v1/account/usage',
      withAccount((_, call) => ({ body: createUsage(parseTarget(call).searchParams) })),
    ),
    route(
      '*',
      '/v1/account/*',
      withAccount((_, call) => {
        throw createNotFound(call);
      }),
    ),
  ];
}

/** An operation of a user: of the e-mail address, or of the account. */
type Operation<User, Name extends string> = (
  user: User,
  call: SandboxCall,
  params: Readonly<Record<Name, string>>,
) => StepResult | Promise<StepResult>;

function createNotFound(call: SandboxCall): Refusal {
  return new Refusal('not_found', `There is nothing at ${parseTarget(call).pathname}`);
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

/** The account resource. Its fields are invented, since the service does not document them. */
interface Account {
  readonly id: string;
  readonly email: string;
  readonly createdAt: string;
  readonly name: string | null;
  readonly subscription: { readonly type: string; readonly billingInterval: string };
  readonly apiKeys: readonly AccountKey[];
}

/** An API key as its account lists it, without the key itself. */
interface AccountKey {
  readonly id: string;
  readonly lastFour: string;
  readonly active: boolean;
}

/** All accounts, in memory. */
class Accounts {
  readonly #byEmail = new LruMap<Account>();

  find(email: string): Account | undefined {
    return this.#byEmail.get(email);
  }

  create(email: string): Account {
    const id = createHash('sha256').update(email).digest('hex').slice(0, 24);
    const account: Account = {
      id: `acc_${id}`,
      email,
      createdAt: new Date().toISOString(),
      name: null,
      subscription: { type: 'Business', billingInterval: 'Monthly' },
      apiKeys: [
        { id: 'key_1', lastFour: '-key', active: true },
        { id: 'key_2', lastFour: '7f3a', active: true },
      ],
    };
    return this.update(account);
  }

  update(account: Account): Account {
    this.#byEmail.set(account.email, account);
    return account;
  }
}

const ACCOUNT = { $ref: '#/components/schemas/Account' };

const name = { type: ['string', 'null'], minLength: 1, maxLength: 100 };
const key = {
  type: 'object',
  required: ['id', 'lastFour', 'active'],
  properties: { id: { type: 'string' }, lastFour: { type: 'string' }, active: { type: 'boolean' } },
};
const day = (parameter: string, description: string): object => ({
  name: parameter,
  in: 'query',
  description,
  required: parameter === 'from',
  schema: { type: 'string', format: 'date' },
});

function createResponse(description: string, schema: object): object {
  return { description, content: { 'application/json': { schema } } };
}

const ERRORS = {
  '400': createResponse('The request is wrong', { $ref: '#/components/schemas/Error' }),
  '401': createResponse('No valid access token', { $ref: '#/components/schemas/Error' }),
};

/** The OpenAPI 3.1.0 description of the account operations. @param origin origin of the metadata host. */
function createOpenApiDocument(origin: string): object {
  return {
    openapi: '3.1.0',
    info: { title: 'Account API', version: '1.0.0' },
    servers: [{ url: origin }],
    security: [{ accessToken: [] }],
    paths: {
      '/v1/account': {
        post: {
          operationId: 'createAccount',
          summary: 'Create the account, or return the existing one',
          responses: {
            '200': createResponse('The account exists', ACCOUNT),
            '201': createResponse('The account is new', ACCOUNT),
            ...ERRORS,
          },
        },
        get: {
          operationId: 'getAccount',
          summary: 'Show the account',
          responses: { '200': createResponse('The account', ACCOUNT), ...ERRORS },
        },
        patch: {
          operationId: 'updateAccount',
          summary: 'Change the account',
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  additionalProperties: false,
                  required: ['name'],
                  properties: { name },
                },
              },
            },
          },
          responses: { '200': createResponse('The changed account', ACCOUNT), ...ERRORS },
        },
      },
      '/v1/account/api-keys': {
        get: {
          operationId: 'listApiKeys',
          summary: 'List the API keys, without the keys themselves',
          parameters: [{ name: 'active', in: 'query', schema: { type: 'boolean' } }],
          responses: { '200': createResponse('The keys', { type: 'array', items: key }), ...ERRORS },
        },
      },
      '/v1/account/api-keys/{keyId}': {
        parameters: [
          { name: 'keyId', in: 'path', required: true, schema: { type: 'string', pattern: '^key_[0-9]+$' } },
        ],
        delete: {
          operationId: 'deactivateApiKey',
          summary: 'Deactivate an API key',
          responses: { '204': { description: 'The key is inactive' }, ...ERRORS },
        },
      },
      '/v1/account/usage': {
        get: {
          operationId: 'getUsage',
          summary: 'Data transfer of a span of UTC days',
          parameters: [
            day('from', 'first UTC day'),
            day('to', 'UTC day after the last one; default: tomorrow'),
          ],
          responses: {
            '200': createResponse('Bytes of each day', {
              type: 'array',
              items: {
                type: 'object',
                required: ['date', 'bytes'],
                properties: { date: { type: 'string', format: 'date' }, bytes: { type: 'integer' } },
              },
            }),
            ...ERRORS,
          },
        },
      },
    },
    components: {
      securitySchemes: { accessToken: { type: 'http', scheme: 'bearer' } },
      schemas: {
        Account: {
          type: 'object',
          required: ['id', 'email', 'createdAt'],
          properties: {
            id: { type: 'string' },
            email: { type: 'string', format: 'email' },
            createdAt: { type: 'string', format: 'date-time' },
            name,
            subscription: { type: 'object' },
            apiKeys: { type: 'array', items: key },
          },
        },
        Error: {
          type: 'object',
          required: ['code', 'message'],
          properties: { code: { type: 'string' }, message: { type: 'string' } },
        },
      },
    },
  };
}
