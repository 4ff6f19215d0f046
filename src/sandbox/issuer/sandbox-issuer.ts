import {
  createRouter,
  parseTarget,
  type Route,
  readOrigin,
  route,
  type SandboxHandler,
} from '../hosts/sandbox-call.js';
import type { IssuerControl, IssuerOptions, Lifetimes } from '../sandbox-options.js';
import {
  type AnswerSettings,
  answerStep,
  readJsonBody,
  readUrlEncodedForm,
  sendRefusal,
} from './answer-step.js';
import { createClaimPageHandler } from './claim-page.js';
import { Claims, IssuedSecrets, normalizeEmail } from './claims.js';
import { Identities } from './identities.js';
import { Refusal, StepFaults } from './issuer-steps.js';

/**
 * The identity issuer of the embedded service (`docs/spec/account-api.md#issuer-endpoints`).
 *
 * In tests:
 *
 *     const service = await startSandbox({
 *       issuer: {
 *         lifetimes: { token: 600_000, assertion: 3_600_000, claim: 3_600_000, code: 600_000, refresh: 1e9 }, // ms
 *         faults: { complete: { claim_not_confirmed: 1 }, token: { '500': 0.5 } }, // share of each step's requests
 *         faultsPerStep: 2,
 *         maxAttempts: 5,
 *         organizations: ['One', 'Two'], // the user must choose one on the page
 *       },
 *     });
 *     service.issuerUrl                  // for TICKHAUL_AUTH_URL; /.well-known/oauth-protected-resource names it too
 *     service.issuer.failNext('refresh', 'lost-answer', '503') // faults for the next requests of a step, in order
 *     service.issuer.answerNext('token', { status: 200, body: '[]', dripMs: 10 }) // any response, one byte every 10 ms
 *     service.issuer.revoke('jo@example.com')
 *     service.issuer.secrets             // { kind, value } of every secret issued, to search outputs for
 *     service.requests                   // host 'issuer' and 'api'; `fault` is set if the response had one
 *
 * Steps: register, claim, complete, token, refresh; account, openapi, resource (the account API), key (the key check).
 * Faults: each error code of the step (`issuer-steps.ts`), and the general faults (`GENERAL_FAULTS` there) for any step.
 *
 * The claim page is HTML with plain forms. To drive it without a browser (as test/helpers/claim-page.ts does):
 * POST `<issuer>/claim`, form-encoded, with `attempt` (from the query of `attempt.verification_uri`), an `action`, and
 * the cookie that the sign-in sets. Every response is a 303 to the page, which shows the code as
 * `<output id="user-code">Abcd-3Efg</output>`.
 *
 * | action  | further fields | effect                                                                     |
 * | ------- | -------------- | -------------------------------------------------------------------------- |
 * | sign-in | `email`        | signs in with any address, creates the account if needed, sets the cookie  |
 * | switch  |                | signs out, to sign in with the right account                               |
 * | choose  | `organization` | chooses an organization                                                    |
 * | deny    |                | denies the claim; requires the right account                               |
 *
 * The code is confirmed once the page has shown it: GET the page, signed in, before `complete`.
 */

const MINUTE_MS = 60_000;
const LIFETIMES: Lifetimes = {
  claim: 60 * MINUTE_MS,
  code: 10 * MINUTE_MS,
  assertion: 60 * MINUTE_MS,
  refresh: 30 * 24 * 60 * MINUTE_MS,
  token: 10 * MINUTE_MS,
};

export interface IssuerSettings {
  readonly options: IssuerOptions;
  readonly seed: number;
  readonly retryAfterSeconds: number;
  /** Whether a resource URI is that of the account API (RFC 8707). */
  readonly isResource: (uri: string) => boolean;
}

export interface SandboxIssuer {
  readonly handle: SandboxHandler;
  readonly control: IssuerControl;
  readonly answerSettings: AnswerSettings;
  /** Finds the e-mail address of an access token; undefined if the token is invalid. */
  findEmail(accessToken: string): string | undefined;
}

/** Creates an issuer without registrations. Its state is in memory, and bounded. */
export function createSandboxIssuer({
  options,
  seed,
  retryAfterSeconds,
  isResource,
}: IssuerSettings): SandboxIssuer {
  const lifetimes = withDefaults(options.lifetimes ?? {});
  const { organizations = [], maxAttempts = 5 } = options;
  const secrets = new IssuedSecrets();
  const claims = new Claims({ secrets, lifetimes, maxAttempts });
  const identities = new Identities(secrets, lifetimes);
  const faults = new StepFaults(options.faults ?? {}, seed, options.faultsPerStep ?? Infinity);
  const answerSettings = { faults, retryAfterSeconds };
  const page = createClaimPageHandler(claims, organizations.length > 1 ? organizations : []);

  const handle = createRouter(
    [
      ...createProtocolRoutes({ claims, identities, answerSettings, isResource }),
      route('GET', '/claim', page),
      route('POST', '/claim', page),
    ],
    async (call) => {
      throw new Refusal('not_found', `There is nothing at ${parseTarget(call).pathname}`);
    },
  );
  return {
    handle: async (call) => {
      try {
        await handle(call);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        await sendRefusal(call, error);
      }
    },
    control: {
      secrets: secrets.issued,
      failNext: (step, ...next) => faults.enqueue(step, next),
      answerNext: (step, ...next) => faults.enqueue(step, next),
      revoke: (email) => identities.revoke(normalizeEmail(email) ?? email),
    },
    answerSettings,
    findEmail: (token) => identities.findEmail(token),
  };
}

function withDefaults(given: NonNullable<IssuerOptions['lifetimes']>): Lifetimes {
  return {
    claim: given.claim ?? LIFETIMES.claim,
    code: given.code ?? LIFETIMES.code,
    assertion: given.assertion ?? LIFETIMES.assertion,
    refresh: given.refresh ?? LIFETIMES.refresh,
    token: given.token ?? LIFETIMES.token,
  };
}

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

export interface ProtocolOptions {
  readonly claims: Claims;
  readonly identities: Identities;
  readonly answerSettings: AnswerSettings;
  /** Whether a resource URI is that of the account API (RFC 8707). */
  readonly isResource: (uri: string) => boolean;
}

/** The routes for agents (`docs/spec/account-api.md#issuer-endpoints`). */
function createProtocolRoutes(options: ProtocolOptions): readonly Route[] {
  const { claims, identities, answerSettings, isResource } = options;
  return [
    route('POST', '/agent/identity', async (call) => {
      const { type, login_hint: loginHint, refresh_token: refreshToken } = await readJsonBody(call);
      if (type === 'refresh') {
        return answerStep(call, 'refresh', answerSettings, () => ({
          body: identities.refresh(requireText('refresh_token', refreshToken), readOrigin(call)),
        }));
      }
      return answerStep(call, 'register', answerSettings, () => {
        requireServiceAuth(type);
        return { body: { claim: { token: claims.register(loginHint) } } };
      });
    }),
    route('POST', '/agent/identity/claim', async (call) => {
      const { type, claim_token: token, login_hint: loginHint } = await readJsonBody(call);
      return answerStep(call, 'claim', answerSettings, () => {
        requireServiceAuth(type);
        const { id } = claims.startAttempt(token, loginHint);
        return { body: { attempt: { verification_uri: `${readOrigin(call)}/claim?attempt=${id}` } } };
      });
    }),
    route('POST', '/agent/identity/claim/complete', async (call) => {
      const { claim_token: token, user_code: userCode } = await readJsonBody(call);
      return answerStep(call, 'complete', answerSettings, () => ({
        body: identities.create(claims.complete(token, userCode), readOrigin(call)),
      }));
    }),
    route('POST', '/oauth2/token', async (call) => {
      const { grant_type: grantType, assertion, resource } = await readUrlEncodedForm(call);
      return answerStep(call, 'token', answerSettings, () => {
        if (grantType !== GRANT_TYPE) {
          throw new Refusal('unsupported_grant_type', `grant_type must be ${GRANT_TYPE}`);
        }
        if (resource !== undefined && !isResource(resource)) {
          throw new Refusal('invalid_target', 'The resource is not known');
        }
        return { body: identities.exchange(requireText('assertion', assertion)) };
      });
    }),
  ];
}

function requireServiceAuth(type: unknown): void {
  if (type !== 'service_auth') throw new Refusal('invalid_request', 'type is not supported by this endpoint');
}

/** Returns the text of a required field. */
function requireText(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new Refusal('invalid_request', `${name} is missing`);
}
