import type { Estimate, EstimateBasis } from '../../run/run-events.js';
import type { PlannedFile } from '../download-options.js';
import type { EstimateSize } from './size-estimator.js';

/** What files that are to be fetched come to, added up. */
export interface DownloadVolume {
  files: number;
  /** Files of which nothing is known. */
  unknown: number;
  rows: number;
  /** By what they rest on. */
  readonly bytes: Record<EstimateBasis, number>;
}

export function createVolume(): DownloadVolume {
  return { files: 0, unknown: 0, rows: 0, bytes: { manifest: 0, record: 0, typical: 0 } };
}

/** Adds a planned file, where it is to be fetched. */
export function addToVolume(
  volume: DownloadVolume,
  planned: PlannedFile,
  sizeOf: EstimateSize | undefined,
): void {
  if (planned.action !== 'fetch') return;
  volume.files++;
  const size = sizeOf?.(planned);
  if (!size) {
    volume.unknown++;
    return;
  }
  volume.rows += size.rows;
  volume.bytes[size.basis] += size.bytes;
}

export function sumVolumes(volumes: readonly DownloadVolume[]): DownloadVolume {
  const sum = createVolume();
  for (const { files, unknown, rows, bytes } of volumes) {
    sum.files += files;
    sum.unknown += unknown;
    sum.rows += rows;
    for (const basis of ESTIMATE_BASES) sum.bytes[basis] += bytes[basis];
  }
  return sum;
}

/** Bytes of all of it; files of which nothing is known are taken to be as the others. Undefined where all are such. */
export function totalBytes({ files, unknown, bytes }: DownloadVolume): number | undefined {
  if (files === 0) return 0;
  if (unknown === files) return undefined;
  return ((bytes.manifest + bytes.record + bytes.typical) * files) / (files - unknown);
}

/** The least sure first. */
const ESTIMATE_BASES: readonly EstimateBasis[] = ['typical', 'record', 'manifest'];
/** A share of the bytes that an estimate doesn't rest on. */
const NEGLIGIBLE_SHARE = 0.1;

/** @param bytesPerSecond undefined where nothing tells how fast they come. */
export function toEstimate(volume: DownloadVolume, bytesPerSecond: number | undefined): Estimate {
  const bytes = totalBytes(volume);
  if (bytes === undefined) return UNKNOWN_ESTIMATE;
  const { files, unknown, rows } = volume;
  const known = files - unknown;
  const sure = volume.bytes.manifest + volume.bytes.record + volume.bytes.typical;
  const basis = ESTIMATE_BASES.find((each) => volume.bytes[each] > sure * NEGLIGIBLE_SHARE) ?? null;
  return {
    estimatedBytes: Math.round(bytes),
    estimatedRows: known === 0 ? 0 : Math.round((rows * files) / known),
    estimatedSeconds:
      bytesPerSecond === undefined || bytesPerSecond <= 0 ? null : Math.round(bytes / bytesPerSecond),
    estimateBasis: basis,
  };
}

const UNKNOWN_ESTIMATE: Estimate = {
  estimatedBytes: null,
  estimatedRows: null,
  estimatedSeconds: null,
  estimateBasis: null,
};
