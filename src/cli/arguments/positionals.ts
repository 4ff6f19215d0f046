import type { PositionalOptions } from 'yargs';

/** The exchange that a command is about. */
export const EXCHANGE: PositionalOptions = {
  type: 'string',
  describe: 'exchange id, as tickhaul exchanges lists them',
};
