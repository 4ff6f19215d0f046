import { TickhaulError } from '../base/errors.js';
import type { EventSink } from '../events/run-events.js';
import type { ExportContext } from '../export/export-target.js';
import type { ServiceClient } from '../service/service-client.js';

export interface ExportContextInput {
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
