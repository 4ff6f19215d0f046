/**
 * The steps of the account protocol, each with its possible error codes (`docs/spec/account-api.md#issuer-error-codes`),
 * in the order of that table.
 */
export const STEP_CODES = {
  /** `POST /agent/identity` with type service_auth. */
  register: ['invalid_request', 'invalid_login_hint', 'service_auth_registration_disabled'],
  /** `POST /agent/identity/claim`. */
  claim: [
    'invalid_claim_token',
    'invalid_login_hint',
    'claim_expired',
    'claim_revoked',
    'already_claimed',
    'auth_method_disabled',
    'too_many_attempts',
  ],
  /** `POST /agent/identity/claim/complete`. */
  complete: [
    'auth_method_disabled',
    'claim_not_confirmed',
    'invalid_user_code',
    'user_code_expired',
    'claim_expired',
    'already_claimed',
    'claim_denied',
    'organization_selection_required',
    'stale_organization_selection',
  ],
  /** `POST /oauth2/token`. */
  token: ['invalid_request', 'invalid_grant', 'invalid_target', 'unsupported_grant_type'],
  /** `POST /agent/identity` with type refresh. */
  refresh: ['invalid_refresh_token'],
  /** The account operations. Their codes are not documented; the first is that of RFC 6750, section 3.1. */
  account: ['invalid_token', 'account_not_found'],
  /** `GET /v1/account/openapi.json`. */
  openapi: [],
  /** `GET /.well-known/oauth-protected-resource`. */
  resource: [],
  /** `GET /v1/api-key-info`, with the API key. */
  key: [],
} as const satisfies Readonly<Record<string, readonly RefusalCode[]>>;

export type Step = keyof typeof STEP_CODES;

export const STEPS = Object.keys(STEP_CODES) as readonly Step[];

/** HTTP status of each code. The statuses are not documented, so clients must rely on the codes. */
export const STATUS_BY_CODE = {
  invalid_request: 400,
  invalid_login_hint: 400,
  service_auth_registration_disabled: 403,
  invalid_claim_token: 401,
  claim_expired: 410,
  claim_revoked: 410,
  already_claimed: 409,
  auth_method_disabled: 403,
  too_many_attempts: 429,
  claim_not_confirmed: 409,
  invalid_user_code: 400,
  user_code_expired: 410,
  claim_denied: 403,
  organization_selection_required: 409,
  stale_organization_selection: 409,
  invalid_grant: 400,
  invalid_target: 400,
  unsupported_grant_type: 400,
  invalid_refresh_token: 401,
  invalid_token: 401,
  account_not_found: 404,
  not_found: 404,
  rate_limit_exceeded: 429,
} as const;

export type RefusalCode = keyof typeof STATUS_BY_CODE;

/** A refusal by a step, thrown by its work. */
export class Refusal extends Error {
  constructor(
    readonly code: RefusalCode,
    message: string,
  ) {
    super(message);
  }
}
