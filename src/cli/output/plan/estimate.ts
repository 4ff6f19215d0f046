import { formatCount, formatDuration, formatSize, plural } from '../../../base/units.js';
import type { EstimateBasis, PlanEvent } from '../../../run/events.js';

const HOW: Readonly<Record<EstimateBasis, string>> = {
  manifest: 'about',
  record: 'roughly',
  typical: 'perhaps',
};

/** How sure it is. */
const BASIS: Readonly<Record<EstimateBasis, string>> = {
  manifest: 'judged by earlier days',
  record: "by the exchange's averages",
  typical: 'by usual sizes',
};

/**
 * How many times more or less may come: a busy symbol has 30 times the rows of an exchange's average one, and symbols of
 * one data type differ by the ten thousandfold.
 */
const TIMES: Readonly<Partial<Record<EstimateBasis, number>>> = { record: 30, typical: 300 };

/**
 * What is to be fetched in words, with how sure that is, and the disk's space: `about 3.4 GB, 120M rows, 2m10s, judged
 * by earlier days; 80 GB free`, or `roughly 3.4 GB (113 MB to 102 GB), …`. Empty where nothing is to be fetched or known.
 */
export function estimateText(plan: PlanEvent): string {
  const { estimatedBytes, estimatedRows, estimatedSeconds, estimateBasis, freeBytes } = plan;
  if (estimatedBytes == null || !estimateBasis) return '';
  const parts = [
    `${HOW[estimateBasis]} ${formatSize(estimatedBytes)}${rangeText(estimatedBytes, estimateBasis)}`,
    ...(estimatedRows ? [plural(estimatedRows, 'row', formatCount(estimatedRows))] : []),
    ...(estimatedSeconds == null ? [] : [formatDuration(estimatedSeconds * 1000)]),
    BASIS[estimateBasis],
  ];
  return `${parts.join(', ')}${freeBytes == null ? '' : `; ${formatSize(freeBytes)} free`}`;
}

function rangeText(bytes: number, basis: EstimateBasis): string {
  const times = TIMES[basis];
  return times === undefined ? '' : ` (${formatSize(bytes / times)} to ${formatSize(bytes * times)})`;
}
