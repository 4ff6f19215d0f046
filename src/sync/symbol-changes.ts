import { plural } from '../base/units.js';
import type { DownloadPlan } from '../download/plan/create-download-plan.js';
import type { JobState } from './sync-state.js';

/** What changed among a job's symbols since its last run. */
export interface SymbolChanges {
  readonly newSymbols: readonly string[];
  readonly delistedSymbols: readonly string[];
}

/** The job's symbols, for comparison by the next run. */
export function listJobSymbols({ selection, listed }: DownloadPlan): Omit<JobState, 'failed'> {
  const { exchange, types, symbols, symbolTypes } = selection;
  return { selection: JSON.stringify({ exchange, types, symbols, symbolTypes }), symbols: [...listed] };
}

/** No changes are reported in the first run, nor after the selection was edited. */
export function compareSymbols(
  previous: JobState | undefined,
  current: Omit<JobState, 'failed'>,
): SymbolChanges {
  if (previous?.selection !== current.selection) return { newSymbols: [], delistedSymbols: [] };
  const known = new Set(previous.symbols);
  const listed = new Set(current.symbols);
  return {
    newSymbols: current.symbols.filter((symbol) => !known.has(symbol)),
    delistedSymbols: previous.symbols.filter((symbol) => !listed.has(symbol)),
  };
}

/** One line for new symbols and one for delisted symbols. */
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
