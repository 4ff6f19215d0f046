import type { PositionalOptions } from 'yargs';

/** The exchange of a command. */
export const EXCHANGE_POSITIONAL: PositionalOptions = {
  type: 'string',
  describe: 'exchange id, as listed by tickhaul exchanges',
};
