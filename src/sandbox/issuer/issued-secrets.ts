import { randomBytes, randomInt } from 'node:crypto';

const MAX_SECRETS = 10_000;
/** Omits similar characters, but has both cases, since clients must keep codes as typed. */
const CODE_ALPHABET = 'ADEFGHJMNQRTabdefghmnqrt34679';
const CODE_LENGTH = 8;

export type SecretKind = 'claim_token' | 'user_code' | 'assertion' | 'refresh_token' | 'access_token';

/** A secret that may appear only in the identity store, never in output, logs or other files. */
export interface IssuedSecret {
  readonly kind: SecretKind;
  readonly value: string;
}

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
