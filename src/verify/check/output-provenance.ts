import { dirname, posix } from 'node:path';
import {
  isOutdatedRecord,
  parseOutputBytes,
  parseRowCount,
  parseSource,
  type SourceIdentity,
} from '../../convert/output/provenance.js';
import {
  openProvenanceStore,
  type ProvenancePairs,
  type ProvenanceStore,
} from '../../convert/output/provenance-store.js';
import type { Format } from '../../format/convert-options.js';
import type { Destination } from '../../store/destination.js';
import { absoluteLocation } from '../../store/location.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import type { ManifestRecord } from '../../store/manifest-record.js';

/** What a conversion's output, or the notes of its folder, tell of its making. */
export interface OutputProvenance {
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
export function createProvenanceLookup(
  destination: Destination,
  signal: AbortSignal,
): (path: string) => Promise<ProvenancePairs | undefined> {
  const dir = absoluteLocation(destination.locate(''));
  const opened = new Map<string, Promise<ProvenanceStore>>();
  const notesOf = (root: string): Promise<ProvenanceStore> => {
    const notes = opened.get(root) ?? openProvenanceStore(root, destination.files, signal);
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
export function toOutputProvenance(
  path: string,
  format: Format,
  pairs: ProvenancePairs,
  manifest: Manifest,
): OutputProvenance | undefined {
  const source = parseSource(pairs);
  if (!source) return undefined;
  const record = manifest.get(posix.join(posix.dirname(path), source.name)) ?? manifest.get(source.name);
  return {
    bytes: parseOutputBytes(pairs),
    rows: parseRowCount(pairs),
    source,
    isOutdated: isOutdatedRecord(pairs, format),
    record,
  };
}
