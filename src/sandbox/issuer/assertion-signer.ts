import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';

export interface AssertionClaims {
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
export function createAssertionSigner(): (claims: AssertionClaims) => string {
  const { privateKey } = generateKeyPairSync('ed25519');
  return (claims) => createJwt({ ...claims, aud: claims.iss, jti: randomUUID() }, privateKey);
}

function createJwt(claims: object, key: KeyObject): string {
  const content = `${encodeJson({ alg: 'EdDSA', typ: 'JWT' })}.${encodeJson(claims)}`;
  return `${content}.${sign(null, Buffer.from(content), key).toString('base64url')}`;
}

/** Whether the text has the form of a signed JWT (RFC 7515, section 3.1). */
export function isDecodableJwt(text: string): boolean {
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
