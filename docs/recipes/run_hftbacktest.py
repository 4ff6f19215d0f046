"""A run through exported days: python3 -m pip install hftbacktest

Written by `tickhaul export hftbacktest`, which keeps this file once you have changed it.
"""

from pathlib import Path

from hftbacktest import BacktestAsset, HashMapMarketDepthBacktest
from numba import njit

EXCHANGE, SYMBOL = "binance-futures", "BTCUSDT"
FIRST_DAY, LAST_DAY = "2024-03-01", "2024-03-03"
TICK_SIZE, LOT_SIZE = 0.1, 0.001
MAKER_FEE, TAKER_FEE = 0.0002, 0.0005
ORDER_LATENCY = 10_000_000  # nanoseconds to the exchange, and back
HOUR = 3_600_000_000_000

days = []
for path in sorted(Path(__file__).parent.glob("*.npz")):
    exchange, _, rest = path.stem.partition("_")
    day, _, symbol = rest.partition("_")
    if (exchange, symbol) == (EXCHANGE, SYMBOL) and FIRST_DAY <= day <= LAST_DAY:
        days.append(str(path))

asset = (
    BacktestAsset()
    .data(days)
    .linear_asset(1)
    .constant_order_latency(ORDER_LATENCY, ORDER_LATENCY)
    .risk_adverse_queue_model()
    .no_partial_fill_exchange()
    .trading_value_fee_model(MAKER_FEE, TAKER_FEE)
    .tick_size(TICK_SIZE)
    .lot_size(LOT_SIZE)
)


@njit
def run(backtest):
    while backtest.elapse(HOUR) == 0:
        depth = backtest.depth(0)
        print(backtest.current_timestamp, depth.best_bid, depth.best_ask)


backtest = HashMapMarketDepthBacktest([asset])
run(backtest)
backtest.close()
