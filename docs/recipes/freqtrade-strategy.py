"""A strategy that buys what rises.

Written by `tickhaul export freqtrade`, which keeps this file once you have changed it.
"""

from freqtrade.strategy import IStrategy


class Demo(IStrategy):
    INTERFACE_VERSION = 3
    timeframe = "5m"
    minimal_roi = {"0": 0.01}
    stoploss = -0.05

    def populate_indicators(self, dataframe, metadata):
        return dataframe

    def populate_entry_trend(self, dataframe, metadata):
        dataframe.loc[dataframe["close"] > dataframe["close"].shift(12), "enter_long"] = 1
        return dataframe

    def populate_exit_trend(self, dataframe, metadata):
        dataframe.loc[dataframe["close"] < dataframe["close"].shift(12), "exit_long"] = 1
        return dataframe
