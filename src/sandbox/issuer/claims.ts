import { randomBytes, randomInt } from 'node:crypto';
import { LruMap } from '../archive/lru-map.js';
import type { IssuedSecret, Lifetimes, SecretKind } from '../sandbox-options.js';
import { Refusal } from './issuer-steps.js';

const MAX_ATTEMPTS_IN_MEMORY = 100;

/** A registration that waits for its user, or is complete. */
export interface Claim {
  readonly id: string;
  readonly email: string;
  /** Milliseconds since the epoch. */
  readonly expiresMs: number;
  readonly attempts: Attempt[];
  state: 'pending' | 'claimed' | 'denied';
}

/** One link, and the code that its page shows. */
export interface Attempt {
  /** Id in the link. */
  readonly id: string;
  readonly claim: Claim;
  readonly userCode: string;
  /** Milliseconds since the epoch. */
  readonly expiresMs: number;
  /** The user's progress: signed in to the right account, then shown the code. */
  progress: 'none' | 'choosing' | 'confirmed';
  organization: string | undefined;
}

export interface ClaimsOptions {
  readonly secrets: IssuedSecrets;
  readonly lifetimes: Lifetimes;
  /** Attempts of one claim that may be pending at once. */
  readonly maxAttempts: number;
}

/** Registrations and their claims (`docs/spec/account-api.md#sign-in`). */
export class Claims {
  readonly #byToken = new LruMap<Claim>();
  readonly #attempts = new LruMap<Attempt>();

  constructor(readonly options: ClaimsOptions) {}

  /** @returns the claim token. */
  register(loginHint: unknown): string {
    const email = normalizeEmail(loginHint);
    if (email === undefined) throw new Refusal('invalid_login_hint', 'login_hint must be an e-mail address');
    const token = this.options.secrets.createToken('claim_token', 'clm');
    const expiresMs = Date.now() + this.options.lifetimes.claim;
    this.#byToken.set(token, { id: createId('agent_reg'), email, expiresMs, attempts: [], state: 'pending' });
    return token;
  }

  startAttempt(token: unknown, loginHint: unknown): Attempt {
    const claim = this.#find(token);
    if (!claim) throw new Refusal('invalid_claim_token', 'The claim token is not known');
    if (claim.state === 'claimed') throw new Refusal('already_claimed', 'The claim is already completed');
    if (claim.state === 'denied') throw new Refusal('claim_revoked', 'The claim is no longer open');
    if (hasExpired(claim)) throw new Refusal('claim_expired', 'The claim has expired');
    if (normalizeEmail(loginHint) !== claim.email) {
      throw new Refusal('invalid_login_hint', 'login_hint is not the e-mail address of the registration');
    }
    if (claim.attempts.filter((findAttempt) => !hasExpired(findAttempt)).length >= this.options.maxAttempts) {
      throw new Refusal('too_many_attempts', 'Too many attempts are pending; wait for one to expire');
    }
    const attempt: Attempt = {
      id: createId('att'),
      claim,
      userCode: this.options.secrets.createUserCode(),
      expiresMs: Math.min(claim.expiresMs, Date.now() + this.options.lifetimes.code),
      progress: 'none',
      organization: undefined,
    };
    if (claim.attempts.push(attempt) > MAX_ATTEMPTS_IN_MEMORY) claim.attempts.shift();
    this.#attempts.set(attempt.id, attempt);
    return attempt;
  }

  /** Finds the attempt of a link. */
  attempt(id: string): Attempt | undefined {
    return this.#attempts.get(id);
  }

  /** Completes the claim. Its identity is issued only once. */
  complete(token: unknown, userCode: unknown): Claim {
    const claim = this.#find(token);
    // No error code exists for an unknown token in this step.
    if (!claim) throw new Refusal('claim_expired', 'The claim is not known, or has expired');
    if (claim.state === 'claimed') throw new Refusal('already_claimed', 'The claim is already completed');
    if (claim.state === 'denied') throw new Refusal('claim_denied', 'The user denied the claim');
    if (hasExpired(claim)) throw new Refusal('claim_expired', 'The claim has expired');
    const attempt = claim.attempts.find((attempt) => attempt.userCode === userCode);
    const pending = claim.attempts.filter((attempt) => !hasExpired(attempt));
    if (attempt ? hasExpired(attempt) : claim.attempts.length > 0 && pending.length === 0) {
      throw new Refusal('user_code_expired', 'The user code has expired; start a new attempt');
    }
    if (pending.every(({ progress }) => progress !== 'confirmed')) {
      if (pending.some(({ progress }) => progress === 'choosing')) {
        throw new Refusal('organization_selection_required', 'The user must choose an organization');
      }
      throw new Refusal('claim_not_confirmed', 'The user has not finished on the claim page');
    }
    if (attempt?.progress !== 'confirmed') throw new Refusal('invalid_user_code', 'The user code is wrong');
    claim.state = 'claimed';
    return claim;
  }

  #find(token: unknown): Claim | undefined {
    return typeof token === 'string' ? this.#byToken.get(token) : undefined;
  }
}

/** Whether the time of expiry has passed. */
export function hasExpired({ expiresMs }: { readonly expiresMs: number }): boolean {
  return Date.now() >= expiresMs;
}

function createId(prefix: string): string {
  return `${prefix}_${randomBytes(16).toString('base64url')}`;
}

const MAX_LENGTH = 254;

/** Returns the address in lower case, for comparison; undefined if it is not an e-mail address. */
export function normalizeEmail(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_LENGTH) return undefined;
  return /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(value) ? value.toLowerCase() : undefined;
}

const MAX_SECRETS = 10_000;
/** Omits similar characters, but has both cases, since clients must keep codes as typed. */
const CODE_ALPHABET = 'ADEFGHJMNQRTabdefghmnqrt34679';
const CODE_LENGTH = 8;

/** Creates secrets, and records them for tests that search outputs. */
export class IssuedSecrets {
  readonly #issued: IssuedSecret[] = [];
  /** The latest secrets, oldest first. User codes have no hyphen. */
  get issued(): readonly IssuedSecret[] {
    return this.#issued;
  }

  createToken(kind: SecretKind, prefix: string): string {
    return this.record(kind, `${prefix}_${randomBytes(24).toString('base64url')}`);
  }

  createUserCode(): string {
    const letters = Array.from({ length: CODE_LENGTH }, () => CODE_ALPHABET[randomInt(CODE_ALPHABET.length)]);
    return this.record('user_code', letters.join(''));
  }

  record(kind: SecretKind, value: string): string {
    this.#issued.push({ kind, value });
    if (this.#issued.length > MAX_SECRETS) this.#issued.splice(0, MAX_SECRETS / 2);
    return value;
  }
}
