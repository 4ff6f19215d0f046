import { TickhaulError } from '../../base/errors.js';
import { type DayFile, parseDayFileName } from '../../day-files/day-file.js';
import { inferDataType, parseHeaderNames } from '../../format/csv/csv-header.js';
import { gunzipStart } from '../../gzip/gunzip.js';
import type { Files, StoreSettings } from '../../store/files.js';
import { absoluteLocation, parentLocation, relativeLocation } from '../../store/location.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import { createDestinationFinder, openDestination } from '../../store/open-destination.js';

/** Identifies the day file at a location; undefined if neither its name nor a manifest does. */
export type FindDayFile = (location: string) => Promise<DayFile | undefined>;

/** Identifies day files by the manifest of the destination that contains them. */
export function createRecordLookup(
  files: Files,
  store: StoreSettings | undefined,
  signal: AbortSignal,
): FindDayFile {
  const find = createDestinationFinder(files, signal);
  const manifests = new Map<string, Promise<Manifest>>();

  const findInManifest = async (dir: string, location: string): Promise<DayFile | undefined> => {
    const path = relativeLocation(dir, location);
    if (path === undefined) return undefined;
    const reading = manifests.get(dir) ?? readManifest(dir, store, signal);
    manifests.set(dir, reading);
    return (await reading).get(path)?.file;
  };

  return async (path) => {
    const location = absoluteLocation(path);
    // Try the manifests that are open: in a store, each folder that is searched costs a request.
    for (const dir of manifests.keys()) {
      const file = await findInManifest(dir, location);
      if (file) return file;
    }
    const folder = parentLocation(location);
    const dir = folder === undefined ? undefined : await find(folder);
    return dir === undefined ? undefined : findInManifest(dir, location);
  };
}

/** Identifies day files by their names, otherwise by the manifest of the destination that contains them. */
export function createDayFileLookup(
  files: Files,
  store: StoreSettings | undefined,
  signal: AbortSignal,
): FindDayFile {
  const findRecord = createRecordLookup(files, store, signal);
  return async (location) => parseDayFileName(location) ?? (await findRecord(location));
}

async function readManifest(
  dir: string,
  store: StoreSettings | undefined,
  signal: AbortSignal,
): Promise<Manifest> {
  const destination = await openDestination(dir, store, signal);
  try {
    const manifest = await destination.openManifest({ warn: () => {}, signal });
    await manifest.close();
    return manifest;
  } finally {
    await destination.close();
  }
}

/** Enough compressed bytes for any header. */
const HEADER_READ_BYTES = 16 * 1024;

/**
 * Reads the column names of a day file; undefined for a file without a header.
 * @throws TickhaulError `corrupt` for a damaged gzip stream; `disk`, errors of the store.
 */
export async function readHeaderNames(
  files: Files,
  path: string,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const bytes = await readFirstBytes(files, path, signal);
  const text = inflate(bytes, path);
  return text.includes('\n') ? parseHeaderNames(text) : undefined;
}

async function readFirstBytes(files: Files, path: string, signal: AbortSignal): Promise<Buffer> {
  const file = await files.openRandom(path, signal);
  return file.read(0, Math.min(HEADER_READ_BYTES, file.bytes)).finally(() => file.close());
}

function inflate(bytes: Buffer, path: string): Buffer {
  try {
    return bytes.length === 0 ? bytes : gunzipStart(bytes);
  } catch (cause) {
    if (!(cause instanceof TickhaulError)) throw cause;
    throw new TickhaulError('corrupt', `${path}: ${cause.message}`, { cause });
  }
}

/**
 * Infers the data type from a file's header. Undefined if it cannot be inferred or read: the conversion
 * reports the error later.
 */
export async function readDataTypeFromHeader(
  files: Files,
  path: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const names = await readHeaderNames(files, path, signal);
    return names && inferDataType(names);
  } catch {
    return undefined;
  }
}
