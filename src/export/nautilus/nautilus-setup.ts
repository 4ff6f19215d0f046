import { posix } from 'node:path';
import type { SideFile } from '../export-target.js';
import type { CatalogType } from './catalog-columns.js';
import { formatCatalogPath } from './catalog-instrument.js';
import type { InstrumentRow } from './instrument-file.js';
import { formatBarType, parseBarName } from './nautilus-options.js';

/** How a strategy gets a type of data; in the order of preference. */
const DATA = {
  trade_tick: { type: 'TradeTick', subscribe: 'subscribe_trade_ticks', handler: 'on_trade_tick' },
  quote_tick: { type: 'QuoteTick', subscribe: 'subscribe_quote_ticks', handler: 'on_quote_tick' },
  order_book_deltas: {
    type: 'OrderBookDelta',
    subscribe: 'subscribe_order_book_deltas',
    handler: 'on_order_book_deltas',
  },
  order_book_depths: {
    type: 'OrderBookDepth10',
    subscribe: 'subscribe_order_book_depth',
    handler: 'on_order_book_depth',
  },
  bar: { type: 'Bar', subscribe: 'subscribe_bars', handler: 'on_bar' },
} as const;

const NAMES = Object.keys(DATA) as (keyof typeof DATA)[];

/** What the script for NautilusTrader is about. */
export interface NautilusScript {
  /** `<SYMBOL>.<VENUE>`. */
  readonly id: string;
  readonly data: keyof typeof DATA;
  /** Set if the data are bars. */
  readonly barType?: string | undefined;
  /** Currencies of the account: the settlement currency, or both of a spot pair. */
  readonly currencies: readonly string[];
}

export const NAUTILUS_SCRIPT = 'run_nautilus.py';

/**
 * The script for the first instrument that has data in a catalog.
 * @param paths of the outputs.
 * @param bars names of bars, such as `trade_bar_1m`.
 * @returns undefined if no instrument has data.
 */
export function createNautilusScript(
  catalog: 'python' | 'rust',
  rows: readonly InstrumentRow[],
  paths: readonly string[],
  bars: readonly string[],
): SideFile | undefined {
  const folders = new Set(paths.map((path) => posix.dirname(path)));
  const hasData = (type: CatalogType, identifier: string): boolean =>
    folders.has(posix.dirname(formatCatalogPath(catalog, type, identifier, 0n, 0n)));
  for (const { id, values, ...row } of rows) {
    const barType = bars
      .map((name) => formatBarType(id, parseBarName(name)))
      .find((type) => hasData('bar', type));
    const data = NAMES.find((name) => (name === 'bar' ? barType !== undefined : hasData(name, id)));
    if (data === undefined) continue;
    const currencies =
      row.class === 'CurrencyPair'
        ? [values['base_currency'], values['quote_currency']]
        : [values['settlement_currency']];
    const script = { id, data, barType, currencies: currencies.map(String) };
    const text = catalog === 'rust' ? formatRustNautilusScript(script) : formatNautilusScript(script);
    return { key: NAUTILUS_SCRIPT, path: NAUTILUS_SCRIPT, bytes: Buffer.from(text), isEditable: true };
  }
  return undefined;
}

/** The venue of a script, and its account, in Python. */
function describeVenue({ id, data, currencies }: NautilusScript) {
  return {
    isBook: data === 'order_book_deltas' || data === 'order_book_depths',
    account: currencies.length > 1 ? 'CASH' : 'MARGIN',
    venue: JSON.stringify(id.slice(id.lastIndexOf('.') + 1)),
    balances: currencies.map((currency) => JSON.stringify(`1000000 ${currency}`)).join(', '),
  };
}

/** A Python script that buys once with the data of an instrument. */
export function formatNautilusScript(script: NautilusScript): string {
  const { id, data, barType } = script;
  const { type, subscribe, handler } = DATA[data];
  const { isBook, account, venue, balances } = describeVenue(script);
  const isBar = data === 'bar';
  const selected = isBar ? 'bar_types=[BAR_TYPE]' : 'instrument_id=instrument.id';
  return `"""A backtest that buys once: python3 -m pip install nautilus_trader

Written by \`tickhaul export nautilus\`, which keeps this file once you have changed it.
"""

from pathlib import Path

from nautilus_trader.backtest.config import (
    BacktestDataConfig,
    BacktestEngineConfig,
    BacktestRunConfig,
    BacktestVenueConfig,
)
from nautilus_trader.backtest.node import BacktestNode
from nautilus_trader.model.data import ${isBar ? 'Bar, BarType' : type}
from nautilus_trader.model.enums import OrderSide
from nautilus_trader.persistence.catalog import ParquetDataCatalog
from nautilus_trader.trading.strategy import Strategy

CATALOG = str(Path(__file__).resolve().parent)
INSTRUMENT_ID = ${JSON.stringify(id)}
${isBar ? `BAR_TYPE = ${JSON.stringify(barType)}\n` : ''}
instrument = ParquetDataCatalog(CATALOG).instruments(instrument_ids=[INSTRUMENT_ID])[0]


class BuyOnce(Strategy):
    has_bought = False

    def on_start(self):
        self.${subscribe}(${isBar ? 'BarType.from_str(BAR_TYPE)' : 'instrument.id'})

    def ${handler}(self, data):
        if self.has_bought:
            return
        self.has_bought = True
        quantity = instrument.make_qty(instrument.min_quantity or instrument.size_increment)
        self.submit_order(self.order_factory.market(instrument.id, OrderSide.BUY, quantity))

    def on_stop(self):
        self.close_all_positions(instrument.id)


run = BacktestRunConfig(
    engine=BacktestEngineConfig(),
    venues=[
        BacktestVenueConfig(
            name=${venue},
            oms_type="NETTING",
            account_type="${account}",
            starting_balances=[${balances}],${isBook ? '\n            book_type="L2_MBP",' : ''}
        )
    ],
    data=[BacktestDataConfig(catalog_path=CATALOG, data_cls=${type}, ${selected})],
    dispose_on_completion=False,
    raise_exception=True,
)
node = BacktestNode([run])
node.build()
engine = node.get_engine(run.id)
engine.add_strategy(BuyOnce())
node.run()
print(engine.trader.generate_positions_report())
node.dispose()
`;
}

/** A script for the Rust version, whose interfaces have other names. It sends no orders. */
export function formatRustNautilusScript(script: NautilusScript): string {
  const { id, data, barType } = script;
  const { isBook, account, venue, balances } = describeVenue(script);
  const isBar = data === 'bar';
  return `"""A backtest without orders, with version 2 of NautilusTrader, which is built from its source.

Written by \`tickhaul export nautilus --catalog rust\`, which keeps this file once you have changed it.
"""

from pathlib import Path

from nautilus_trader.backtest import (
    BacktestDataConfig,
    BacktestNode,
    BacktestRunConfig,
    BacktestVenueConfig,
)
from nautilus_trader.model import AccountType, BookType, ${isBar ? '' : 'InstrumentId, '}OmsType

CATALOG = str(Path(__file__).resolve().parent)

run = BacktestRunConfig(
    venues=[
        BacktestVenueConfig(
            name=${venue},
            oms_type=OmsType.NETTING,
            account_type=AccountType.${account},
            book_type=BookType.${isBook ? 'L2_MBP' : 'L1_MBP'},
            starting_balances=[${balances}],
        )
    ],
    data=[
        BacktestDataConfig(
            data_type="${DATA[data].type}",
            catalog_path=CATALOG,
            ${isBar ? `bar_types=[${JSON.stringify(barType)}]` : `instrument_id=InstrumentId.from_str(${JSON.stringify(id)})`},
        )
    ],
    raise_exception=True,
)
node = BacktestNode([run])
for result in node.run():
    print(result.iterations, "events", result.summary)
node.dispose()
`;
}
