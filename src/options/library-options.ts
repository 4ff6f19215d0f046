import { COMMAND_OPTIONS } from './command-options.js';
import { optionsInScope } from './option-values.js';
import { CALL_OPTIONS, GLOBAL_OPTIONS } from './service-options.js';

/** Service, credentials and end of a call. */
export const SERVICE_OPTIONS = optionsInScope('library', { ...GLOBAL_OPTIONS, ...CALL_OPTIONS } as const);

/** Options of each function of the library. */
export const LIBRARY_OPTIONS = {
  plan: optionsInScope('library', { ...COMMAND_OPTIONS.plan, ...SERVICE_OPTIONS } as const),
  download: optionsInScope('library', { ...COMMAND_OPTIONS.download, ...SERVICE_OPTIONS } as const),
  sync: optionsInScope('library', { ...COMMAND_OPTIONS.sync, ...SERVICE_OPTIONS } as const),
  verify: optionsInScope('library', { ...COMMAND_OPTIONS.verify, ...SERVICE_OPTIONS } as const),
  convert: optionsInScope('library', { ...COMMAND_OPTIONS.convert, ...SERVICE_OPTIONS } as const),
  export: optionsInScope('library', { ...COMMAND_OPTIONS.export, ...SERVICE_OPTIONS } as const),
  audit: optionsInScope('library', { ...COMMAND_OPTIONS.audit, ...SERVICE_OPTIONS } as const),
  coverage: optionsInScope('library', { ...COMMAND_OPTIONS.coverage, ...SERVICE_OPTIONS } as const),
  replay: optionsInScope('library', { ...COMMAND_OPTIONS.replay, ...SERVICE_OPTIONS } as const),
  stream: optionsInScope('library', { ...COMMAND_OPTIONS.stream, ...SERVICE_OPTIONS } as const),
  exchanges: optionsInScope('library', { ...COMMAND_OPTIONS.exchanges, ...SERVICE_OPTIONS } as const),
  symbols: optionsInScope('library', { ...COMMAND_OPTIONS.symbols, ...SERVICE_OPTIONS } as const),
  instruments: optionsInScope('library', { ...COMMAND_OPTIONS.instruments, ...SERVICE_OPTIONS } as const),
} as const;
