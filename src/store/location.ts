import { dirname, join, relative, resolve, sep } from 'node:path';
import { usageError } from '../base/errors.js';
import { isInside } from './paths.js';

/** Whether a location is in an object store, such as `s3://bucket/key`, rather than a local path. */
export function isObjectLocation(location: string): boolean {
  return /^s3:\/\//i.test(location);
}

/** Whether a location in an object store has a key that may be an object's, not a prefix with a slash. */
export function hasObjectKey(location: string): boolean {
  return /^[^/]*\/\/[^/]+\/.*[^/]$/s.test(location);
}

/** Writes the scheme of a location in an object store in lower case. */
export function normalizeScheme(location: string): string {
  return location.replace(/^[^:]*/, (scheme) => scheme.toLowerCase());
}

const SCHEME = /^(?:[a-z][a-z0-9+.-]*:\/\/|s3:)/i;

/** The scheme of a URL (`ftp://`), or the start of a malformed one (`s3:`); undefined for a local path. */
export function parseScheme(location: string): string | undefined {
  return SCHEME.exec(location)?.[0];
}

/**
 * Refuses unsupported URLs, which would otherwise create a folder named `ftp:`.
 * @throws usage error; its message omits the rest of the URL, which may contain a password.
 */
export function assertKnownScheme(location: string): void {
  const scheme = parseScheme(location);
  if (scheme === undefined || isObjectLocation(location)) return;
  throw usageError(`${scheme}… is not supported; use a folder of this machine, or s3://bucket/prefix`);
}

/** Joins a folder or prefix with a relative path. */
export function joinLocation(base: string, path: string): string {
  return isObjectLocation(base) ? `${base.replace(/\/+$/, '')}/${path}` : join(base, path);
}

/** The folder or prefix that contains a location; undefined for a root or a bucket. */
export function parentLocation(location: string): string | undefined {
  if (isObjectLocation(location)) {
    const parent = location.slice(0, location.lastIndexOf('/'));
    return parent.endsWith(':/') ? undefined : parent;
  }
  const parent = dirname(location);
  return parent === location ? undefined : parent;
}

/** The path of a location relative to a folder or prefix, with `/`; undefined if it lies elsewhere. */
export function relativeLocation(base: string, location: string): string | undefined {
  if (isObjectLocation(base) !== isObjectLocation(location)) return undefined;
  const path = isObjectLocation(base)
    ? location.slice(location.startsWith(`${base}/`) ? base.length + 1 : location.length)
    : relative(base, location).replaceAll(sep, '/');
  return isInside(path) ? path : undefined;
}

/** Makes a location independent of the working directory. */
export function absoluteLocation(location: string): string {
  return isObjectLocation(location) ? location : resolve(location);
}
