import * as z from 'zod';
import { CONFIG_OPTIONS, JOB_OPTIONS } from './config-options.js';
import {
  type OptionDefinition,
  type OptionGroup,
  type OptionType,
  settingNameOf,
} from './option-definition.js';
import type { SettingName } from './option-values.js';
import { describeSetting } from './setting-names.js';

const text = (expected: string) => z.string({ error: `expected ${expected}` });
const numeric = (expected: string) => z.union([z.number(), z.string()], { error: `expected ${expected}` });

/** Values by type of option; texts are parsed later, like those of flags. */
const VALUES = {
  flag: z.boolean({ error: 'expected true or false' }),
  text: text('a text'),
  list: z.union([z.string(), z.array(z.string()).min(1, { error: 'expected at least one' })], {
    error: 'expected a text or a list of texts',
  }),
  count: numeric('a whole number'),
  concurrency: numeric('a whole number or auto'),
  day: text('a UTC day, as "2024-03-01"'),
  'day-or-month': text('a UTC day, as "2024-03-01", or a month, as "2024-03"'),
  days: numeric('a number of days, such as 7d'),
  duration: text('a duration, as 90s or 4h'),
  size: numeric('a size, as 20MB'),
  rows: numeric('a number of rows, such as 64k'),
  file: text('a text'),
  folder: text('a text'),
  layout: text('a text'),
} satisfies Partial<Record<OptionType, z.ZodType>>;

type Setting<Option extends OptionDefinition> = Option extends { readonly choices: readonly string[] }
  ? z.ZodEnum<Readonly<Record<Option['choices'][number], Option['choices'][number]>>>
  : (typeof VALUES)[Option['type'] & keyof typeof VALUES];

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
  return VALUES[type as keyof typeof VALUES];
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
