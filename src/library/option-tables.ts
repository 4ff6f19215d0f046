import { LIST_OPTIONS } from '../options/day-file-options.js';
import { LIBRARY_OPTIONS } from '../options/library-options.js';
import { type OptionDefinition, type OptionGroup, settingNameOf } from '../options/option-definition.js';

/** An option with the long name of its flag. */
export interface FlaggedOption extends OptionDefinition {
  readonly flag: string;
}

/** Options of a library function. */
export interface OptionTable {
  /** Options by name. */
  readonly options: ReadonlyMap<string, FlaggedOption>;
  /** An option that is required unless one of the others is given, with an example of its use. */
  readonly required?:
    | { readonly name: string; readonly unless?: readonly string[]; readonly example: string }
    | undefined;
}

function byName(options: OptionGroup): OptionTable['options'] {
  return new Map(
    Object.entries(options).map(([flag, option]) => [settingNameOf(flag, option), { ...option, flag }]),
  );
}

const EXCHANGE = { name: 'exchange', example: "exchange: 'deribit'" };
const SELECTED = { ...EXCHANGE, unless: [...byName(LIST_OPTIONS).keys()] };

/** Options by function. */
export const OPTION_TABLES = {
  plan: { options: byName(LIBRARY_OPTIONS.plan), required: SELECTED },
  download: { options: byName(LIBRARY_OPTIONS.download), required: SELECTED },
  sync: { options: byName(LIBRARY_OPTIONS.sync) },
  verify: { options: byName(LIBRARY_OPTIONS.verify) },
  convert: {
    options: byName(LIBRARY_OPTIONS.convert),
    required: { name: 'paths', unless: ['dir'], example: "paths: ['datasets']" },
  },
  export: {
    options: byName(LIBRARY_OPTIONS.export),
    required: { name: 'target', example: "target: 'hftbacktest'" },
  },
  audit: { options: byName(LIBRARY_OPTIONS.audit) },
  coverage: { options: byName(LIBRARY_OPTIONS.coverage) },
  replay: { options: byName(LIBRARY_OPTIONS.replay), required: EXCHANGE },
  stream: { options: byName(LIBRARY_OPTIONS.stream), required: EXCHANGE },
  exchanges: { options: byName(LIBRARY_OPTIONS.exchanges) },
  symbols: { options: byName(LIBRARY_OPTIONS.symbols) },
  instruments: { options: byName(LIBRARY_OPTIONS.instruments), required: EXCHANGE },
} as const satisfies Readonly<Record<keyof typeof LIBRARY_OPTIONS, OptionTable>>;
