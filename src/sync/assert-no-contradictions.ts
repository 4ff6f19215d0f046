import { isDeepStrictEqual } from 'node:util';
import { usageError } from '../base/errors.js';
import { outputsForDataType, ROWS_ONLY, ROWS_WORD } from '../convert/output-selection.js';
import type { Day } from '../dataset/day.js';
import { toEntryOptions } from '../download/conversion/conversion-entry.js';
import type { ConvertSetting } from '../download/download-options.js';
import type { DownloadPlan } from '../download/plan/create-download-plan.js';
import type { Series } from '../download/plan/select-series.js';
import { outputExtension } from '../format/convert-options.js';
import type { SyncJob } from './sync-options.js';

/** A job with its plan; undefined where there is no record to plan by. */
export interface JobWithPlan {
  readonly job: SyncJob;
  readonly plan: DownloadPlan | undefined;
}

/**
 * Refuses jobs that name the same day files and want different things of them: what one needs the other would delete,
 * or make otherwise, run after run.
 * @throws usage error that says which jobs, and where the second of them is defined.
 */
export function assertNoContradictions(jobs: readonly JobWithPlan[]): void {
  for (const [index, { job, plan }] of jobs.entries()) {
    for (const { job: earlier, plan: itsPlan } of jobs.slice(0, index)) {
      const contradiction = createContradictionFinder(earlier.options.convert, job.options.convert);
      const shared =
        plan && itsPlan && findSharedSeries(itsPlan, plan, (type) => contradiction(type) !== undefined);
      if (!shared) continue;
      const { dataType, symbol } = shared;
      throw usageError(
        `${job.where}: job "${job.name}" names the same files as job "${earlier.name}", such as ${dataType} ${symbol}, but ${contradiction(dataType)}; give both the same settings, or one of them another layout`,
      );
    }
  }
}

/** Why two jobs can't both have what they want of the files of a data type; undefined where they can. */
function createContradictionFinder(
  some: ConvertSetting | undefined,
  others: ConvertSetting | undefined,
): (dataType: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (dataType) => {
    if (known.has(dataType)) return known.get(dataType);
    const why = findContradiction(createOutputSettings(some, dataType), createOutputSettings(others, dataType));
    known.set(dataType, why);
    return why;
  };
}

/** What a job makes of the files of a data type. */
interface OutputSettings {
  readonly keepCsv: boolean;
  readonly options: string;
  readonly extension: string;
  /** In order; `rows` for the rows. */
  readonly names: readonly string[];
}

/** Undefined where nothing is made of them. */
function createOutputSettings(convert: ConvertSetting | undefined, dataType: string): OutputSettings | undefined {
  if (!convert) return undefined;
  const { options, keepCsv, outputSelection = ROWS_ONLY } = convert;
  const names = outputsForDataType(outputSelection, dataType).map((type) => type?.name ?? ROWS_WORD);
  if (names.length === 0) return undefined;
  return {
    keepCsv,
    options: JSON.stringify(toEntryOptions(options)),
    extension: outputExtension(options),
    names: names.sort(),
  };
}

function findContradiction(some: OutputSettings | undefined, others: OutputSettings | undefined): string | undefined {
  if (isDeepStrictEqual(some, others)) return undefined;
  if (some?.keepCsv === false || others?.keepCsv === false) {
    return 'noKeepCsv deletes the CSV that the other one needs';
  }
  if (some?.options === others?.options || some?.extension !== others?.extension) return undefined;
  return some?.names.some((name) => others?.names.includes(name)) ? 'converts them otherwise' : undefined;
}

/** A series of which both plans bring the same day to the same path, among those of some data types. */
function findSharedSeries(
  one: DownloadPlan,
  other: DownloadPlan,
  isMeant: (dataType: string) => boolean,
): Series | undefined {
  if (one.exchange !== other.exchange || !one.series.some(({ dataType }) => isMeant(dataType))) {
    return undefined;
  }
  const from = Math.max(one.range.from, other.range.from);
  const to = Math.min(one.range.to, other.range.to);
  const others = new Set(other.series.map(({ dataType, symbol }) => `${dataType} ${symbol}`));
  return one.series.find(({ dataType, symbol, first, until }) => {
    const day = Math.max(from, first) as Day;
    if (!isMeant(dataType) || day >= Math.min(to, until) || !others.has(`${dataType} ${symbol}`))
      return false;
    const file = { exchange: one.exchange, dataType, symbol, day };
    return one.layout.pathOf(file, '') === other.layout.pathOf(file, '');
  });
}
