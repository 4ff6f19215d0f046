import { availableParallelism } from 'node:os';
import type { AuditInput } from '../audit/audit-run.js';
import { CONTENT_CHECKS } from '../audit/content-checks.js';
import { createExchangeFacts, type ExchangeFacts, NO_EXCHANGE_FACTS } from '../audit/exchange-facts.js';
import { DEFAULT_DEGRADING, INCIDENT } from '../audit/judge-day.js';
import type { AuditSource } from '../audit/plan-days.js';
import { TickhaulError, usageError } from '../base/errors.js';
import { didYouMean } from '../base/nearest-names.js';
import { plural } from '../base/units.js';
import type { SourceAccess } from '../convert/naming/find-sources.js';
import { DAY_CONDITIONS } from '../events/audited-day.js';
import type { EventSink } from '../events/run-events.js';
import { AUDIT_OPTIONS } from '../options/existing-file-options.js';
import type { ServiceClient } from '../service/http/service-client.js';
import type { MetadataOptions } from '../service/records/fetch-records.js';
import { absoluteLocation } from '../store/location.js';
import { openFiles } from '../store/open-files.js';
import type { CommandArgs } from './arguments/command-args.js';
import {
  readBooleanFlag,
  readCount,
  readDuration,
  readListFlag,
  readLocations,
  readShard,
  readTextFlag,
} from './arguments/read-arguments.js';
import type { CommandHost } from './command-host.js';
import type { CommandRun } from './command-run.js';
import { readPageFile } from './output-file.js';
import { readDayRange, readSeriesSelection, readStallTimeout } from './selection/read-selection.js';
import { withServiceSession } from './service-session.js';
import { withAuditPage } from './with-audit-page.js';
import { toStoreSettings } from './with-destination.js';

/** Prepares `audit`, which checks the contents of day files and judges each day. @throws usage error. */
export async function prepareAudit(args: CommandArgs, host: CommandHost): Promise<CommandRun> {
  const { signal } = host;
  const paths = readLocations(args, 'path');
  const options = await readAuditOptions(args, signal);
  const stallTimeoutMs = readStallTimeout(args);
  const offline = readBooleanFlag(args, 'offline');
  const html = await readPageFile(args);
  const { auditFiles } = await import('../audit/audit-run.js');
  const { DownloadFolders } = await import('../audit/download-folders.js');
  return ({ emit, note }) =>
    withServiceSession(args, host, { stallTimeoutMs, note }, async ({ client, settings }) => {
      const store = toStoreSettings(settings, stallTimeoutMs);
      const files = openFiles(store);
      const folders = new DownloadFolders(settings.downloadDir, files, store, signal);
      try {
        const locations = paths.length > 0 ? paths : [settings.downloadDir];
        const warn = (message: string): void => emit({ event: 'warning', message });
        const found = await findAuditSources(locations, { files, store, warn }, signal);
        const metadata = { cache: settings.cacheDir, offline, signal };
        const fetchFacts = (exchange: string): Promise<ExchangeFacts> =>
          fetchExchangeFacts(client, exchange, metadata, emit);
        const [first = ''] = locations;
        const location = locations.length === 1 ? first : plural(locations.length, 'location');
        const page = html && { target: html, location, host };
        return await withAuditPage(page, emit, (emit) =>
          auditFiles({ ...options, ...found, files, store, folders, fetchFacts, emit, signal }),
        );
      } finally {
        await folders.close();
        await files.close();
      }
    });
}

type AuditOptions = Pick<
  AuditInput,
  'selection' | 'thresholds' | 'degrading' | 'failOn' | 'recheck' | 'jobs'
>;

async function readAuditOptions(args: CommandArgs, signal: AbortSignal): Promise<AuditOptions> {
  return {
    selection: {
      ...(await readSeriesSelection(args, signal)),
      ...readDayRange(args),
      shard: readShard(args),
    },
    thresholds: readThresholds(args),
    degrading: readDegrading(args),
    failOn: new Set(readNames(args, 'fail-on', [...DAY_CONDITIONS, ...CHECK_NAMES])),
    recheck: readBooleanFlag(args, 'recheck'),
    jobs: readCount(args, 'jobs', 1, 256) ?? availableParallelism(),
  };
}

const CHECK_NAMES = CONTENT_CHECKS.map(({ name }) => name);
const NONE = 'none';

/** The thresholds of the checks, with their defaults. @throws usage error. */
export function readThresholds(args: CommandArgs): AuditInput['thresholds'] {
  const { gap, jump } = AUDIT_OPTIONS;
  const text = readTextFlag(args, 'jump') ?? jump.default;
  if (!/^\d+(?:\.\d+)?$/.test(text) || Number(text) === 0)
    throw usageError(`--jump: "${text}" is not a positive number; use 0.1 for 10 percent`);
  const gapMs = readDuration({ gap: args['gap'] ?? gap.default }, 'gap') ?? 0;
  return { gapMs, jump: Number(text) };
}

/** The names that degrade a day. @throws usage error for an unknown name, with the nearest. */
export function readDegrading(args: CommandArgs): ReadonlySet<string> {
  const names = readNames(args, 'degrade', [...CHECK_NAMES, INCIDENT, NONE]);
  if (!names) return DEFAULT_DEGRADING;
  if (names.includes(NONE) && names.length > 1)
    throw usageError(`--degrade: "${NONE}" and other names contradict each other; use only one of them`);
  return new Set(names.filter((name) => name !== NONE));
}

function readNames(args: CommandArgs, flag: string, known: readonly string[]): readonly string[] | undefined {
  const names = readListFlag(args, flag);
  const unknown = names?.find((name) => !known.includes(name));
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
