/**
 * Digits four at a time, as one little-endian word each: the first digit is the lowest byte. A digit is kept as
 * its value from 0 to 9, any other byte as something greater.
 */
export function digitsAt(view: DataView, p: number): number {
  return view.getInt32(p, true) ^ 0x30303030;
}

/** The high bit of each byte up to the first that is no digit, itself included; 0 when all four are digits. */
export function stopsIn(digits: number): number {
  return ((digits + 0x76767676) | digits) & 0x80808080;
}

/** How many bits of the word come before the first stop: 0, 8, 16 or 24. */
export function bitsBefore(stops: number): number {
  return (31 - Math.clz32(stops & -stops)) & 24;
}

/** The number that four digits make, added up pair by pair. */
export function fourDigits(digits: number): number {
  const pairs = Math.imul(digits, 10) + (digits >>> 8);
  return (pairs & 0xff) * 100 + ((pairs >>> 16) & 0xff);
}
