import matplotlib.pyplot as plt
import polars as pl

bars = pl.read_parquet("bars/binance-futures_trade_bar_1m_2024-03-01_PERPETUALS.parquet")
day = bars.filter(pl.col("symbol") == "BTCUSDT")
figure, (price, volume) = plt.subplots(2, sharex=True, height_ratios=[3, 1])
price.fill_between(day["timestamp"], day["low"], day["high"], alpha=0.3)
price.plot(day["timestamp"], day["vwap"])
volume.bar(day["timestamp"], day["volume"], width=1 / 1440)
figure.autofmt_xdate()
figure.savefig("day.png")
