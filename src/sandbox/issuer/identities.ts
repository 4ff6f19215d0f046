import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { LruMap } from '../archive/lru-map.js';
import type { Lifetimes } from '../sandbox-options.js';
import { type Claim, hasExpired, type IssuedSecrets } from './claims.js';
import { Refusal } from './issuer-steps.js';

/** A verified identity, shared by its assertions, refresh tokens and access tokens. */
interface Identity {
  readonly id: string;
  readonly email: string;
  revoked: boolean;
}

interface Credential {
  readonly identity: Identity;
  /** Milliseconds since the epoch. */
  readonly expiresMs: number;
}

/** The response with a verified identity (`docs/spec/account-api.md#sign-in`). */
export interface IdentityBody {
  readonly identity: { readonly assertion: string; readonly refresh_token: { readonly value: string } };
}

/** The token response (RFC 6749, section 5.1). */
export interface TokenBody {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  /** Seconds. */
  readonly expires_in: number;
}

/** Identities and their tokens (`docs/spec/account-api.md#sign-in`). */
export class Identities {
  readonly #sign = createAssertionSigner();
  readonly #identities = new LruMap<Identity>();
  readonly #assertions = new LruMap<Credential>();
  readonly #refreshTokens = new LruMap<Credential & { rotated: boolean }>();
  readonly #accessTokens = new LruMap<Credential>();

  constructor(
    readonly secrets: IssuedSecrets,
    readonly lifetimes: Lifetimes,
  ) {}

  /** Creates the identity of a completed claim. @param issuer origin of the issuer. */
  create({ id, email }: Claim, issuer: string): IdentityBody {
    const identity = { id, email, revoked: false };
    this.#identities.set(id, identity);
    return this.#issue(identity, issuer);
  }

  /**
   * Rotates the refresh token. A token that was rotated before may have been stolen, so the identity is revoked
   * (RFC 9700, section 4.14.2).
   */
  refresh(refreshToken: string, issuer: string): IdentityBody {
    const known = this.#refreshTokens.get(refreshToken);
    if (known?.rotated) known.identity.revoked = true;
    if (!known || known.identity.revoked || hasExpired(known)) {
      throw new Refusal('invalid_refresh_token', 'The refresh token is not valid');
    }
    known.rotated = true;
    return this.#issue(known.identity, issuer);
  }

  /** Exchanges an assertion for an access token. */
  exchange(assertion: string): TokenBody {
    if (!isDecodableJwt(assertion))
      throw new Refusal('invalid_request', 'The assertion could not be decoded');
    const known = this.#assertions.get(assertion);
    if (!known || known.identity.revoked || hasExpired(known)) {
      throw new Refusal('invalid_grant', 'The assertion has expired or was revoked');
    }
    const token = this.secrets.createToken('access_token', 'at');
    this.#accessTokens.set(token, {
      identity: known.identity,
      expiresMs: Date.now() + this.lifetimes.token,
    });
    return { access_token: token, token_type: 'Bearer', expires_in: Math.floor(this.lifetimes.token / 1000) };
  }

  /** Finds the e-mail address of an access token; undefined if the token is invalid. */
  findEmail(accessToken: string): string | undefined {
    const known = this.#accessTokens.get(accessToken);
    return known && !known.identity.revoked && !hasExpired(known) ? known.identity.email : undefined;
  }

  revoke(email: string): void {
    for (const identity of this.#identities.values()) {
      if (identity.email === email) identity.revoked = true;
    }
  }

  #issue(identity: Identity, issuer: string): IdentityBody {
    const now = Date.now();
    const expiresMs = now + this.lifetimes.assertion;
    const assertion = this.secrets.record(
      'assertion',
      this.#sign({
        iss: issuer,
        sub: identity.id,
        email: identity.email,
        iat: Math.floor(now / 1000),
        exp: Math.floor(expiresMs / 1000),
      }),
    );
    this.#assertions.set(assertion, { identity, expiresMs });
    const value = this.secrets.createToken('refresh_token', 'rt');
    this.#refreshTokens.set(value, { identity, expiresMs: now + this.lifetimes.refresh, rotated: false });
    return { identity: { assertion, refresh_token: { value } } };
  }
}

interface AssertionClaims {
  /** Origin of the issuer. */
  readonly iss: string;
  /** Id of the registration. */
  readonly sub: string;
  readonly email: string;
  /** Seconds since the epoch. */
  readonly iat: number;
  readonly exp: number;
}

/** Creates a signer of assertions with a new key (RFC 7519; RFC 8037, section 3.1). */
function createAssertionSigner(): (claims: AssertionClaims) => string {
  const { privateKey } = generateKeyPairSync('ed25519');
  return (claims) => createJwt({ ...claims, aud: claims.iss, jti: randomUUID() }, privateKey);
}

function createJwt(claims: object, key: KeyObject): string {
  const content = `${encodeJson({ alg: 'EdDSA', typ: 'JWT' })}.${encodeJson(claims)}`;
  return `${content}.${sign(null, Buffer.from(content), key).toString('base64url')}`;
}

/** Whether the text has the form of a signed JWT (RFC 7515, section 3.1). */
function isDecodableJwt(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 3 && parts.slice(0, 2).every(isEncodedObject) && /^[\w-]+$/.test(parts[2] ?? '');
}

function isEncodedObject(part: string): boolean {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

function encodeJson(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
