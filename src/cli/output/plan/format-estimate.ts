import { formatCount, formatDuration, formatSize, plural } from '../../../base/units.js';
import type { EstimateBasis, PlanEvent } from '../../../events/run-events.js';

const PRECISION: Readonly<Record<EstimateBasis, string>> = {
  manifest: 'about',
  record: 'roughly',
  typical: 'perhaps',
};

/** Basis of the estimate, which implies its precision. */
const BASIS: Readonly<Record<EstimateBasis, string>> = {
  manifest: 'from earlier days',
  record: 'from averages of the exchange',
  typical: 'from typical sizes',
};

/**
 * Factor by which the actual size may differ: a busy symbol has 30 times the rows of the exchange's average symbol, and
 * symbols of one data type differ by a factor of up to 10,000.
 */
const RANGE_FACTOR: Readonly<Partial<Record<EstimateBasis, number>>> = { record: 30, typical: 300 };

/**
 * Formats the estimate of a plan and the free disk space: `about 3.4 GB, 120M rows, 2m10s, from earlier days; 80 GB
 * free`, or `roughly 3.4 GB (113 MB to 102 GB), …`. Empty if there is nothing to download or no estimate.
 */
export function formatEstimate(plan: PlanEvent): string {
  const { estimatedBytes, estimatedRows, estimatedSeconds, estimateBasis, freeBytes } = plan;
  if (estimatedBytes == null || !estimateBasis) return '';
  const parts = [
    `${PRECISION[estimateBasis]} ${formatSize(estimatedBytes)}${formatRange(estimatedBytes, estimateBasis)}`,
    ...(estimatedRows ? [plural(estimatedRows, 'row', formatCount(estimatedRows))] : []),
    ...(estimatedSeconds == null ? [] : [formatDuration(estimatedSeconds * 1000)]),
    BASIS[estimateBasis],
  ];
  return `${parts.join(', ')}${freeBytes == null ? '' : `; ${formatSize(freeBytes)} free`}`;
}

function formatRange(bytes: number, basis: EstimateBasis): string {
  const factor = RANGE_FACTOR[basis];
  return factor === undefined ? '' : ` (${formatSize(bytes / factor)} to ${formatSize(bytes * factor)})`;
}
