import type { HelpTopics } from './command.js';

const CONFIGURATION = 'docs/reference/configuration.md';

/** The topics of `help <topic>`, in the order in which they are listed. */
export const HELP_TOPICS: HelpTopics = {
  'exit-codes': {
    describe: 'what each exit code means, and what to do',
    page: 'docs/reference/exit-codes.md',
  },
  environment: {
    describe: 'environment variables and proxies',
    page: CONFIGURATION,
    sections: ['Environment', 'Proxies'],
  },
  selection: {
    describe: 'which day files a command works on',
    page: 'docs/reference/selection.md',
  },
  formats: {
    describe: 'Parquet, NDJSON, CSV and Arrow: columns, flags, readers',
    page: 'docs/reference/convert.md',
    sections: [
      'What a column becomes',
      'Flags',
      'One file of all days and symbols',
      'Readers of Parquet',
      'zstd and NDJSON',
      'CSV',
      'Arrow',
    ],
  },
  configuration: {
    describe: 'the config file, the API key and tab completion',
    page: CONFIGURATION,
    sections: ['API key', 'Config file', 'Tab completion'],
  },
  'audit-checks': {
    describe: 'the checks of audit, each with an example of the fault',
    page: 'docs/reference/audit-checks.md',
  },
  faults: {
    describe: 'the faults that sandbox can have',
    page: 'docs/reference/sandbox.md',
    sections: ['Raw data', 'Faults'],
  },
};
