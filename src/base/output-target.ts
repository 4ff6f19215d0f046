import { readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isSystemError, TickhaulError, toDiskError, usageError } from './errors.js';

/** What an output option leads to, which decides how it is written. */
export type OutputTarget =
  /** A regular or missing file: written next to `path`, which is the end of all links, and renamed. */
  | { readonly kind: 'file'; readonly name: string; readonly path: string }
  /** A character device: opened and written to, never replaced. */
  | { readonly kind: 'device'; readonly name: string }
  /** A named pipe. Once it has a reader, it is written to like a device. */
  | { readonly kind: 'pipe'; readonly name: string }
  /** A descriptor inherited by this process: written to, whatever it refers to. */
  | { readonly kind: 'descriptor'; readonly name: string; readonly fd: number };

/** Longest chain of symbolic links that is followed; the limit of Linux. */
const MAX_LINKS = 40;
/** A name that only a folder can have: `.`, `..`, or one that ends with a slash. */
const FOLDER_NAME = /(?:^|[/\\])\.{0,2}$/;
const DESCRIPTOR = /^\/(?:dev\/(?:(stdout|stderr)|fd\/(\d+))|proc\/self\/fd\/(\d+))$/;

/**
 * Determines what an output option names. Follows symbolic links, the last of which may name a missing file.
 * @param option begins the error messages, such as `--out`. @param name as the user wrote it; `-` is stdout.
 * @throws usage error for a folder, a block device or a socket; `disk`, `path_taken`.
 */
export async function resolveOutput(option: string, name: string): Promise<OutputTarget> {
  const refuse = (what: string): TickhaulError =>
    usageError(`${option}: "${name}" is ${what}; specify a file`);
  if (name === '-') return { kind: 'descriptor', name, fd: 1 };
  if (FOLDER_NAME.test(name)) throw refuse('a folder');
  try {
    const resolved = await followLinks(name);
    if (typeof resolved === 'number') return { kind: 'descriptor', name, fd: resolved };
    const stats = await stat(name).catch(ignoreMissing);
    if (!stats || stats.isFile()) return { kind: 'file', name, path: resolved };
    if (stats.isFIFO()) return { kind: 'pipe', name };
    if (stats.isCharacterDevice()) return { kind: 'device', name };
    throw refuse(stats.isDirectory() ? 'a folder' : stats.isSocket() ? 'a socket' : 'a block device');
  } catch (error) {
    throw toDiskError(error, name);
  }
}

/** The descriptor that the path itself names, such as /dev/stdout. Follows no links. */
export function namedDescriptor(path: string): number | undefined {
  const [match, stream, ...numbers] = DESCRIPTOR.exec(path) ?? [];
  if (match === undefined) return undefined;
  if (stream !== undefined) return stream === 'stdout' ? 1 : 2;
  return Number(numbers.find((number) => number !== undefined));
}

/**
 * Follows links to their end, but stops at the first file descriptor, because a descriptor's link would resolve to
 * its file.
 */
async function followLinks(path: string): Promise<string | number> {
  const ownDescriptors = await realpath('/proc/self/fd').catch(() => undefined);
  let at = resolve(path);
  for (let links = 0; links <= MAX_LINKS; links++) {
    const named = namedDescriptor(at);
    if (named !== undefined) return named;
    const folder = await realpath(dirname(at)).catch(ignoreMissing);
    // Parent folders are created when the file is written.
    if (folder === undefined) return links === 0 ? path : at;
    const resolved = join(folder, basename(at));
    const fd = folder === ownDescriptors ? Number(basename(at)) : namedDescriptor(resolved);
    if (fd !== undefined) return fd;
    const target = await readlink(resolved).catch(ignoreNotLink);
    // Errors show the path as the user wrote it.
    if (target === undefined) return links === 0 ? path : resolved;
    at = resolve(folder, target);
  }
  throw new TickhaulError('path_taken', `${path}: its symbolic links form a circle; remove one of them`);
}

function ignoreMissing(error: unknown): undefined {
  if (isSystemError(error) && error.code === 'ENOENT') return undefined;
  throw error;
}

function ignoreNotLink(error: unknown): undefined {
  if (isSystemError(error) && error.code === 'EINVAL') return undefined;
  return ignoreMissing(error);
}
