import { plural } from '../base/units.js';
import type { DownloadPlan } from '../download/plan/create-download-plan.js';
import type { SyncJob } from './sync-options.js';
import type { JobState } from './sync-state.js';

/** What changed among a job's symbols since its last run. */
export interface SymbolChanges {
  readonly newSymbols: readonly string[];
  readonly delistedSymbols: readonly string[];
}

/** What the next run compares with. */
export function listJobSymbols({ selection }: SyncJob, { listed }: DownloadPlan): Omit<JobState, 'failed'> {
  const { exchange, types, symbols, symbolTypes } = selection;
  return { selection: JSON.stringify({ exchange, types, symbols, symbolTypes }), symbols: [...listed] };
}

/** Nothing is new to the first run, nor after the selection was changed by hand. */
export function compareSymbols(before: JobState | undefined, now: Omit<JobState, 'failed'>): SymbolChanges {
  if (before?.selection !== now.selection) return { newSymbols: [], delistedSymbols: [] };
  const known = new Set(before.symbols);
  const listed = new Set(now.symbols);
  return {
    newSymbols: now.symbols.filter((symbol) => !known.has(symbol)),
    delistedSymbols: before.symbols.filter((symbol) => !listed.has(symbol)),
  };
}

/** A line for each kind of news. */
export function formatSymbolChanges(
  job: string,
  { newSymbols, delistedSymbols }: SymbolChanges,
): readonly string[] {
  return [
    ...(newSymbols.length > 0
      ? [`${job}: ${plural(newSymbols.length, 'new symbol')}: ${formatNames(newSymbols)}`]
      : []),
    ...(delistedSymbols.length > 0
      ? [`${job}: ${plural(delistedSymbols.length, 'symbol')} delisted: ${formatNames(delistedSymbols)}`]
      : []),
  ];
}

const MAX_NAMES = 10;

function formatNames(names: readonly string[]): string {
  const named = names.slice(0, MAX_NAMES).join(', ');
  return names.length > MAX_NAMES ? `${named} and ${names.length - MAX_NAMES} more` : named;
}
