import { TickhaulError, usageError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import { onAbort } from '../../base/wait.js';
import { isSameDayFile } from '../../day-files/day-file.js';
import type { Destination, FileLookup } from '../destination.js';
import type { StoredVersion } from '../files.js';
import type { ConversionEntry, ManifestRecord } from '../manifest-record.js';
import type { Manifest } from './manifest.js';
import { formatManifestLine, LineStore, parseManifestLine, parseManifestLines } from './manifest-line.js';

export interface MergeInput {
  /** Download folders whose manifests are read and not changed. */
  readonly folders: readonly Destination[];
  /** Folder whose manifest receives all the records, besides those it already has. */
  readonly target: Destination;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

export interface MergeSummary {
  /** Day files in the target's manifest after the merge. */
  readonly records: number;
  /** New day files. */
  readonly added: number;
  /** Day files whose records changed. */
  readonly changed: number;
}

const RECORDS_PER_WRITE = 4096;

/**
 * Merges the manifests of several folders (docs/spec/manifest.md#merged-manifests). If several have a path,
 * the newest record counts, with the conversions of all. No file is moved or read; for an object store, ETags
 * are taken from a listing. Records are appended as by a download, so other runs in the target may continue,
 * and an interrupted merge can be repeated.
 * @throws usage error for a folder with neither a manifest nor an export log; TickhaulError `changed` if two manifests have
 * different contents for a path, in which case nothing is written; `disk`; the abort reason.
 */
export async function mergeManifests({ folders, target, warn, signal }: MergeInput): Promise<MergeSummary> {
  const manifest = await target.openManifest({ warn, signal });
  const removeListener = onAbort(signal, () => manifest.flushSoon());
  try {
    const resolveObject = !target.hasLocalPaths
      ? createObjectResolver(await target.openLookup(undefined, signal))
      : resolveNoObject;
    const union = new RecordUnion(manifest, resolveObject);
    for (const folder of folders) {
      signal.throwIfAborted();
      for (const record of await readFolderRecords(folder, warn, signal)) union.add(record, folder.name);
    }
    union.assertNoConflicts();
    const before = manifest.size;
    let batch: ManifestRecord[] = [];
    let written = 0;
    const write = async (): Promise<void> => {
      signal.throwIfAborted();
      await Promise.all([...batch.map((record) => manifest.append(record)), manifest.flush()]);
      written += batch.length;
      batch = [];
    };
    for (const record of union.newRecords()) {
      batch.push(record);
      if (batch.length === RECORDS_PER_WRITE) await write();
    }
    await write();
    const added = manifest.size - before;
    return { records: manifest.size, added, changed: written - added };
  } finally {
    await manifest.close().finally(removeListener);
  }
}

/** Reads a manifest without changing it. @throws usage error if there is neither one nor an export log. */
async function readFolderRecords(
  folder: Destination,
  warn: (message: string) => void,
  signal: AbortSignal,
): Promise<Iterable<ManifestRecord>> {
  const records = await folder.readRecords({ warn, signal });
  if (records) return records;
  // A folder of exports.
  if (await folder.files.hasRecords(folder.name, signal)) return [];
  throw usageError(`${folder.name}: has no manifest; specify folders or prefixes with day files or exports`);
}

/**
 * Collects the records that a merge adds or changes. Stores them as lines outside the heap, since there may
 * be a million.
 */
class RecordUnion {
  readonly #target: Pick<Manifest, 'get'>;
  readonly #resolveObject: ResolveObject;
  readonly #newLines = new LineStore();
  /** The sha256 of each conversion, by path. */
  readonly #conversions = new Map<string, string>();
  readonly #conflicts = new Set<string>();
  #firstConflict = '';

  constructor(target: Pick<Manifest, 'get' | 'records'>, resolveObject: ResolveObject) {
    this.#target = target;
    this.#resolveObject = resolveObject;
    for (const { conversions = [] } of target.records())
      for (const { path, sha256 } of conversions) this.#conversions.set(path, sha256);
  }

  add(record: ManifestRecord, folder: string): void {
    const known = this.#get(record.path);
    if (known && !isSameContent(known, record)) this.#addConflict(record.path, folder);
    for (const { path, sha256 } of record.conversions ?? []) {
      const other = this.#conversions.get(path);
      if (other === undefined) this.#conversions.set(path, sha256);
      else if (other !== sha256) this.#addConflict(path, folder);
    }
    const line = formatManifestLine(mergeRecords(known ? [known, record] : [record], this.#resolveObject));
    if (!known || formatManifestLine(known) !== line) this.#newLines.set(record.path, line.trimEnd());
  }

  /** New records, and merged records that differ from the target's. */
  newRecords(): IterableIterator<ManifestRecord> {
    return parseManifestLines(this.#newLines.values());
  }

  /** @throws TickhaulError `changed`. */
  assertNoConflicts(): void {
    if (this.#conflicts.size === 0) return;
    const others =
      this.#conflicts.size === 1 ? '' : ` (and ${plural(this.#conflicts.size - 1, 'more path')})`;
    throw new TickhaulError(
      'changed',
      `${this.#firstConflict}${others}; nothing was merged: run tickhaul verify to see which folder is right`,
    );
  }

  #get(path: string): ManifestRecord | undefined {
    const line = this.#newLines.get(path);
    return line === undefined ? this.#target.get(path) : parseManifestLine(line);
  }

  #addConflict(path: string, folder: string): void {
    if (this.#conflicts.size === 0)
      this.#firstConflict = `${path}: has different contents in ${folder} than in the folders before it`;
    this.#conflicts.add(path);
  }
}

function isSameContent(a: ManifestRecord, b: ManifestRecord): boolean {
  return a.sha256 === b.sha256 && isSameDayFile(a.file, b.file);
}

/** The fields of a record or conversion that describe the stored file. */
interface StoredFile {
  readonly path: string;
  readonly bytes: number;
  readonly md5?: string | undefined;
  readonly object?: StoredVersion | undefined;
}

/** Determines the version of a stored object. @param known records of the same bytes, from any folder. */
export type ResolveObject = (file: StoredFile, known: readonly StoredFile[]) => StoredVersion | undefined;

/** For local folders, whose files have no ETag. */
const resolveNoObject: ResolveObject = () => undefined;

/**
 * Resolves versions from a listing. The ETag of an object counts only if a record has it, or if it is the MD5
 * of the recorded bytes, as for an object that was put in one piece. The contents of any other object are
 * unknown.
 */
function createObjectResolver(lookup: FileLookup): ResolveObject {
  return ({ path, bytes, md5 }, known) => {
    const { etag, bytes: storedBytes } = lookup.get(path) ?? {};
    if (etag === undefined || storedBytes !== bytes) return undefined;
    const recorded = known.find(({ object }) => object?.etag === etag)?.object;
    return recorded ?? (etag === md5 ? { etag } : undefined);
  };
}

/** Merges records of the same bytes: the newest one's fields, and the conversions of all. */
function mergeRecords(records: readonly ManifestRecord[], resolveObject: ResolveObject): ManifestRecord {
  const inOrder = records.toSorted((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
  const { conversions: _, object: __, dropped: ___, ...facts } = inOrder.at(-1) as ManifestRecord;
  const entriesByPath = new Map<string, readonly ConversionEntry[]>();
  for (const { conversions = [] } of inOrder)
    for (const entry of conversions)
      entriesByPath.set(entry.path, [...(entriesByPath.get(entry.path) ?? []), entry]);
  const conversions = [...entriesByPath.values()].map((entries) => {
    const { object: _, ...entry } = entries.at(-1) as ConversionEntry;
    return { ...entry, ...objectField(resolveObject(entry, entries)) };
  });
  return {
    ...facts,
    ...(conversions.length > 0 && { conversions }),
    ...objectField(resolveObject(facts, inOrder)),
    ...(inOrder.every(({ dropped }) => dropped) && { dropped: true }),
  };
}

function objectField(object: StoredVersion | undefined): { readonly object?: StoredVersion } {
  return object ? { object } : {};
}
