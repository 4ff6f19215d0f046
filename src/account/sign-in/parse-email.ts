import { usageError } from '../../base/errors.js';

/** The longest address that mail can be sent to (RFC 5321, section 4.5.3.1). */
const MAX_LENGTH = 254;

/**
 * Reads an e-mail address; whether somebody reads mail there only the issuer can know.
 * @throws usage error for what is none.
 */
export function parseEmail(text: string): string {
  const email = text.trim();
  const isAddress = /^[^\s@\p{Cc}\p{Cf}]+@[^\s@\p{Cc}\p{Cf}]+\.[^\s@.\p{Cc}\p{Cf}]+$/u.test(email);
  if (isAddress && email.length <= MAX_LENGTH) return email;
  throw usageError(`${JSON.stringify(email)} is not an e-mail address: write it as name@example.com`);
}

/** Whether two addresses are the same mailbox: no provider tells letters by their case. */
export function isSameEmail(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
