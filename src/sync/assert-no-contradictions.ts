import { isDeepStrictEqual } from 'node:util';
import { usageError } from '../base/errors.js';
import { outputsForDataType, ROWS_ONLY, ROWS_WORD } from '../convert/output-selection.js';
import { addDays, type Day } from '../day-files/day.js';
import { toEntryOptions, withRules } from '../download/conversion/conversion-entry.js';
import type { ConvertSetting } from '../download/download-options.js';
import type { DownloadPlan } from '../download/plan/create-download-plan.js';
import type { Series } from '../download/plan/select-series.js';
import { OUTPUT_FORMATS } from '../format/output-formats.js';
import type { SyncJob } from './sync-options.js';

/** A job with its plan, which is undefined if there is no exchange record to plan with. */
export interface JobWithPlan {
  readonly job: SyncJob;
  readonly plan: DownloadPlan | undefined;
}

/**
 * Rejects jobs that select the same day files with conflicting output settings: one would delete what the other
 * needs, or convert it differently, on every run.
 * @throws usage error that names both jobs and where the second is defined.
 */
export function assertNoContradictions(jobs: readonly JobWithPlan[]): void {
  for (const [index, { job, plan }] of jobs.entries()) {
    for (const { job: earlier, plan: earlierPlan } of jobs.slice(0, index)) {
      const findConflict = createContradictionFinder(earlier.options.convert, job.options.convert);
      const shared =
        plan &&
        earlierPlan &&
        findSharedSeries(earlierPlan, plan, (type) => findConflict(type) !== undefined);
      if (!shared) continue;
      const { dataType, symbol } = shared;
      throw usageError(
        `${job.where}: job "${job.name}" selects the same files as job "${earlier.name}", such as ${dataType} ${symbol}, but ${findConflict(dataType)}; give both the same settings, or one of them another layout`,
      );
    }
  }
}

/** Why the settings of two jobs conflict for the files of a data type; undefined if they do not. */
function createContradictionFinder(
  first: ConvertSetting | undefined,
  second: ConvertSetting | undefined,
): (dataType: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (dataType) => {
    if (known.has(dataType)) return known.get(dataType);
    const conflict = findContradiction(
      createOutputSettings(first, dataType),
      createOutputSettings(second, dataType),
    );
    known.set(dataType, conflict);
    return conflict;
  };
}

/** The output settings of a job for the files of a data type. */
interface OutputSettings {
  readonly keepCsv: boolean;
  readonly extension: string;
  /** Options by name of the output, sorted; includes `rows` if the rows are converted. */
  readonly outputs: ReadonlyMap<string, string>;
}

/** Undefined if the job converts none of them. */
function createOutputSettings(
  convert: ConvertSetting | undefined,
  dataType: string,
): OutputSettings | undefined {
  if (!convert) return undefined;
  const { options, keepCsv, outputSelection = ROWS_ONLY } = convert;
  const outputs = outputsForDataType(outputSelection, dataType).map(
    (type) => [type?.name ?? ROWS_WORD, JSON.stringify(withRules(toEntryOptions(options), type))] as const,
  );
  if (outputs.length === 0) return undefined;
  return {
    keepCsv,
    extension: OUTPUT_FORMATS[options.format].extension(options.compression),
    outputs: new Map(outputs.sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function findContradiction(
  first: OutputSettings | undefined,
  second: OutputSettings | undefined,
): string | undefined {
  if (isDeepStrictEqual(first, second)) return undefined;
  if (first?.keepCsv === false || second?.keepCsv === false) {
    return 'noKeepCsv deletes the CSV that the other job needs';
  }
  if (!first || !second || first.extension !== second.extension) return undefined;
  const isOther = ([name, options]: readonly [string, string]): boolean =>
    (second.outputs.get(name) ?? options) !== options;
  return [...first.outputs].some(isOther) ? 'converts them otherwise' : undefined;
}

/** A series of which both plans write the same day to the same path, among those of some data types. */
function findSharedSeries(
  first: DownloadPlan,
  second: DownloadPlan,
  isIncluded: (dataType: string) => boolean,
): Series | undefined {
  if (first.exchange !== second.exchange || !first.series.some(({ dataType }) => isIncluded(dataType))) {
    return undefined;
  }
  const from = Math.max(first.range.from, second.range.from);
  const to = Math.min(first.range.to, second.range.to);
  const otherSeries = new Set(second.series.map(({ dataType, symbol }) => `${dataType} ${symbol}`));
  return first.series.find(({ dataType, symbol, first: firstDay, until }) => {
    if (!isIncluded(dataType) || !otherSeries.has(`${dataType} ${symbol}`)) return false;
    const end = Math.min(to, until);
    let day = Math.max(from, firstDay) as Day;
    while (day < end && !(first.range.has(day) && second.range.has(day))) day = addDays(day, 1);
    if (day >= end) return false;
    const file = { exchange: first.exchange, dataType, symbol, day };
    return first.layout.pathOf(file, '') === second.layout.pathOf(file, '');
  });
}
