import { availableParallelism } from 'node:os';
import { TickhaulError, usageError } from '../base/errors.js';
import type { EventSink, RunSummary } from '../events/run-events.js';
import type { ExportContext } from '../export/export-target.js';
import type { COMMAND_OPTIONS } from '../options/command-options.js';
import type { CommandValues } from '../options/read-options.js';
import type { ServiceClient } from '../service/service-client.js';
import type { Context } from './context.js';
import { readExportTarget } from './selection/read-export-setting.js';
import { readSourcePaths } from './selection/read-folder-paths.js';
import { readDayFileSelection } from './selection/read-selection.js';
import { openVerdictFilter } from './selection/verdict-filter.js';

/** `export`: writes day files in the input format of a backtester. */
export async function runExport(
  options: CommandValues<typeof COMMAND_OPTIONS.export>,
  context: Context,
): Promise<RunSummary> {
  const { emit, signal } = context;
  const { target, out, existing, offline, jobs = availableParallelism() } = options;
  if (target === undefined) throw usageError('<target> is missing: name a backtester');
  if (out === undefined || out === '-')
    throw usageError('--out: name the folder for the outputs, such as -o exports');
  const paths = await readSourcePaths(options, context);
  const selection = await readDayFileSelection(options, context);
  const input = { ...(await readExportTarget(target, options)), out, paths, selection, jobs, existing };
  const { exportFiles } = await import('../export/export-files.js');
  const { cacheDir: cache } = await context.settings();
  const client = await context.client();
  const store = await context.store();
  const { EXPORT_TARGETS } = await import('../export/run-export-job.js');
  const { dataTypes } = EXPORT_TARGETS[target];
  return exportFiles({
    ...input,
    exclusion: await openVerdictFilter(options, context, store, dataTypes),
    context: createExportContext({ client, cache, offline, emit, signal }),
    store,
    emit,
  });
}

interface ExportContextInput {
  readonly client: ServiceClient;
  /** Folder of stored exchange records. */
  readonly cache?: string | undefined;
  readonly offline: boolean;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/** Facts of the service for an export; what cannot be had is absent, with a warning. */
export function createExportContext({
  client,
  cache,
  offline,
  emit,
  signal,
}: ExportContextInput): ExportContext {
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
  const fetchAll = once(async (exchange) => {
    const { fetchInstruments } = await import('../service/records/fetch-instruments.js');
    return orAbsent(`the instruments of ${exchange}`, () =>
      fetchInstruments(client, exchange, {}, { cache, offline, signal }),
    );
  });
  const findStored = once(async (exchange) => {
    const { fetchInstruments } = await import('../service/records/fetch-instruments.js');
    return fetchInstruments(client, exchange, {}, { cache, offline: true, signal }).catch((error) => {
      if (error instanceof TickhaulError) return undefined;
      throw error;
    });
  });
  return {
    fetchInstruments: fetchAll,
    findInstruments: findStored,
    async lookUpInstruments(exchange) {
      // The service refuses them without a key.
      const canFetch = !offline && client.config.apiKey !== undefined;
      return (canFetch ? await fetchAll(exchange) : undefined) ?? (await findStored(exchange));
    },
    fetchSymbolTypes: once(async (exchange) => {
      const { FIELDS, fetchRecord } = await import('../service/records/fetch-records.js');
      const record = await orAbsent(`the exchange record of ${exchange}`, () =>
        fetchRecord(client, exchange, FIELDS.plan, { cache, offline, signal }),
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
