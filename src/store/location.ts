import { dirname, join, relative, resolve, sep } from 'node:path';
import { usageError } from '../base/errors.js';
import { isInside } from './paths.js';

/** Whether a location is an object's, `s3://bucket/key`, and no path of this machine. */
export function isObjectLocation(location: string): boolean {
  return /^s3:\/\//i.test(location);
}

/** What makes a location an address, `ftp://`, or nearly one, `s3:`; undefined for a path of this machine. */
export function parseScheme(location: string): string | undefined {
  return /^(?:[a-z][a-z0-9+.-]*:\/\/|s3:)/i.exec(location)?.[0];
}

/**
 * Refuses addresses of which nothing is known: a folder of the name `ftp:` would be made, and called a success.
 * @throws usage error, without what may be a password.
 */
export function assertKnownScheme(location: string): void {
  const scheme = parseScheme(location);
  if (scheme === undefined || isObjectLocation(location)) return;
  throw usageError(`${scheme}… is not supported; name a folder of this machine, or s3://bucket/prefix`);
}

/** Where a path below a folder or prefix lies. */
export function joinLocation(base: string, path: string): string {
  return isObjectLocation(base) ? `${base.replace(/\/+$/, '')}/${path}` : join(base, path);
}

/** The folder or prefix that a location lies in; undefined for what lies in none: a root, a bucket. */
export function parentLocation(location: string): string | undefined {
  const parent = isObjectLocation(location)
    ? location.slice(0, location.lastIndexOf('/'))
    : dirname(location);
  return parent === location || parent === 's3:/' ? undefined : parent;
}

/** The path of a whole location below a folder or prefix, with `/`; undefined for one that lies elsewhere. */
export function relativeLocation(base: string, location: string): string | undefined {
  if (isObjectLocation(base) !== isObjectLocation(location)) return undefined;
  const path = isObjectLocation(base)
    ? location.slice(location.startsWith(`${base}/`) ? base.length + 1 : location.length)
    : relative(base, location).replaceAll(sep, '/');
  return isInside(path) ? path : undefined;
}

/** One way to write a location, whatever folder it is named from. */
export function absoluteLocation(location: string): string {
  return isObjectLocation(location) ? location : resolve(location);
}
