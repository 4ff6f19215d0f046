import { TickhaulError } from '../base/errors.js';
import type { Files } from './files.js';

/** Reads all bytes at a location. @throws like `Files.read`. */
export async function readBytesAt(files: Files, location: string, signal?: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await files.read(location, async (chunk) => void chunks.push(Buffer.from(chunk)), signal);
  return Buffer.concat(chunks);
}

/** Reads the text at a location; undefined if nothing exists there. @throws like `Files.read`. */
export async function readTextAt(
  files: Files,
  location: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  return (await undefinedIfMissing(readBytesAt(files, location, signal)))?.toString('utf8');
}

/** The result of an access; undefined if nothing exists at the location. */
export async function undefinedIfMissing<T>(access: Promise<T>): Promise<T | undefined> {
  try {
    return await access;
  } catch (error) {
    if (error instanceof TickhaulError && error.code === 'missing') return undefined;
    throw error;
  }
}

/** Atomically writes text chunks to a location. @throws the errors of `PartFile`. */
export async function writeTextsAt(
  files: Files,
  location: string,
  texts: Iterable<string>,
  signal?: AbortSignal,
): Promise<void> {
  const part = await files.openPart(location, undefined, signal);
  try {
    for (const text of texts) await part.write(Buffer.from(text));
    await part.publish();
  } finally {
    await part.discard();
  }
}
