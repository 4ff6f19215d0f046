"""Polars: hourly bars from one-minute bars. A bar is stamped with its end."""

import polars as pl

hours = (
    pl.scan_parquet("bars/*_trade_bar_1m_*.parquet")
    .sort("timestamp")
    .group_by("symbol", hour=(pl.col("timestamp") - pl.duration(minutes=1)).dt.truncate("1h"), maintain_order=True)
    .agg(
        pl.col("open").first(),
        pl.col("high").max(),
        pl.col("low").min(),
        pl.col("close").last(),
        pl.col("volume", "trades").sum(),
        vwap=(pl.col("vwap") * pl.col("volume")).sum() / pl.col("volume").sum(),
    )
    .collect()
)
print(hours)
