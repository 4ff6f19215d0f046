import { EXCHANGE_ARGUMENT } from './day-file-options.js';
import { groupOptions } from './option-definition.js';

/** Known types of instruments (docs/spec/metadata-api.md#instruments); the service may have others. */
export const INSTRUMENT_TYPES = ['spot', 'perpetual', 'future', 'option', 'combo', 'prediction'];

/** What `exchanges` shows. */
export const EXCHANGES_OPTIONS = {
  exchange: {
    type: 'text',
    description: 'exchange id; omit it to list all exchanges',
    positional: true,
  },
} as const;

/** The dataset symbols that `symbols` lists. */
export const SYMBOLS_OPTIONS = {
  exchange: {
    type: 'list',
    description: 'exchange ids, or globs of them such as "binance*"',
    defaultText: 'all exchanges',
    positional: true,
  },
  glob: {
    type: 'list',
    description: 'only these symbols, like --symbol',
    positional: true,
    scopes: ['flag'],
  },
  ...groupOptions('Filters:', {
    type: {
      type: 'data-types',
      description: 'only symbols with one of these data types',
      alias: 't',
      settingName: 'types',
    },
    symbol: {
      type: 'list',
      description: 'only these symbols, comma-separated; globs such as "BTC*"',
      settingDescription: 'only these symbols; globs such as "BTC*"',
      alias: 's',
      settingName: 'symbols',
    },
    'symbol-type': {
      type: 'lower-case-list',
      description: 'only symbols of these types: spot, future, perpetual, option …',
      settingName: 'symbolTypes',
    },
    on: { type: 'single-day', description: 'only symbols available on this UTC day, YYYY-MM-DD' },
  }),
} as const;

/** The instruments that `instruments` lists. */
export const INSTRUMENTS_OPTIONS = {
  ...EXCHANGE_ARGUMENT,
  symbol: {
    type: 'text',
    description: 'one instrument in the spelling of the exchange, in any case',
    positional: true,
  },
  ...groupOptions('Filters:', {
    type: {
      type: 'list',
      description: `only these types: ${INSTRUMENT_TYPES.join(', ')}`,
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
      settingDescription: 'filter of the service as JSON; other options override its fields',
    },
  }),
} as const;
