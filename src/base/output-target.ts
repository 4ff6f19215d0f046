import { readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { diskError, isSystemError, TickhaulError, usageError } from './errors.js';

/** What an output option leads to, and so how it is written. */
export type OutputTarget =
  /** A regular file, or nothing yet: written beside `path`, where the last link leads to, and renamed. */
  | { readonly kind: 'file'; readonly name: string; readonly path: string }
  /** A character device: opened and written to, never replaced. */
  | { readonly kind: 'device'; readonly name: string }
  /** A named pipe: as a device, once it has a reader. */
  | { readonly kind: 'pipe'; readonly name: string }
  /** A descriptor that this process was started with: written to, whatever is behind it. */
  | { readonly kind: 'descriptor'; readonly name: string; readonly fd: number };

/** Symbolic links that are followed one after the other; as many as Linux follows. */
const MAX_LINKS = 40;
/** A name that only a folder can have: `.`, `..`, or with a slash at its end. */
const FOLDER_NAME = /(?:^|[/\\])\.{0,2}$/;
const DESCRIPTOR = /^\/(?:dev\/(?:(stdout|stderr)|fd\/(\d+))|proc\/self\/fd\/(\d+))$/;

/**
 * Finds out what an output option names. Symbolic links are followed, the last one to a file that need not exist.
 * @param option what an error begins with, as `--out`. @param name as the user wrote it; `-` is stdout.
 * @throws usage error for a folder, a block device or a socket; `disk`, `path_taken`.
 */
export async function resolveOutput(option: string, name: string): Promise<OutputTarget> {
  const refuse = (what: string): TickhaulError => usageError(`${option}: "${name}" is ${what}; name a file`);
  if (name === '-') return { kind: 'descriptor', name, fd: 1 };
  if (FOLDER_NAME.test(name)) throw refuse('a folder');
  try {
    const place = await followLinks(name);
    if (typeof place === 'number') return { kind: 'descriptor', name, fd: place };
    const found = await stat(name).catch(unlessMissing);
    if (!found || found.isFile()) return { kind: 'file', name, path: place };
    if (found.isFIFO()) return { kind: 'pipe', name };
    if (found.isCharacterDevice()) return { kind: 'device', name };
    throw refuse(found.isDirectory() ? 'a folder' : found.isSocket() ? 'a socket' : 'a block device');
  } catch (error) {
    throw diskError(error, name);
  }
}

/** The descriptor that a path names by itself, as /dev/stdout does; no link is followed. */
export function namedDescriptor(path: string): number | undefined {
  const [match, stream, ...numbers] = DESCRIPTOR.exec(path) ?? [];
  if (match === undefined) return undefined;
  if (stream !== undefined) return stream === 'stdout' ? 1 : 2;
  return Number(numbers.find((number) => number !== undefined));
}

/** Where a path leads, or which descriptor it names on the way: behind that, a link leads to the file of the descriptor. */
async function followLinks(path: string): Promise<string | number> {
  const ownDescriptors = await realpath('/proc/self/fd').catch(() => undefined);
  let at = resolve(path);
  for (let links = 0; links <= MAX_LINKS; links++) {
    const named = namedDescriptor(at);
    if (named !== undefined) return named;
    const folder = await realpath(dirname(at)).catch(unlessMissing);
    // The folders on the way are made when the file is written.
    if (folder === undefined) return links === 0 ? path : at;
    const place = join(folder, basename(at));
    const fd = folder === ownDescriptors ? Number(basename(at)) : namedDescriptor(place);
    if (fd !== undefined) return fd;
    const target = await readlink(place).catch(unlessNoLink);
    // Errors name a file as the user wrote it.
    if (target === undefined) return links === 0 ? path : place;
    at = resolve(folder, target);
  }
  throw new TickhaulError('path_taken', `${path}: symbolic links that lead in a circle; remove one of them`);
}

function unlessMissing(error: unknown): undefined {
  if (isSystemError(error) && error.code === 'ENOENT') return undefined;
  throw error;
}

function unlessNoLink(error: unknown): undefined {
  if (isSystemError(error) && error.code === 'EINVAL') return undefined;
  return unlessMissing(error);
}
