import { usageError } from '../../base/errors.js';

/** The longest address that mail can be sent to (RFC 5321, section 4.5.3.1). */
const MAX_LENGTH = 254;

/**
 * Parses an e-mail address. Only its form is checked; only the issuer can check whether it exists.
 * @throws usage error if the text is not an e-mail address.
 */
export function parseEmail(text: string): string {
  const email = text.trim();
  const isAddress = /^[^\s@\p{Cc}\p{Cf}]+@[^\s@\p{Cc}\p{Cf}]+\.[^\s@.\p{Cc}\p{Cf}]+$/u.test(email);
  if (isAddress && email.length <= MAX_LENGTH) return email;
  throw usageError(`${JSON.stringify(email)} is not an e-mail address; use the form name@example.com`);
}

/** Whether two addresses are the same mailbox: providers ignore the case of letters. */
export function isSameEmail(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
