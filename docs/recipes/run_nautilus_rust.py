"""A backtest without orders, with version 2 of NautilusTrader, which is built from its source.

Written by `tickhaul export nautilus --catalog rust`, which keeps this file once you have changed it.
"""

from pathlib import Path

from nautilus_trader.backtest import (
    BacktestDataConfig,
    BacktestNode,
    BacktestRunConfig,
    BacktestVenueConfig,
)
from nautilus_trader.model import AccountType, BookType, InstrumentId, OmsType

CATALOG = str(Path(__file__).resolve().parent)

run = BacktestRunConfig(
    venues=[
        BacktestVenueConfig(
            name="BINANCE",
            oms_type=OmsType.NETTING,
            account_type=AccountType.MARGIN,
            book_type=BookType.L1_MBP,
            starting_balances=["1000000 USDT"],
        )
    ],
    data=[
        BacktestDataConfig(
            data_type="TradeTick",
            catalog_path=CATALOG,
            instrument_id=InstrumentId.from_str("BTCUSDT-PERP.BINANCE"),
        )
    ],
    raise_exception=True,
)
node = BacktestNode([run])
for result in node.run():
    print(result.iterations, "events", result.summary)
node.dispose()
