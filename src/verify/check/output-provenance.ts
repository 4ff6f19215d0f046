import { dirname, posix } from 'node:path';
import type { OutputFormatName } from '../../base/output-format-names.js';
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
import type { Destination } from '../../store/destination.js';
import { absoluteLocation } from '../../store/location.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import type { ManifestRecord } from '../../store/manifest-record.js';

/** Provenance of a conversion's output, from the output itself or from the notes of its folder. */
export interface OutputProvenance {
  /** Size of the output; NaN if not recorded. */
  readonly bytes: number;
  readonly rows: number;
  readonly source: SourceIdentity;
  /** Whether the output has another version than this build writes. */
  readonly isOutdated: boolean;
  /** Current record of the source, if the manifest has one. */
  readonly record: ManifestRecord | undefined;
}
/** Looks up the notes of `convert`: in the output's folder first, then in the download folder. */

export function createProvenanceLookup(
  destination: Destination,
  signal: AbortSignal,
): (path: string) => Promise<ProvenancePairs | undefined> {
  const dir = absoluteLocation(destination.locate(''));
  const stores = new Map<string, Promise<ProvenanceStore>>();
  const openStore = (folder: string): Promise<ProvenanceStore> => {
    const store = stores.get(folder) ?? openProvenanceStore(folder, destination.files, signal);
    stores.set(folder, store);
    return store;
  };
  return async (path) => {
    const target = destination.locate(path);
    const pairs = await (await openStore(dirname(target))).get(target);
    return pairs ?? (await openStore(dir)).get(target);
  };
}

/** Undefined if the pairs were not written by a tickhaul conversion. */
export function toOutputProvenance(
  path: string,
  format: OutputFormatName,
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
