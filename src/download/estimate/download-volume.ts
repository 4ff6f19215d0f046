import { ROWS_ONLY } from '../../convert/output-selection.js';
import type { Estimate, EstimateBasis } from '../../events/run-events.js';
import { OUTPUT_FORMATS } from '../../format/output-formats.js';
import type { ConvertSetting, PlannedFile } from '../download-options.js';
import type { EstimateSize } from './size-estimator.js';

/** Sums over the files to download. */
export interface DownloadVolume {
  files: number;
  /** Files without an estimate. */
  unknown: number;
  rows: number;
  /** Bytes by the basis of their estimate. */
  readonly bytes: Record<EstimateBasis, number>;
}

export function createVolume(): DownloadVolume {
  return { files: 0, unknown: 0, rows: 0, bytes: { manifest: 0, record: 0, typical: 0 } };
}

/** Adds a planned file if it is to be downloaded. */
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

/**
 * Bytes of all files, assuming that files without an estimate are average. Undefined if there is no estimate
 * at all.
 */
export function totalBytes({ files, unknown, bytes }: DownloadVolume): number | undefined {
  if (files === 0) return 0;
  if (unknown === files) return undefined;
  return ((bytes.manifest + bytes.record + bytes.typical) * files) / (files - unknown);
}

/** Sorted from the least to the most precise. */
const ESTIMATE_BASES: readonly EstimateBasis[] = ['typical', 'record', 'manifest'];
/** Share of the bytes below which a basis is not reported. */
const NEGLIGIBLE_SHARE = 0.1;

/** @param bytesPerSecond undefined if the rate is unknown. */
export function toEstimate(volume: DownloadVolume, bytesPerSecond: number | undefined): Estimate {
  const bytes = totalBytes(volume);
  if (bytes === undefined) return UNKNOWN_ESTIMATE;
  const { files, unknown, rows } = volume;
  const estimatedFiles = files - unknown;
  const estimatedBytes = volume.bytes.manifest + volume.bytes.record + volume.bytes.typical;
  const basis =
    ESTIMATE_BASES.find((candidate) => volume.bytes[candidate] > estimatedBytes * NEGLIGIBLE_SHARE) ?? null;
  return {
    estimatedBytes: Math.round(bytes),
    estimatedRows: estimatedFiles === 0 ? 0 : Math.round((rows * files) / estimatedFiles),
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

/**
 * Size of a computed type relative to the conversion of its rows: bars are far smaller, deep books larger.
 */
const COMPUTED_RATIO = 0.2;

/** Estimates the bytes on disk of day files and their conversions. @param bytes size of the day files. */
export function estimateDiskBytes(bytes: number, convert: ConvertSetting | undefined): number {
  if (!convert) return bytes;
  const { outputSelection = ROWS_ONLY } = convert;
  const { format, compression } = convert.options;
  const factor = OUTPUT_FORMATS[format].sizeRatio(compression);
  const outputCount = (outputSelection.rows ? 1 : 0) + COMPUTED_RATIO * outputSelection.computed.length;
  return bytes * (factor * outputCount + (convert.keepCsv ? 1 : 0));
}
