import { join, resolve } from 'node:path';
import { usageError } from '../base/errors.js';

/** Whether a location is an object's, `s3://bucket/key`, and no path of this machine. */
export function isObject(location: string): boolean {
  return /^s3:\/\//i.test(location);
}

/** What makes a location an address, `ftp://`, or nearly one, `s3:`; undefined for a path of this machine. */
export function schemeOf(location: string): string | undefined {
  return /^(?:[a-z][a-z0-9+.-]*:\/\/|s3:)/i.exec(location)?.[0];
}

/**
 * Refuses addresses of which nothing is known: a folder of the name `ftp:` would be made, and called a success.
 * @throws usage error, without what may be a password.
 */
export function refuseOtherSchemes(location: string): void {
  const scheme = schemeOf(location);
  if (scheme === undefined || isObject(location)) return;
  throw usageError(`${scheme}… is not supported; name a folder of this machine, or s3://bucket/prefix`);
}

/** Where a path below a folder or prefix lies. */
export function joinLocation(base: string, path: string): string {
  return isObject(base) ? `${base.replace(/\/+$/, '')}/${path}` : join(base, path);
}

/** One way to write a location, whatever folder it is named from. */
export function wholeLocation(location: string): string {
  return isObject(location) ? location : resolve(location);
}
