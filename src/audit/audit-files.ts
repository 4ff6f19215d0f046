import { abortReason } from '../base/errors.js';
import type { RunSummary } from '../run/run-events.js';
import { judgeAbsentDay } from './absent-days.js';
import type { AuditInput } from './audit-input.js';
import { AuditRun, type OpenDay } from './audit-run.js';
import { type ExchangeFacts, NO_EXCHANGE_FACTS } from './exchange-facts.js';
import { findConversions } from './find-conversions.js';
import { findKnownFile, type KnownFile } from './known-record.js';
import { type PlannedDay, planDays } from './plan-days.js';

/** Records are looked up for this many files at the same time. */
const LOOKUPS_AT_ONCE = 64;

/**
 * Judges all selected days. Only files without a record are read. Days are emitted in the order of the plan. Corrupt
 * files are days with this condition, and the others are still audited.
 * @throws TickhaulError if the run cannot start: `usage`, errors of the service and of the store.
 */
export async function auditFiles(input: AuditInput): Promise<RunSummary> {
  const startedAtMs = performance.now();
  const { days, isSelected } = planDays(input.sources, input.selection);
  const facts = new Map<string, ExchangeFacts>();
  for (const exchange of new Set(days.flatMap(({ file }) => (file ? [file.exchange] : []))))
    facts.set(exchange, await input.fetchFacts(exchange));
  const known = await findKnownFiles(days, input);
  const run = new AuditRun(input, facts, isSelected);
  return run.run(await dropUnlistedDays(days, facts, input), known, startedAtMs);
}

async function findKnownFiles(
  days: readonly PlannedDay[],
  { thresholds, folders, files, signal }: AuditInput,
): Promise<ReadonlyMap<string, KnownFile>> {
  const known = new Map<string, KnownFile>();
  const sources = days.filter((day) => day.path !== undefined);
  for (let at = 0; at < sources.length; at += LOOKUPS_AT_ONCE) {
    if (signal.aborted) throw abortReason(signal);
    const lookups = sources.slice(at, at + LOOKUPS_AT_ONCE).map(async (source) => {
      known.set(source.path, await findKnownFile(source, thresholds, folders, files, signal));
    });
    await Promise.all(lookups);
  }
  return known;
}

async function dropUnlistedDays(
  days: readonly PlannedDay[],
  facts: ReadonlyMap<string, ExchangeFacts>,
  { roots, folders, store, signal }: AuditInput,
): Promise<readonly OpenDay[]> {
  const hasAbsentDays = days.some(({ path }) => path === undefined);
  const hasConversion = hasAbsentDays
    ? await findConversions(roots, await folders.opened(), store, signal)
    : () => false;
  return days.flatMap((day): OpenDay[] => {
    if (day.path !== undefined) return [{ source: day }];
    const verdict = judgeAbsentDay(
      day.file,
      facts.get(day.file.exchange) ?? NO_EXCHANGE_FACTS,
      hasConversion,
    );
    return verdict ? [{ verdict }] : [];
  });
}
