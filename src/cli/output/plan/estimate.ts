import { formatCount, formatDuration, formatSize } from '../../../base/units.js';
import type { EstimateBasis, PlanEvent } from '../../../run/events.js';

const HOW: Readonly<Record<EstimateBasis, string>> = {
  manifest: 'about',
  record: 'roughly',
  typical: 'perhaps',
};

/** How sure it is. */
const BASIS: Readonly<Record<EstimateBasis, string>> = {
  manifest: 'judged by earlier days',
  record: "by the exchange's averages: up to 3 times more or less",
  typical: 'by usual sizes: up to 10 times more or less',
};

/**
 * What is to be fetched in words, with how sure that is, and the disk's space: `about 3.4 GB, 120M rows, 2m10s, judged
 * by earlier days; 80 GB free`. Empty where nothing is to be fetched or known.
 */
export function estimateText(plan: PlanEvent): string {
  const { estimatedBytes, estimatedRows, estimatedSeconds, estimateBasis, freeBytes } = plan;
  if (estimatedBytes == null || !estimateBasis) return '';
  const parts = [
    `${HOW[estimateBasis]} ${formatSize(estimatedBytes)}`,
    ...(estimatedRows ? [`${formatCount(estimatedRows)} rows`] : []),
    ...(estimatedSeconds == null ? [] : [formatDuration(estimatedSeconds * 1000)]),
    BASIS[estimateBasis],
  ];
  return `${parts.join(', ')}${freeBytes == null ? '' : `; ${formatSize(freeBytes)} free`}`;
}
