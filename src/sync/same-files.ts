import { usageError } from '../base/errors.js';
import type { Day } from '../dataset/day.js';
import { optionsEntry } from '../download/conversion/conversion-entry.js';
import type { Plan } from '../download/plan/plan.js';
import type { ConvertSetting } from '../download/types.js';
import { extensionOf } from '../format/options.js';
import type { SyncJob } from './types.js';

/** A job with its plan; undefined where there is no record to plan by. */
export interface JobOfPlan {
  readonly job: SyncJob;
  readonly plan: Plan | undefined;
}

/**
 * Refuses jobs that name the same day files and want different things of them: what one needs the other would delete,
 * or make otherwise, run after run.
 * @throws usage error that says which jobs, and where the second of them is defined.
 */
export function refuseContradictions(jobs: readonly JobOfPlan[]): void {
  const wishes = jobs.map(({ job }) => wish(job.options.convert));
  for (const [index, { job, plan }] of jobs.entries()) {
    for (const [at, earlier] of jobs.slice(0, index).entries()) {
      if (wishes[at] === wishes[index]) continue;
      const why = contradiction(earlier.job.options.convert, job.options.convert);
      const shared = why && plan && earlier.plan && sharedSeries(earlier.plan, plan);
      if (!shared) continue;
      throw usageError(
        `${job.where}: job "${job.name}" names the same files as job "${earlier.job.name}", such as ${shared}, but ${why}; give both the same settings, or one of them another layout`,
      );
    }
  }
}

/** Why jobs of other wishes can't both have theirs. */
function contradiction(some?: ConvertSetting, others?: ConvertSetting): string | undefined {
  if (some?.keepCsv === false || others?.keepCsv === false) {
    return 'noKeepCsv deletes the CSV that the other one needs';
  }
  const isSameName = some && others && extensionOf(some.options) === extensionOf(others.options);
  return isSameName ? 'converts them otherwise' : undefined;
}

function wish(convert: ConvertSetting | undefined): string {
  return convert ? JSON.stringify([convert.keepCsv, optionsEntry(convert.options)]) : '';
}

/** A data type and symbol of which both plans bring the same day to the same path. */
function sharedSeries(one: Plan, other: Plan): string | undefined {
  if (one.exchange !== other.exchange) return undefined;
  const from = Math.max(one.range.from, other.range.from);
  const to = Math.min(one.range.to, other.range.to);
  const others = new Set(other.series.map(({ dataType, symbol }) => `${dataType} ${symbol}`));
  for (const { dataType, symbol, first, until } of one.series) {
    const day = Math.max(from, first) as Day;
    if (day >= Math.min(to, until) || !others.has(`${dataType} ${symbol}`)) continue;
    const file = { exchange: one.exchange, dataType, symbol, day };
    if (one.layout.pathOf(file, '') === other.layout.pathOf(file, '')) return `${dataType} ${symbol}`;
  }
  return undefined;
}
