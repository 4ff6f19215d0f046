"""Candles and trades of a pair: python3 -m pip install pandas pyarrow"""

import sys
from pathlib import Path

import pandas as pd

folder, name = Path(sys.argv[1]), sys.argv[2]
candles = pd.read_feather(folder / f"{name}-1m-futures.feather")
trades = pd.read_feather(folder / f"{name}-trades.feather")

print(candles.set_index("date").tail())
volume = candles["volume"].sum()
print(f"{len(candles)} candles, {len(trades)} trades, volume {volume:.3f}")
