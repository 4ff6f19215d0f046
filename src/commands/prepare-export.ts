import { availableParallelism } from 'node:os';
import { TickhaulError, usageError } from '../base/errors.js';
import { didYouMean } from '../base/nearest-names.js';
import type { ExportContext, ExportFlags } from '../export/export-target.js';
import { EXPORT_TARGETS } from '../export/export-targets.js';
import {
  EXPORT_TARGET_NAMES,
  type ExportFlag,
  type ExportTargetName,
  TARGET_OPTIONS,
} from '../options/export-options.js';
import type { EventSink } from '../run/run-events.js';
import type { ServiceClient } from '../service/http/service-client.js';
import type { CommandArgs } from './arguments/command-args.js';
import {
  readBooleanFlag,
  readCount,
  readListFlag,
  readLocation,
  readLocations,
  readShard,
  readTextFlag,
} from './arguments/read-arguments.js';
import type { CommandHost } from './command-host.js';
import type { CommandRun } from './command-run.js';
import { readDayRange, readSeriesSelection, readStallTimeout } from './selection/read-selection.js';
import { withDegradedFilter } from './selection/with-degraded-filter.js';
import { withServiceSession } from './service-session.js';
import { toStoreSettings } from './with-destination.js';

/** Prepares `export`, which writes day files in the input format of a backtester. @throws usage error. */
export async function prepareExport(args: CommandArgs, host: CommandHost): Promise<CommandRun> {
  const { signal } = host;
  const target = readTarget(args);
  const out = readLocation(args, 'out');
  if (out === undefined || out === '-')
    throw usageError('--out: name the folder for the outputs, such as -o exports');
  const input = {
    target,
    settings: EXPORT_TARGETS[target].readSettings(readTargetFlags(args, target)),
    paths: readLocations(args, 'path'),
    selection: {
      ...(await readSeriesSelection(args, signal)),
      ...readDayRange(args),
      shard: readShard(args),
    },
    out,
    jobs: readCount(args, 'jobs', 1, 256) ?? availableParallelism(),
    existing: readTextFlag(args, 'existing') === 'overwrite' ? 'overwrite' : 'skip',
  } as const;
  const offline = readBooleanFlag(args, 'offline');
  const stallTimeoutMs = readStallTimeout(args);
  const { exportFiles } = await import('../export/export-files.js');
  return ({ emit, note }) =>
    withServiceSession(args, host, { stallTimeoutMs, note }, ({ client, settings }) => {
      const store = toStoreSettings(settings, stallTimeoutMs);
      const context = createExportContext({ client, cache: settings.cacheDir, offline, emit, signal });
      return withDegradedFilter(args, host, store, emit, (isExcluded) =>
        exportFiles({ ...input, isExcluded, context, store, emit }),
      );
    });
}

function readTarget(args: CommandArgs): ExportTargetName {
  const text = readTextFlag(args, 'target') ?? '';
  const name = EXPORT_TARGET_NAMES.find((known) => known === text.toLowerCase());
  if (name !== undefined) return name;
  const hint = didYouMean(text, EXPORT_TARGET_NAMES) || `; valid names: ${EXPORT_TARGET_NAMES.join(', ')}`;
  throw usageError(`"${text}" is not an export target${hint}`);
}

/** Flags of the target. @throws usage error for a flag of another target. */
function readTargetFlags(args: CommandArgs, target: ExportTargetName): ExportFlags {
  const { flags } = EXPORT_TARGETS[target];
  const given: Partial<Record<ExportFlag, string | readonly string[]>> = {};
  for (const [name, { type }] of Object.entries(TARGET_OPTIONS)) {
    const flag = name as ExportFlag;
    const value = type === 'list' ? readListFlag(args, flag) : readTextFlag(args, flag);
    if (value === undefined) continue;
    if (!flags.includes(flag)) throw usageError(`--${flag} has no effect on ${target}; omit it`);
    given[flag] = value;
  }
  return given;
}

interface ExportContextInput {
  readonly client: ServiceClient;
  /** Folder of stored exchange records. */
  readonly cache: string;
  readonly offline: boolean;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

function createExportContext({ client, cache, offline, emit, signal }: ExportContextInput): ExportContext {
  /** Facts that cannot be had count as absent. */
  const orAbsent = async <T>(what: string, fetch: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await fetch();
    } catch (error) {
      if (signal.aborted || !(error instanceof TickhaulError)) throw error;
      emit({ event: 'warning', message: `cannot get ${what}: ${error.message}` });
      return undefined;
    }
  };
  return {
    fetchInstruments: once(async (exchange) => {
      if (offline) return undefined;
      const { fetchInstruments } = await import('../service/records/fetch-instruments.js');
      return orAbsent(`the instruments of ${exchange}`, () => fetchInstruments(client, exchange, {}, signal));
    }),
    fetchSymbolTypes: once(async (exchange) => {
      const { fetchDatasetRecord } = await import('../service/records/fetch-records.js');
      const record = await orAbsent(`the exchange record of ${exchange}`, () =>
        fetchDatasetRecord(client, exchange, { cache, offline, signal }),
      );
      const symbols = record?.datasets?.symbols ?? [];
      return record && new Map(symbols.flatMap(({ id, type }) => (type ? [[id.toUpperCase(), type]] : [])));
    }),
    signal,
  };
}

/** Calls a function once for each argument. */
function once<T>(fetch: (exchange: string) => Promise<T>): (exchange: string) => Promise<T> {
  const results = new Map<string, Promise<T>>();
  return (exchange) => {
    const result = results.get(exchange) ?? fetch(exchange);
    results.set(exchange, result);
    return result;
  };
}
