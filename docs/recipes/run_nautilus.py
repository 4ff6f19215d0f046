"""A backtest that buys once: python3 -m pip install nautilus_trader

Written by `tickhaul export nautilus`, which keeps this file once you have changed it.
"""

from pathlib import Path

from nautilus_trader.backtest.config import (
    BacktestDataConfig,
    BacktestEngineConfig,
    BacktestRunConfig,
    BacktestVenueConfig,
)
from nautilus_trader.backtest.node import BacktestNode
from nautilus_trader.model.data import TradeTick
from nautilus_trader.model.enums import OrderSide
from nautilus_trader.persistence.catalog import ParquetDataCatalog
from nautilus_trader.trading.strategy import Strategy

CATALOG = str(Path(__file__).resolve().parent)
INSTRUMENT_ID = "BTCUSDT-PERP.BINANCE"

instrument = ParquetDataCatalog(CATALOG).instruments(instrument_ids=[INSTRUMENT_ID])[0]


class BuyOnce(Strategy):
    has_bought = False

    def on_start(self):
        self.subscribe_trade_ticks(instrument.id)

    def on_trade_tick(self, data):
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
            name="BINANCE",
            oms_type="NETTING",
            account_type="MARGIN",
            starting_balances=["1000000 USDT"],
        )
    ],
    data=[BacktestDataConfig(catalog_path=CATALOG, data_cls=TradeTick, instrument_id=instrument.id)],
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
