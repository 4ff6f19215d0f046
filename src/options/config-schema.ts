import * as z from 'zod';
import { SYNC_AUDIT_OPTIONS, SYNC_RUN_OPTIONS } from './command-options.js';
import { DOWNLOAD_OPTIONS, LAYOUT_OPTIONS, SELECTION_OPTIONS } from './day-file-options.js';
import { EXPORT_AFTER_OPTIONS } from './export-options.js';
import { type OptionDefinition, type OptionGroup, settingNameOf } from './option-definition.js';
import { ACCEPTED_KINDS, OPTION_TYPES } from './option-types.js';
import { optionsInScope, type SettingName } from './option-values.js';
import { ACCOUNT_OPTIONS, FOLDER_OPTIONS, GLOBAL_OPTIONS, STORE_OPTIONS } from './service-options.js';
import { describeSetting } from './setting-names.js';

/** Settings at the top of the config file. Those of downloads apply to all jobs. */
export const CONFIG_OPTIONS = optionsInScope('config', {
  ...FOLDER_OPTIONS,
  ...STORE_OPTIONS,
  ...GLOBAL_OPTIONS,
  'auth-url': ACCOUNT_OPTIONS['auth-url'],
  ...LAYOUT_OPTIONS,
  ...DOWNLOAD_OPTIONS,
  ...SYNC_RUN_OPTIONS,
} as const);

/** Settings of a job in the config file, besides its name and exchange. */
export const JOB_OPTIONS = optionsInScope('config', {
  ...SELECTION_OPTIONS,
  ...LAYOUT_OPTIONS,
  ...DOWNLOAD_OPTIONS,
  ...SYNC_AUDIT_OPTIONS,
  ...EXPORT_AFTER_OPTIONS,
} as const);

const text = (expected: string) => z.string({ error: `expected ${expected}` });
const numeric = (expected: string) => z.union([z.number(), z.string()], { error: `expected ${expected}` });

/** Schemas of values by what their types of option accept; texts are parsed later, like those of flags. */
const KINDS = {
  flag: (expected: string) => z.boolean({ error: `expected ${expected}` }),
  text,
  path: text,
  number: numeric,
  list: (expected: string) =>
    z.union([z.string(), z.array(z.string()).min(1, { error: 'expected at least one' })], {
      error: `expected ${expected}`,
    }),
  // A function is only for the library.
  layout: text,
};

type Setting<Option extends OptionDefinition> = Option extends { readonly choices: readonly string[] }
  ? z.ZodEnum<Readonly<Record<Option['choices'][number], Option['choices'][number]>>>
  : ReturnType<(typeof KINDS)[(typeof OPTION_TYPES)[Option['type']]['accepts'] & keyof typeof KINDS]>;

type Settings<Options extends OptionGroup> = {
  [Flag in keyof Options & string as SettingName<Flag, Options[Flag]>]: Options[Flag] extends {
    readonly required: true;
  }
    ? Setting<Options[Flag]>
    : z.ZodOptional<Setting<Options[Flag]>>;
};

/** Creates the settings of options. */
function settingsOf<Options extends OptionGroup>(options: Options): Settings<Options> {
  return Object.fromEntries(
    Object.entries(options).map(([flag, option]) => {
      const setting = valueSchema(option).meta({ description: describeSetting(option) });
      return [settingNameOf(flag, option), option.required ? setting : setting.optional()];
    }),
  ) as unknown as Settings<Options>;
}

function valueSchema({ type, choices }: OptionDefinition): z.ZodType {
  if (choices) return z.enum(choices, { error: `expected one of ${choices.join(', ')}` });
  const { accepts, expected = ACCEPTED_KINDS[accepts].expected } = OPTION_TYPES[type];
  return KINDS[accepts as keyof typeof KINDS](expected);
}

export const jobSchema = z.strictObject(
  {
    name: z
      .string({ error: 'expected a text' })
      .min(1, { error: 'expected a text that is not empty' })
      .meta({ description: 'name of the job, for summaries and --job' }),
    exchange: z
      .string({ error: 'expected a text' })
      .min(1, { error: 'expected the id of an exchange' })
      .meta({ description: 'exchange id, as tickhaul exchanges lists them' }),
    ...settingsOf(JOB_OPTIONS),
  },
  { error: 'expected a job: name, exchange, types, symbols and days' },
);

/** The config file. Each setting corresponds to the flag of the same name, in camelCase. */
export const configSchema = z
  .strictObject(
    {
      $schema: text('a text').meta({ description: 'URL of this schema, for editors' }).optional(),
      ...settingsOf(CONFIG_OPTIONS),
      jobs: z
        .array(jobSchema, { error: 'expected a list of jobs' })
        .min(1, { error: 'expected at least one job' })
        .meta({ description: 'jobs to keep up to date' })
        .optional(),
    },
    { error: 'expected settings and jobs' },
  )
  .meta({ title: 'tickhaul.yaml', description: 'Jobs for tickhaul sync' });

export type Config = Readonly<z.infer<typeof configSchema>>;
export type ConfigJob = Readonly<z.infer<typeof jobSchema>>;

/** The JSON Schema of the config file, for editors. */
export function configJsonSchema(): object {
  return z.toJSONSchema(configSchema);
}
