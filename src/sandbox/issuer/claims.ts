import { randomBytes } from 'node:crypto';
import { Latest } from '../archive/latest.js';
import { readEmail } from './email.js';
import type { Lifetimes } from './options.js';
import type { Secrets } from './secrets.js';
import { Refused } from './steps.js';

const MAX_KEPT_ATTEMPTS = 100;

/** A registration that waits for its user, or is done with. */
export interface Claim {
  readonly id: string;
  readonly email: string;
  /** Milliseconds since the epoch. */
  readonly expires: number;
  readonly attempts: Attempt[];
  state: 'pending' | 'claimed' | 'denied';
}

/** One link, and the code that its page shows. */
export interface Attempt {
  /** In the link. */
  readonly id: string;
  readonly claim: Claim;
  readonly userCode: string;
  /** Milliseconds since the epoch. */
  readonly expires: number;
  /** How far the user came: signed in with the right account, and then saw the code. */
  progress: 'none' | 'choosing' | 'confirmed';
  organization: string | undefined;
}

export interface ClaimsOptions {
  readonly secrets: Secrets;
  readonly lifetimes: Lifetimes;
  /** Attempts of one claim that may be pending at once. */
  readonly maxAttempts: number;
}

/** Registrations and their claim ceremonies (service interface, Authentication, steps 2 to 4). */
export class Claims {
  readonly #byToken = new Latest<Claim>();
  readonly #attempts = new Latest<Attempt>();

  constructor(readonly options: ClaimsOptions) {}

  /** @returns the claim token. */
  register(loginHint: unknown): string {
    const email = readEmail(loginHint);
    if (email === undefined) throw new Refused('invalid_login_hint', 'login_hint must be an e-mail address');
    const token = this.options.secrets.token('claim_token', 'clm');
    const expires = Date.now() + this.options.lifetimes.claim;
    this.#byToken.set(token, { id: newId('agent_reg'), email, expires, attempts: [], state: 'pending' });
    return token;
  }

  startAttempt(token: unknown, loginHint: unknown): Attempt {
    const claim = this.#find(token);
    if (!claim) throw new Refused('invalid_claim_token', 'The claim token is not known');
    if (claim.state === 'claimed') throw new Refused('already_claimed', 'The claim is completed already');
    if (claim.state === 'denied') throw new Refused('claim_revoked', 'The claim is no longer open');
    if (isOver(claim)) throw new Refused('claim_expired', 'The claim has expired');
    if (readEmail(loginHint) !== claim.email) {
      throw new Refused('invalid_login_hint', 'login_hint is not the e-mail address of the registration');
    }
    if (claim.attempts.filter((attempt) => !isOver(attempt)).length >= this.options.maxAttempts) {
      throw new Refused('too_many_attempts', 'Too many attempts are pending; wait for one to expire');
    }
    const attempt: Attempt = {
      id: newId('att'),
      claim,
      userCode: this.options.secrets.userCode(),
      expires: Math.min(claim.expires, Date.now() + this.options.lifetimes.code),
      progress: 'none',
      organization: undefined,
    };
    if (claim.attempts.push(attempt) > MAX_KEPT_ATTEMPTS) claim.attempts.shift();
    this.#attempts.set(attempt.id, attempt);
    return attempt;
  }

  /** The attempt of a link. */
  attempt(id: string): Attempt | undefined {
    return this.#attempts.get(id);
  }

  /** Ends the ceremony; its identity is given out once. */
  complete(token: unknown, userCode: unknown): Claim {
    const claim = this.#find(token);
    // The page has no code of its own for a token that is not known at this step.
    if (!claim) throw new Refused('claim_expired', 'The claim is not known, or has expired');
    if (claim.state === 'claimed') throw new Refused('already_claimed', 'The claim is completed already');
    if (claim.state === 'denied') throw new Refused('claim_denied', 'The user denied the claim');
    if (isOver(claim)) throw new Refused('claim_expired', 'The claim has expired');
    const attempt = claim.attempts.find((one) => one.userCode === userCode);
    const pending = claim.attempts.filter((one) => !isOver(one));
    if (attempt ? isOver(attempt) : claim.attempts.length > 0 && pending.length === 0) {
      throw new Refused('user_code_expired', 'The user code has expired; start a new attempt');
    }
    if (pending.every(({ progress }) => progress !== 'confirmed')) {
      if (pending.some(({ progress }) => progress === 'choosing')) {
        throw new Refused('organization_selection_required', 'The user must choose an organization');
      }
      throw new Refused('claim_not_confirmed', 'The user has not finished on the claim page');
    }
    if (attempt?.progress !== 'confirmed') throw new Refused('invalid_user_code', 'The user code is wrong');
    claim.state = 'claimed';
    return claim;
  }

  #find(token: unknown): Claim | undefined {
    return typeof token === 'string' ? this.#byToken.get(token) : undefined;
  }
}

/** Whether its time is over. */
export function isOver({ expires }: { readonly expires: number }): boolean {
  return Date.now() >= expires;
}

function newId(prefix: string): string {
  return `${prefix}_${randomBytes(16).toString('base64url')}`;
}
