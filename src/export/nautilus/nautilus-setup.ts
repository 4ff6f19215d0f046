import type { SideFile } from '../export-target.js';
import { formatCatalogName } from './catalog-instrument.js';
import type { InstrumentRow } from './instrument-row.js';
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
  /** Currencies of the account: one that settles all trades, or of a spot pair both. */
  readonly currencies: readonly string[];
}

export const NAUTILUS_SCRIPT = 'run_nautilus.py';

/**
 * The script for the first instrument that has data in a catalog of the Python version.
 * @param paths of the outputs.
 * @param bars names of bars, such as `trade_bar_1m`.
 * @returns undefined if no instrument has data.
 */
export function createNautilusScript(
  rows: readonly InstrumentRow[],
  paths: readonly string[],
  bars: readonly string[],
): SideFile | undefined {
  const folders = new Set(paths.map((path) => path.slice('data/'.length, path.lastIndexOf('/'))));
  for (const { id, values, ...row } of rows) {
    const barType = bars
      .map((name) => formatBarType(id, parseBarName(name)))
      .find((type) => folders.has(`bar/${formatCatalogName('python', type)}`));
    const data = NAMES.find((name) =>
      name === 'bar' ? barType !== undefined : folders.has(`${name}/${formatCatalogName('python', id)}`),
    );
    if (data === undefined) continue;
    const currencies =
      row.class === 'CurrencyPair'
        ? [values['base_currency'], values['quote_currency']]
        : [values['settlement_currency']];
    const text = formatNautilusScript({ id, data, barType, currencies: currencies.map(String) });
    return { key: NAUTILUS_SCRIPT, path: NAUTILUS_SCRIPT, bytes: Buffer.from(text), isEditable: true };
  }
  return undefined;
}

/** A Python script that buys once with the data of an instrument. */
export function formatNautilusScript({ id, data, barType, currencies }: NautilusScript): string {
  const { type, subscribe, handler } = DATA[data];
  const isBar = data === 'bar';
  const isBook = data === 'order_book_deltas' || data === 'order_book_depths';
  const isSpot = currencies.length > 1;
  const venue = id.slice(id.lastIndexOf('.') + 1);
  const balances = currencies.map((currency) => JSON.stringify(`1000000 ${currency}`)).join(', ');
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
            name=${JSON.stringify(venue)},
            oms_type="NETTING",
            account_type="${isSpot ? 'CASH' : 'MARGIN'}",
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
