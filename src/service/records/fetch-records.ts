import { TickhaulError, usageError } from '../../base/errors.js';
import { didYouMean } from '../../base/nearest-names.js';
import type { ServiceClient } from '../http/service-client.js';
import { encodePathSegment } from '../request-day-file.js';
import type { ParseResponse } from '../service-config.js';
import type { ExchangeRecord, ExchangeSummary } from './exchange-record.js';
import { fetchMetadata, type MetadataOptions, type ParseBody } from './fetch-metadata.js';
import { parseDatasetRecord, parseRecordWithIncidents } from './parse-dataset-record.js';

export type { DatasetSymbol, ExchangeRecord, ExchangeSummary } from './exchange-record.js';
export type { MetadataOptions } from './fetch-metadata.js';

/**
 * Fetches all exchanges (`docs/spec/metadata-api.md#exchange-list`).
 * @throws TickhaulError `bad_answer` if the response is not a list of exchanges; otherwise as for any request.
 */
export function fetchExchanges(
  client: ServiceClient,
  options: MetadataOptions = {},
): Promise<readonly ExchangeSummary[]> {
  return fetchMetadata(client, '/v1/exchanges', async () => (await loadSchema()).parseSummaries, options);
}

/**
 * Fetches the full record of one exchange (`docs/spec/metadata-api.md#exchange-record`).
 * @throws usage error for an unknown exchange, with the most similar exchange ids.
 */
export function fetchExchange(
  client: ServiceClient,
  id: string,
  options: MetadataOptions = {},
): Promise<ExchangeRecord> {
  return fetchRecordWith(client, id, options, (body) => JSON.parse(body.toString()), loadRecordCheck);
}

/** Like `fetchExchange`, but without the fields that only raw replay uses, in a fraction of the memory. */
export function fetchDatasetRecord(
  client: ServiceClient,
  id: string,
  options: MetadataOptions = {},
): Promise<ExchangeRecord> {
  return fetchRecordWith(client, id, options, parseDatasetRecord, loadRecordCheck);
}

/** Like `fetchDatasetRecord`, with the incident reports. */
export function fetchRecordWithIncidents(
  client: ServiceClient,
  id: string,
  options: MetadataOptions = {},
): Promise<ExchangeRecord> {
  return fetchRecordWith(client, id, options, parseRecordWithIncidents, loadRecordCheck);
}

/**
 * Fetches one exchange's record with a custom parser; throws as `fetchExchange` does.
 * @param parse parses the needed fields from the response's bytes; throws SyntaxError.
 * @param loadCheck loads the function that checks the parsed fields.
 */
export async function fetchRecordWith<T>(
  client: ServiceClient,
  id: string,
  options: MetadataOptions,
  parse: ParseBody,
  loadCheck: () => Promise<ParseResponse<T>>,
): Promise<T> {
  try {
    return await fetchMetadata(client, `/v1/exchanges/${encodePathSegment(id)}`, loadCheck, options, {
      parse,
    });
  } catch (error) {
    const isUnknown = error instanceof TickhaulError && (error.status === 404 || error.status === 400);
    if (!isUnknown) throw error;
    const known = (await fetchExchanges(client, options)).map((exchange) => exchange.id);
    if (known.includes(id)) {
      throw new TickhaulError(
        'bad_answer',
        `${id} is in the list of exchanges, but has no record; try again later`,
        {
          status: error.status,
          cause: error,
        },
      );
    }
    throw usageError(
      `unknown exchange "${id}"${didYouMean(id, known) || '; run tickhaul exchanges to list them'}`,
    );
  }
}

const loadSchema = () => import('./record-schema.js');
const loadRecordCheck = async (): Promise<ParseResponse<ExchangeRecord>> => (await loadSchema()).parseRecord;
