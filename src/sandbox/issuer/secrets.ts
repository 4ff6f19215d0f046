import { randomBytes, randomInt } from 'node:crypto';

const MAX_KEPT = 10_000;
/** Nothing that looks like another one, but letters of both cases: a client must keep them as typed. */
const CODE_ALPHABET = 'ADEFGHJMNQRTabdefghmnqrt34679';
const CODE_LENGTH = 8;

export type SecretKind = 'claim_token' | 'user_code' | 'assertion' | 'refresh_token' | 'access_token';

/** Something that no output, log or file but the identity store may hold. */
export interface Secret {
  readonly kind: SecretKind;
  readonly value: string;
}

/** Makes secrets, and keeps the list of them for tests that search outputs. */
export class Secrets {
  readonly #issued: Secret[] = [];

  /** The latest ones, oldest first. User codes stand without their hyphen. */
  get issued(): readonly Secret[] {
    return this.#issued;
  }

  token(kind: SecretKind, prefix: string): string {
    return this.keep(kind, `${prefix}_${randomBytes(24).toString('base64url')}`);
  }

  userCode(): string {
    const letters = Array.from({ length: CODE_LENGTH }, () => CODE_ALPHABET[randomInt(CODE_ALPHABET.length)]);
    return this.keep('user_code', letters.join(''));
  }

  keep(kind: SecretKind, value: string): string {
    this.#issued.push({ kind, value });
    if (this.#issued.length > MAX_KEPT) this.#issued.splice(0, MAX_KEPT / 2);
    return value;
  }
}
