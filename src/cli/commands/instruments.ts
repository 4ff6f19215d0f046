import { TickhaulError, usageError } from '../../base/errors.js';
import { didYouMean } from '../../base/nearest-names.js';
import { toJsonLine } from '../../events/json-events.js';
import { EXCHANGE_ARGUMENT } from '../../options/day-file-options.js';
import { groupOptions } from '../../options/option-definition.js';
import type { ReadOptions } from '../../options/option-values.js';
import {
  type InstrumentFilter,
  type InstrumentInfo,
  parseInstrumentFilter,
} from '../../service/records/fetch-instruments.js';
import type { ServiceClient } from '../../service/service-client.js';
import { defineCommand } from '../arguments/define-flags.js';
import { formatTable } from '../output/text/table.js';
import { withOutputContext } from '../run-command.js';

/** Known types of instruments (docs/spec/metadata-api.md#instruments); the service may have others. */
const TYPES = ['spot', 'perpetual', 'future', 'option', 'combo', 'prediction'];

/** Filter options, with the fields of the service's filter. */
const FIELDS = [
  ['types', 'type'],
  ['base', 'baseCurrency'],
  ['quote', 'quoteCurrency'],
  ['contractType', 'contractType'],
] as const;

const OPTIONS = {
  ...EXCHANGE_ARGUMENT,
  symbol: {
    type: 'text',
    description: 'one instrument in the spelling of the exchange, in any case',
    positional: true,
  },
  ...groupOptions('Filters:', {
    type: {
      type: 'list',
      description: `only these types: ${TYPES.join(', ')}`,
      alias: 't',
      settingName: 'types',
    },
    base: { type: 'list', description: 'only these base currencies' },
    quote: { type: 'list', description: 'only these quote currencies' },
    'contract-type': {
      type: 'list',
      description: 'only these types: linear_perpetual, inverse_future, put_option …',
    },
    active: { type: 'flag', description: 'only instruments currently traded' },
    'no-active': { type: 'flag', description: 'only instruments that are no longer traded' },
    filter: {
      type: 'text',
      description: 'filter of the service as JSON; other flags override its fields',
    },
  }),
} as const;

export const instrumentsCommand = defineCommand(OPTIONS, {
  examples: [
    ['$0 instruments bitmex --active --type perpetual', 'traded perpetuals; bitmex needs no key'],
    ['$0 instruments bitmex XBTUSD --json', 'all fields of one instrument'],
  ],
  async run(options, cli) {
    const { symbol } = options;
    const exchange = String(options.exchange).toLowerCase();
    const filter = readFilter(options);
    if (symbol !== undefined && Object.keys(filter).length > 0) {
      throw usageError(`"${symbol}" names a single instrument; omit either the symbol or the filters`);
    }
    return withOutputContext(options, cli, async (context) => {
      const client = await context.client();
      const { cacheDir: cache } = await context.settings();
      const { fetchInstrument, fetchInstruments } = await import(
        '../../service/records/fetch-instruments.js'
      );
      // The copy on disk is for commands and servers without a network.
      const fetching = { cache, fresh: true, signal: cli.signal };
      try {
        const instruments =
          symbol === undefined
            ? await fetchInstruments(client, exchange, filter, fetching)
            : await fetchInstrument(client, exchange, symbol, fetching);
        const list: readonly InstrumentInfo[] = Array.isArray(instruments) ? instruments : [instruments];
        assertKnownTypes(options.types, list);
        await cli.output.result({ json: () => toJsonLine(instruments), text: () => formatInstruments(list) });
        return 0;
      } catch (error) {
        throw await toNameError(error, client, exchange, symbol, cache, cli.signal);
      }
    });
  },
});

function readFilter(options: ReadOptions<typeof OPTIONS>): InstrumentFilter {
  const filter: Record<string, unknown> = { ...parseFilter(options.filter) };
  for (const [name, field] of FIELDS) {
    const values = options[name];
    if (values) filter[field] = values.length === 1 ? values[0] : values;
  }
  const { active: isActive, noActive: isInactive } = options;
  if (isActive && isInactive)
    throw usageError('--active and --no-active exclude all instruments; use only one of them');
  if (isActive || isInactive) filter['active'] = isActive;
  return filter;
}

function parseFilter(text: string | undefined): InstrumentFilter {
  const filter = text === undefined ? {} : parseInstrumentFilter(text);
  if (filter) return filter;
  throw usageError(`--filter: expected a JSON object, as '{"baseCurrency":"BTC"}', found "${text}"`);
}

/** @throws usage error for an unknown type without results. */
function assertKnownTypes(
  types: readonly string[] | undefined,
  instruments: readonly InstrumentInfo[],
): void {
  const known = new Set([...TYPES, ...instruments.map(({ type }) => type)]);
  const unknownType = types?.find((type) => !known.has(type));
  if (unknownType === undefined) return;
  const hint = didYouMean(unknownType, known) || `; valid types: ${TYPES.join(', ')}`;
  throw usageError(`unknown instrument type "${unknownType}"${hint}`);
}

/** Converts the error for an unknown exchange or symbol to a usage error with the nearest names. */
async function toNameError(
  error: unknown,
  client: ServiceClient,
  exchange: string,
  symbol: string | undefined,
  cache: string | undefined,
  signal: AbortSignal,
): Promise<unknown> {
  if (!(error instanceof TickhaulError) || (error.status !== 404 && error.status !== 400)) return error;
  const { FIELDS, fetchRecord } = await import('../../service/records/fetch-records.js');
  const { symbols } = await fetchRecord(client, exchange, FIELDS.names, { cache, signal });
  if (error.status === 400) return usageError(error.message);
  if (symbol === undefined) return error;
  const hint = didYouMean(symbol, symbols) || `; run tickhaul instruments ${exchange} to list them`;
  return usageError(`unknown symbol "${symbol}" on ${exchange}${hint}`);
}

function formatInstruments(instruments: readonly InstrumentInfo[]): string {
  return formatTable(
    [
      { title: 'id', cell: ({ id }) => id },
      { title: 'dataset id', cell: ({ datasetId }) => datasetId ?? '(not exported yet)' },
      { title: 'type', cell: ({ type }) => type },
      { title: 'contract', cell: ({ contractType }) => contractType ?? '' },
      { title: 'base', cell: ({ baseCurrency }) => baseCurrency },
      { title: 'quote', cell: ({ quoteCurrency }) => quoteCurrency },
      { title: 'active', cell: ({ active }) => (active ? 'yes' : 'no') },
      { title: 'since', cell: ({ availableSince }) => availableSince.slice(0, 10) },
      { title: 'until', cell: ({ availableTo }) => availableTo?.slice(0, 10) ?? '' },
    ],
    instruments,
  );
}
