import { usageError } from '../base/errors.js';
import { US_PER_DAY } from '../dataset/day.js';
import { readExportedUntil } from '../download/plan/select-series.js';
import type { Period } from '../market/trade-bars.js';
import type { ServiceClient } from '../service/http/service-client.js';
import { FIELDS, fetchRecord, type MetadataOptions } from '../service/records/fetch-records.js';
import type { ReplayOption } from './replay-request.js';

/**
 * The last exported days as a period. For several exchanges the period ends with the earliest end of their
 * exports.
 * @throws TickhaulError as `fetchRecord`; usage error for an exchange without day files.
 */
export async function fetchLastDays(
  count: number,
  exchanges: readonly Pick<ReplayOption, 'exchange'>[],
  client: ServiceClient,
  options: MetadataOptions,
): Promise<Period> {
  const ends = await Promise.all(
    exchanges.map(async ({ exchange }) => {
      const { id, datasets } = await fetchRecord(client, exchange, FIELDS.plan, options);
      if (!datasets) throw usageError(`--last: ${id} has no exported days; use --from and --to`);
      return readExportedUntil(datasets);
    }),
  );
  const end = Math.min(...ends) * US_PER_DAY;
  return { start: end - count * US_PER_DAY, end };
}
