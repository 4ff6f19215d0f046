import { availableParallelism } from 'node:os';
import type { AuditInput } from '../audit/audit-run.js';
import { describeGoodDays } from '../audit/audit-tally.js';
import { INCIDENT } from '../audit/check-descriptions.js';
import { CONTENT_CHECKS } from '../audit/content-checks.js';
import {
  createExchangeFacts,
  DEFAULT_DEGRADING,
  type ExchangeFacts,
  NO_EXCHANGE_FACTS,
} from '../audit/judge-day.js';
import type { AuditSource } from '../audit/plan-days.js';
import { TickhaulError, usageError } from '../base/errors.js';
import { findPageFile, isStdout, type OutputTarget } from '../base/output-sink.js';
import { didYouMean } from '../base/text.js';
import { plural } from '../base/units.js';
import type { SourceAccess } from '../convert/naming/find-sources.js';
import { type AuditedDay, DAY_CONDITIONS } from '../events/audited-day.js';
import type { EventSink, RunSummary } from '../events/run-events.js';
import type { COMMAND_OPTIONS } from '../options/command-options.js';
import type { CommandValues } from '../options/read-options.js';
import type { MetadataOptions } from '../service/records/fetch-records.js';
import type { ServiceClient } from '../service/service-client.js';
import { absoluteLocation } from '../store/location.js';
import type { Context } from './context.js';
import { readDayFileSelection } from './selection/read-selection.js';

export type AuditValues = CommandValues<typeof COMMAND_OPTIONS.audit>;

/** `audit`: checks the contents of day files and judges each day. */
export async function runAudit(options: AuditValues, context: Context): Promise<RunSummary> {
  const { signal, emit } = context;
  const { recheck, offline, jobs = availableParallelism() } = options;
  const checks = { ...(await readChecks(options, context)), recheck, jobs };
  const html = await findPageFile(options);
  if (options.good && isStdout(html))
    throw usageError('--html - and --good both print to stdout; use only one of them');
  const { auditFiles } = await import('../audit/audit-run.js');
  const { DownloadFolders } = await import('../audit/download-folders.js');
  const settings = await context.settings();
  const client = await context.client();
  const store = await context.store();
  const files = await context.files();
  const folders = new DownloadFolders(settings.downloadDir, files, store, signal);
  context.defer(() => folders.close());
  const locations = options.paths ?? [settings.downloadDir];
  const warn = (message: string): void => emit({ event: 'warning', message });
  const found = await findAuditSources(locations, { files, store, warn }, signal);
  const metadata = { cache: settings.cacheDir, offline, signal };
  const fetchFacts = (exchange: string): Promise<ExchangeFacts> =>
    fetchExchangeFacts(client, exchange, metadata, emit);
  const run = async (observed: EventSink): Promise<RunSummary> => {
    const io = { files, store, folders, fetchFacts, emit: observed, signal };
    const summary = await auditFiles({ ...checks, ...found, ...io });
    if (summary.goodDays) emit({ event: 'note', message: describeGoodDays(summary.goodDays) });
    return summary;
  };
  if (html === undefined) return run(emit);
  const [first = ''] = locations;
  const location = locations.length === 1 ? first : plural(locations.length, 'location');
  return writePage(html, location, context, run);
}

/**
 * Runs an audit, and writes its days as a page unless the run ended early.
 * @param location what is audited; the page shows its last name.
 * @throws what `run` throws; usage error before the run if the target is another file; errors of `writeOutput`.
 */
async function writePage(
  target: OutputTarget,
  location: string,
  context: Context,
  run: (emit: EventSink) => Promise<RunSummary>,
): Promise<RunSummary> {
  const { emit } = context;
  const { assertReplaceable, writeReport } = await import('../describe/coverage/page/render-report.js');
  await assertReplaceable(target);
  const days: AuditedDay[] = [];
  const summary = await run((event) => {
    if (event.event === 'day') days.push(event);
    emit(event);
  });
  if (summary.unfinished > 0) return summary;
  const { renderAuditPage } = await import('../describe/coverage/page/render-audit-page.js');
  await writeReport(target, renderAuditPage(days, { dir: location, now: Date.now() }), context);
  if (target.kind === 'file') emit({ event: 'note', message: `${target.name}: written` });
  return summary;
}

/** What is audited, and what degrades a day. @throws usage error. */
async function readChecks(
  options: AuditValues,
  context: Context,
): Promise<Pick<AuditInput, 'selection' | 'thresholds' | 'degrading' | 'failOn' | 'findsGoodDays'>> {
  const { shard, gapMs, jump, degrade, failOn, good } = options;
  if (good && shard)
    throw usageError('--good: the files of a day are in several shards, and all of them count; omit --shard');
  return {
    selection: await readDayFileSelection(options, context),
    thresholds: { gapMs, jump },
    degrading: readDegrading(degrade),
    failOn: new Set(failOn && assertNames('fail-on', failOn, [...DAY_CONDITIONS, ...CHECK_NAMES])),
    findsGoodDays: good,
  };
}

const CHECK_NAMES = CONTENT_CHECKS.map(({ name }) => name);
const NONE = 'none';

/** The names that degrade a day. @throws usage error for an unknown name, with the nearest. */
function readDegrading(names: readonly string[] | undefined): ReadonlySet<string> {
  if (!names) return DEFAULT_DEGRADING;
  assertNames('degrade', names, [...CHECK_NAMES, INCIDENT, NONE]);
  if (names.includes(NONE) && names.length > 1)
    throw usageError(`--degrade: "${NONE}" and other names contradict each other; use only one of them`);
  return new Set(names.filter((name) => name !== NONE));
}

function assertNames(flag: string, names: readonly string[], known: readonly string[]): readonly string[] {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return names;
  const hint = didYouMean(unknown, known) || `; valid names: ${known.join(', ')}`;
  throw usageError(`--${flag}: "${unknown}" is not a known name${hint}`);
}

/** Finds the files of locations, and which of the locations are folders. @throws as `findSources` does. */
async function findAuditSources(
  locations: readonly string[],
  access: SourceAccess,
  signal: AbortSignal,
): Promise<Pick<AuditInput, 'sources' | 'roots'>> {
  const { findSources } = await import('../convert/naming/find-sources.js');
  const { createDayFileLookup } = await import('../convert/naming/day-file-lookup.js');
  const findDayFile = createDayFileLookup(access.files, access.store, signal);
  const sources = new Map<string, AuditSource>();
  const roots = new Set<string>();
  for (const location of locations) {
    for (const { path, root, info } of await findSources([location], access, signal)) {
      // The root of a glob is a folder above it.
      const isInFolder = root !== undefined && root === location.replace(/([^:/])\/+$/, '$1');
      if (isInFolder) roots.add(root);
      const key = absoluteLocation(path);
      const known = sources.get(key);
      const file = known ? known.file : await findDayFile(path);
      sources.set(key, { path, file, info, isInFolder: isInFolder || known?.isInFolder === true });
    }
  }
  return { sources: [...sources.values()], roots: [...roots] };
}

/** No facts for an exchange without a stored record if offline, and for one that the service does not know. */
export async function fetchExchangeFacts(
  client: ServiceClient,
  exchange: string,
  metadata: MetadataOptions,
  emit: EventSink,
): Promise<ExchangeFacts> {
  const { FIELDS, fetchRecord } = await import('../service/records/fetch-records.js');
  try {
    return createExchangeFacts(await fetchRecord(client, exchange, FIELDS.incidents, metadata));
  } catch (error) {
    if (!(error instanceof TickhaulError)) throw error;
    if (metadata.offline === true && error.code === 'not_exported') return NO_EXCHANGE_FACTS;
    if (error.code !== 'usage') throw error;
    emit({ event: 'warning', message: `${error.message}; auditing its files without an exchange record` });
    return NO_EXCHANGE_FACTS;
  }
}
