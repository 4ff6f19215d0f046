import { randomBytes, randomInt } from 'node:crypto';

const MAX_SECRETS = 10_000;
/** Nothing that looks like another one, but letters of both cases: a client must keep them as typed. */
const CODE_ALPHABET = 'ADEFGHJMNQRTabdefghmnqrt34679';
const CODE_LENGTH = 8;

export type SecretKind = 'claim_token' | 'user_code' | 'assertion' | 'refresh_token' | 'access_token';

/** Something that no output, log or file but the identity store may hold. */
export interface IssuedSecret {
  readonly kind: SecretKind;
  readonly value: string;
}

/** Makes secrets, and keeps the list of them for tests that search outputs. */
export class IssuedSecrets {
  readonly #issued: IssuedSecret[] = [];

  /** The latest ones, oldest first. User codes stand without their hyphen. */
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
