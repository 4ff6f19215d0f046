import type { SandboxCall, SandboxHandler } from '../http/sandbox-call.js';
import { type Answering, answerStep } from './answer.js';
import type { Claims } from './claims.js';
import type { Identities } from './identities.js';
import { readForm, readJson } from './request-body.js';
import { Refused } from './steps.js';

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

export interface ProtocolOptions {
  readonly claims: Claims;
  readonly identities: Identities;
  readonly answering: Answering;
  /** Whether a resource URI is the account API's (RFC 8707). */
  readonly isResource: (uri: string) => boolean;
}

/** The endpoints of an agent, by method and path (service interface, Identity issuer endpoints). */
export function protocolEndpoints(options: ProtocolOptions): Readonly<Record<string, SandboxHandler>> {
  const { claims, identities, answering, isResource } = options;
  return {
    'POST /agent/identity': async (call) => {
      const { type, login_hint: loginHint, refresh_token: refreshToken } = await readJson(call);
      if (type === 'refresh') {
        return answerStep(call, 'refresh', answering, () => ({
          body: identities.refresh(required('refresh_token', refreshToken), originOf(call)),
        }));
      }
      return answerStep(call, 'register', answering, () => {
        requireServiceAuth(type);
        return { body: { claim: { token: claims.register(loginHint) } } };
      });
    },
    'POST /agent/identity/claim': async (call) => {
      const { type, claim_token: token, login_hint: loginHint } = await readJson(call);
      return answerStep(call, 'claim', answering, () => {
        requireServiceAuth(type);
        const { id } = claims.startAttempt(token, loginHint);
        return { body: { attempt: { verification_uri: `${originOf(call)}/claim?attempt=${id}` } } };
      });
    },
    'POST /agent/identity/claim/complete': async (call) => {
      const { claim_token: token, user_code: userCode } = await readJson(call);
      return answerStep(call, 'complete', answering, () => ({
        body: identities.create(claims.complete(token, userCode), originOf(call)),
      }));
    },
    'POST /oauth2/token': async (call) => {
      const { grant_type: grantType, assertion, resource } = await readForm(call);
      return answerStep(call, 'token', answering, () => {
        if (grantType !== GRANT_TYPE) {
          throw new Refused('unsupported_grant_type', `grant_type must be ${GRANT_TYPE}`);
        }
        if (resource !== undefined && !isResource(resource)) {
          throw new Refused('invalid_target', 'The resource is not known');
        }
        return { body: identities.exchange(required('assertion', assertion)) };
      });
    },
  };
}

/** The origin under which the client reached the issuer. */
function originOf({ request }: SandboxCall): string {
  return `http://${request.headers.host}`;
}

function requireServiceAuth(type: unknown): void {
  if (type !== 'service_auth')
    throw new Refused('invalid_request', 'type is not one that this endpoint takes');
}

/** The field's text. */
function required(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new Refused('invalid_request', `${name} is missing`);
}
