import { usageError } from '../base/errors.js';
import { exportedUntilOf } from '../download/plan/select.js';
import type { Period } from '../market/trade-bars.js';
import type { Client } from '../service/http/client.js';
import { fetchDatasetRecord, type MetadataOptions } from '../service/records/metadata.js';
import { US_A_DAY } from './period.js';
import type { ReplayOption } from './types.js';

/**
 * The last exported days as a period. Of several exchanges they are days that all of them have: they end where the first
 * export ends.
 * @throws TickhaulError as `fetchDatasetRecord`; usage error for an exchange without day files.
 */
export async function lastDays(
  count: number,
  exchanges: readonly Pick<ReplayOption, 'exchange'>[],
  client: Client,
  options: MetadataOptions,
): Promise<Period> {
  const ends = await Promise.all(
    exchanges.map(async ({ exchange }) => {
      const { id, datasets } = await fetchDatasetRecord(client, exchange, options);
      if (!datasets) throw usageError(`--last: ${id} has no exported days; give --from and --to`);
      return exportedUntilOf(datasets);
    }),
  );
  const end = Math.min(...ends) * US_A_DAY;
  return { start: end - count * US_A_DAY, end };
}
