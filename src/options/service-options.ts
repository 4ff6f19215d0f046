import { groupOptions } from './option-definition.js';

/** Options of every command that decide what it prints. */
export const PRINT_OPTIONS = groupOptions('Everywhere:', {
  json: { type: 'flag', description: 'print JSON', scopes: ['flag'] },
  quiet: { type: 'flag', description: 'print errors only', alias: 'q', scopes: ['flag'] },
  verbose: { type: 'flag', description: 'print every request, and stack traces of bugs', scopes: ['flag'] },
  'no-color': { type: 'flag', description: 'print without colours, like NO_COLOR', scopes: ['flag'] },
});

/** Options of every command. */
export const GLOBAL_OPTIONS = {
  ...PRINT_OPTIONS,
  ...groupOptions('Everywhere:', {
    'api-url': { type: 'text', description: 'metadata host', defaultText: 'https://api.tardis.dev' },
    'datasets-url': { type: 'text', description: 'dataset host', defaultText: 'https://datasets.tardis.dev' },
    'allow-http': {
      type: 'flag',
      description:
        'send the API key to hosts of other machines over plain http too, where others can read it',
    },
    config: {
      type: 'file',
      description: 'config file',
      defaultText: 'TICKHAUL_CONFIG, ./tickhaul.yaml, else tickhaul.yaml in the user’s config folder',
      scopes: ['flag', 'library'],
    },
    'api-key-file': {
      type: 'file',
      description: 'file with the API key, or "-" for stdin',
      settingDescription: 'file with the API key; never put the key itself into a config file',
      defaultText: 'TICKHAUL_API_KEY',
    },
  }),
} as const;

/** Options of a call of the library that no flag has. */
export const CALL_OPTIONS = {
  'api-key': {
    type: 'text',
    description: 'API key',
    defaultText: 'TICKHAUL_API_KEY, the file in TICKHAUL_API_KEY_FILE, TARDIS_API_KEY or TM_API_KEY',
    scopes: ['library'],
  },
  signal: {
    type: 'signal',
    description:
      'stops the call cleanly: finished files are kept, and the call rejects with the code interrupted',
    scopes: ['library'],
  },
} as const;

/** Options of every run, besides those of its command. */
export const RUN_OPTIONS = { ...GLOBAL_OPTIONS, 'api-key': CALL_OPTIONS['api-key'] } as const;

/** The account and its issuer. */
export const ACCOUNT_OPTIONS = groupOptions('Account:', {
  email: { type: 'text', description: 'e-mail address of the account' },
  'auth-url': {
    type: 'text',
    description: 'identity issuer',
    defaultText: 'the one that the API host names',
  },
  'max-wait': {
    type: 'duration',
    description: "longest wait accepted from a server's Retry-After",
    default: '15m',
  },
});

/** The download folder, for commands that write into it. */
export const FOLDER_OPTIONS = {
  dir: {
    type: 'folder',
    remote: true,
    description: 'download folder, or s3://bucket/prefix',
    defaultText: 'TICKHAUL_DIR, else ./datasets',
    alias: ['d', 'o'],
    perProcess: true,
  },
} as const;

/** The download folder, for commands that read it: there, `-o` is what they write. */
export const READ_FOLDER_OPTIONS = { dir: { ...FOLDER_OPTIONS.dir, alias: 'd' } } as const;

/** Access to an object store. */
export const STORE_OPTIONS = groupOptions('Object store:', {
  's3-endpoint': {
    type: 'text',
    description: 'address of the store',
    defaultText: "AWS_ENDPOINT_URL_S3, else Amazon's",
    perProcess: true,
  },
  's3-region': {
    type: 'text',
    description: 'region of the bucket',
    defaultText: "AWS_REGION, else the profile's",
    perProcess: true,
  },
  's3-path-style': {
    type: 'flag',
    description: 'use path-style addresses (bucket in the path), which many stores require',
    perProcess: true,
  },
});

/** Options that settings are read from, of all commands together. */
export const SETTING_OPTIONS = {
  ...RUN_OPTIONS,
  'auth-url': ACCOUNT_OPTIONS['auth-url'],
  ...FOLDER_OPTIONS,
  ...STORE_OPTIONS,
} as const;

/** The slice cache of the raw data API. */
export const CACHE_OPTIONS = {
  'cache-dir': {
    type: 'folder',
    description: 'cache folder, with slices in feeds',
    defaultText: "TM_CACHE_DIR, else tickhaul in the user's cache folder",
  },
} as const;

/** The lock of the folder. */
export const LOCK_OPTIONS = {
  'lock-timeout': {
    type: 'duration',
    description: 'how long to wait for another run in the folder to end, such as 10m',
    defaultText: 'no wait',
  },
} as const;
