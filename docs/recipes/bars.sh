#!/bin/sh
# A month of one-minute bars of all perpetuals: one Parquet file per day in bars/. The trades themselves are not kept.
exec tickhaul download binance-futures -t trades -s PERPETUALS --from 2024-03 --to 2024-04 \
  --convert parquet --as trade_bar_1m --no-keep-csv --dir bars
