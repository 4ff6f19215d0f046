import { dirname, posix } from 'node:path';
import { type ConversionNotes, openNotes, type Pairs } from '../../convert/output/notes.js';
import {
  isOutdatedRecord,
  outputBytesOf,
  rowsOf,
  type SourceIdentity,
  sourceOf,
} from '../../convert/output/record.js';
import type { Format } from '../../format/options.js';
import type { Destination } from '../../store/destination.js';
import { wholeLocation } from '../../store/location.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import type { ManifestRecord } from '../../store/types.js';

/** What a conversion's output, or the notes of its folder, tell of its making. */
export interface Making {
  /** Of the output; NaN where nobody noted them. */
  readonly bytes: number;
  readonly rows: number;
  readonly source: SourceIdentity;
  /** Whether the output is of another version than this build makes. */
  readonly isOutdated: boolean;
  /** Of the source as it is now, where the manifest knows it. */
  readonly record: ManifestRecord | undefined;
}

/** Notes of conversions by hand stand in the folder that they were made for: the download folder, or the output's own. */
export function createNotes(
  destination: Destination,
  signal: AbortSignal,
): (path: string) => Promise<Pairs | undefined> {
  const dir = wholeLocation(destination.locate(''));
  const opened = new Map<string, Promise<ConversionNotes>>();
  const notesOf = (root: string): Promise<ConversionNotes> => {
    const notes = opened.get(root) ?? openNotes(root, destination.files, signal);
    opened.set(root, notes);
    return notes;
  };
  return async (path) => {
    const target = destination.locate(path);
    const own = await (await notesOf(dirname(target))).get(target);
    return own ?? (await notesOf(dir)).get(target);
  };
}

/** Undefined for pairs that no conversion of tickhaul's wrote. */
export function makingOf(path: string, format: Format, pairs: Pairs, manifest: Manifest): Making | undefined {
  const source = sourceOf(pairs);
  if (!source) return undefined;
  const record = manifest.get(posix.join(posix.dirname(path), source.name)) ?? manifest.get(source.name);
  return {
    bytes: outputBytesOf(pairs),
    rows: rowsOf(pairs),
    source,
    isOutdated: isOutdatedRecord(pairs, format),
    record,
  };
}
