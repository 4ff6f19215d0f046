import { isDeepStrictEqual } from 'node:util';
import type { FileEvent } from '../../run/events.js';
import type { ManifestScope } from '../../store/manifest/scope.js';
import { checksOf } from '../check/checks.js';
import { examine, look } from '../check/examine.js';
import { sightOfListed } from '../check/facts.js';
import { createOrders } from '../check/orders.js';
import type { Check, Expected, Sight } from '../types.js';
import type { Verification } from '../verification.js';
import type { Settle } from './settle.js';

/**
 * Looks again at files that seem bad, where another run has recorded them anew since the manifest was read, or has
 * dropped or forgotten them: their records then tell of other bytes, or are gone.
 * @returns what became of those.
 */
export function createSecondLook(
  { input: { destination, quick, signal }, survey, manifest }: Verification,
  settle: Settle,
): (checks: readonly Check[]) => Promise<ReadonlyMap<Check, FileEvent>> {
  const orderOf = createOrders(destination);

  const sightOf = async (check: Check, expected: Expected): Promise<Sight> => {
    const order = orderOf(check);
    if (!quick) return examine(order, () => {}, destination.files, signal);
    return survey.listed
      ? sightOfListed(expected, await destination.files.look(order.location, signal))
      : look(order);
  };

  return async (checks) => {
    const events = new Map<Check, FileEvent>();
    const recorded = checks.filter(({ record }) => record !== undefined);
    if (recorded.length === 0) return events;
    const current = await manifest.now(scopeOf(recorded), signal);
    for (const check of recorded) {
      const record = current.get(check.record?.path ?? '');
      if (isDeepStrictEqual(record, check.record)) continue;
      const now = record && [...checksOf(record)].find((each) => each.path === check.path);
      if (now?.expected) events.set(check, await settle(now, await sightOf(now, now.expected)));
      else events.set(check, { event: 'file', status: 'skipped', file: check.file, path: check.path });
    }
    return events;
  };
}

/** The part of a manifest that knows these. */
function scopeOf(checks: readonly Check[]): ManifestScope {
  const files = checks.flatMap(({ record }) => record?.file ?? []);
  const days = files.map(({ day }) => day);
  return {
    exchanges: [...new Set(files.map(({ exchange }) => exchange))],
    dataTypes: [...new Set(files.map(({ dataType }) => dataType))],
    from: Math.min(...days),
    to: Math.max(...days) + 1,
  };
}
