import { stat } from 'node:fs/promises';
import { isSystemError, TickhaulError, toDiskError, usageError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import { onAbort } from '../../base/wait.js';
import { isSameDayFile } from '../../dataset/day-file.js';
import type { Destination } from '../destination.js';
import type { ManifestRecord } from '../manifest-record.js';
import { manifestPath } from '../state-folder.js';
import { LineStore } from './line-store.js';
import { type Manifest, parseStoredLines, readManifestRecords } from './manifest.js';
import { formatManifestLine, parseManifestLine } from './manifest-line.js';
import { createObjectResolver, mergeRecords, type ResolveObject, resolveNoObject } from './merge-records.js';

export interface MergeInput {
  /** Download folders whose manifests are read, and left as they are. */
  readonly folders: readonly Destination[];
  /** The one whose manifest is to know all of it; its own records count as well. */
  readonly target: Destination;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

export interface MergeSummary {
  /** Day files that the target's manifest knows now. */
  readonly records: number;
  /** Those that it didn't know before, and those of which it knew less. */
  readonly added: number;
  readonly changed: number;
}

const RECORDS_PER_WRITE = 4096;

/**
 * Makes one manifest of those of several folders. Of a path that several know, the newest record stands, with the
 * conversions of all. No file is moved or read; of a store, a listing tells under which ETag objects stand. Records are
 * appended, as those of a download are, so runs in the
 * target go on, and what a kill cuts off comes with the next merge.
 * @throws usage error for a folder without a manifest; TickhaulError `changed` where two manifests have different
 * contents under one path: then nothing is written; `disk`; the reason of an abort.
 */
export async function mergeManifests({ folders, target, warn, signal }: MergeInput): Promise<MergeSummary> {
  const manifest = await target.openManifest({ warn, signal });
  const leave = onAbort(signal, () => manifest.flushSoon());
  try {
    const objectOf =
      target.kind === 'folder'
        ? resolveNoObject
        : createObjectResolver(await target.openLookup(undefined, signal));
    const union = new RecordUnion(manifest, objectOf);
    for (const folder of folders) {
      signal.throwIfAborted();
      for (const record of await readFolderRecords(folder, warn, signal)) union.add(record, folder.name);
    }
    union.assertOneContentEach();
    const before = manifest.size;
    let batch: ManifestRecord[] = [];
    let written = 0;
    const write = async (): Promise<void> => {
      signal.throwIfAborted();
      await Promise.all([...batch.map((record) => manifest.append(record)), manifest.flush()]);
      written += batch.length;
      batch = [];
    };
    for (const record of union.news()) {
      batch.push(record);
      if (batch.length === RECORDS_PER_WRITE) await write();
    }
    await write();
    const added = manifest.size - before;
    return { records: manifest.size, added, changed: written - added };
  } finally {
    await manifest.close().finally(leave);
  }
}

/** A manifest that is left as it is. @throws usage error where there is none. */
async function readFolderRecords(
  folder: Destination,
  warn: (message: string) => void,
  signal: AbortSignal,
): Promise<Iterable<ManifestRecord>> {
  if (folder.kind === 'folder') {
    const dir = folder.locate('');
    await assertManifest(dir);
    return readManifestRecords(dir, { warn });
  }
  const manifest = await folder.openManifest({ warn, signal });
  if (manifest.size === 0)
    throw usageError(`${folder.name}: there is no manifest; name where day files were downloaded to`);
  return manifest.records();
}

async function assertManifest(folder: string): Promise<void> {
  try {
    await stat(manifestPath(folder));
  } catch (error) {
    if (!isSystemError(error) || (error.code !== 'ENOENT' && error.code !== 'ENOTDIR'))
      throw toDiskError(error, folder, 'disk');
    throw usageError(`${folder}: there is no manifest; name download folders, which have .tickhaul in them`);
  }
}

/** What comes to the records of a manifest from others. A million are held as lines, outside of the heap. */
class RecordUnion {
  readonly #target: Pick<Manifest, 'get'>;
  readonly #objectOf: ResolveObject;
  readonly #news = new LineStore();
  /** By path, the sha256 of what was made of day files. */
  readonly #conversions = new Map<string, string>();
  readonly #conflicts = new Set<string>();
  #first = '';

  constructor(target: Pick<Manifest, 'get' | 'records'>, objectOf: ResolveObject) {
    this.#target = target;
    this.#objectOf = objectOf;
    for (const { conversions = [] } of target.records())
      for (const { path, sha256 } of conversions) this.#conversions.set(path, sha256);
  }

  add(record: ManifestRecord, folder: string): void {
    const known = this.#get(record.path);
    if (known && !isSameContent(known, record)) this.#conflict(record.path, folder);
    for (const { path, sha256 } of record.conversions ?? []) {
      const other = this.#conversions.get(path);
      if (other === undefined) this.#conversions.set(path, sha256);
      else if (other !== sha256) this.#conflict(path, folder);
    }
    const line = formatManifestLine(mergeRecords(known ? [known, record] : [record], this.#objectOf));
    if (!known || formatManifestLine(known) !== line) this.#news.set(record.path, line.trimEnd());
  }

  /** New records, and those that say more than the target's. */
  news(): IterableIterator<ManifestRecord> {
    return parseStoredLines(this.#news);
  }

  /** @throws TickhaulError `changed`. */
  assertOneContentEach(): void {
    if (this.#conflicts.size === 0) return;
    const others = this.#conflicts.size === 1 ? '' : `, as ${plural(this.#conflicts.size - 1, 'path')} more`;
    throw new TickhaulError(
      'changed',
      `${this.#first}${others}; nothing was merged: tickhaul verify says which folder is right`,
    );
  }

  #get(path: string): ManifestRecord | undefined {
    const line = this.#news.get(path);
    return line === undefined ? this.#target.get(path) : parseManifestLine(line);
  }

  #conflict(path: string, folder: string): void {
    if (this.#conflicts.size === 0)
      this.#first = `${path}: in ${folder} it has other contents than in the folders before`;
    this.#conflicts.add(path);
  }
}

function isSameContent(a: ManifestRecord, b: ManifestRecord): boolean {
  return a.sha256 === b.sha256 && isSameDayFile(a.file, b.file);
}
