"""hftbacktest: loads an exported day, counts its events, and runs through the day if hftbacktest is installed.

python hftbacktest.py npz/binance-futures_2024-03-01_BTCUSDT.npz 0.1 0.001
"""

import sys

import numpy as np

DEPTH, TRADE, CLEAR, SNAPSHOT = 1, 2, 3, 4
LOCAL, EXCHANGE = 1 << 30, 1 << 31
MINUTE = 60_000_000_000

path, tick_size, lot_size = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
data = np.load(path)["data"]
kind = data["ev"] & np.uint64(0xFF)
valid_local = (data["ev"] & np.uint64(LOCAL)) != 0
valid_exchange = (data["ev"] & np.uint64(EXCHANGE)) != 0
print(f"{len(data)} rows")
for name, code in (("updates", DEPTH), ("trades", TRADE), ("clears", CLEAR), ("snapshot rows", SNAPSHOT)):
    print(f"{np.count_nonzero(valid_local & (kind == code))} {name}")
assert np.all(np.diff(data["local_ts"][valid_local]) >= 0)
assert np.all(np.diff(data["exch_ts"][valid_exchange]) >= 0)

# This file has the name of the package, which is found only without this folder.
sys.path.pop(0)
try:
    from hftbacktest import BacktestAsset, HashMapMarketDepthBacktest
except ImportError:
    print("hftbacktest is not installed: pip install hftbacktest")
    sys.exit()

asset = (
    BacktestAsset()
    .data([path])
    .linear_asset(1.0)
    .constant_order_latency(10_000_000, 10_000_000)
    .risk_adverse_queue_model()
    .no_partial_fill_exchange()
    .trading_value_fee_model(0.0, 0.0)
    .tick_size(tick_size)
    .lot_size(lot_size)
)
backtest = HashMapMarketDepthBacktest([asset])
minutes = 0
while backtest.elapse(MINUTE) == 0:
    minutes += 1
    depth = backtest.depth(0)
    if minutes <= 3:
        print(backtest.current_timestamp, depth.best_bid, depth.best_ask)
backtest.close()
print(f"{minutes} minutes")
