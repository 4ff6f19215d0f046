import * as z from 'zod';
import type { Client } from '../http/client.js';
import { parseLargeJson } from './large-json.js';
import { fetchRecordWith, type MetadataOptions } from './metadata.js';
import { checkWith } from './schema.js';

/** What of an exchange raw replay can be asked for (service interface, Exchange record). */
export interface FeedNames {
  /** None where the record doesn't tell. */
  readonly channels: readonly string[];
  /** As the exchange writes them; channels may have others. */
  readonly symbols: readonly string[];
}

const WITHOUT = new Set(['datasets', 'channelDetails', 'incidentReports']);

const names = z.looseObject({
  id: z.string(),
  availableChannels: z.array(z.string()).optional(),
  availableSymbols: z.array(z.string()).optional(),
});

/**
 * The channels and symbols of an exchange's record; throws as `fetchExchange` does. With `offline`, of its stored copy
 * of any age.
 */
export async function fetchFeedNames(
  client: Client,
  exchange: string,
  options: MetadataOptions,
): Promise<FeedNames> {
  const record = await fetchRecordWith(client, exchange, options, parseNames, async () => checkWith(names));
  return { channels: record.availableChannels ?? [], symbols: record.availableSymbols ?? [] };
}

/** A record may list 270,000 symbols: of each only the id is kept. */
function parseNames(body: Buffer): unknown {
  const inPieces = new Map([
    ['availableSymbols', (symbol: unknown) => (symbol as { id?: unknown } | null)?.id],
  ]);
  return parseLargeJson(body, { without: WITHOUT, inPieces });
}
