/**
 * What each check counts, in one line, in the order in which the checks are shown. The terminal, the page and the help
 * print these lines, and the table of docs/reference/audit-checks.md has them.
 */
export const CHECK_DESCRIPTIONS = {
  local_order: 'rows with an earlier local timestamp than the previous row',
  outside_day: "rows with a local timestamp outside of the file's UTC day",
  exchange_order: 'rows whose exchange timestamp steps back, by symbol',
  future_timestamp: 'rows with an exchange timestamp after their local one',
  gap: 'periods without rows',
  duplicate_row: 'rows equal to the row before',
  duplicate_id: 'rows whose id occurred before',
  id_gap: 'ids missing between successive trades',
  missing_value: 'empty cells that need a value',
  bad_number: 'prices that are not positive, negative amounts',
  unknown_side: 'sides other than buy and sell',
  price_jump: 'prices far from the previous one',
  no_start_snapshot: 'symbols that begin without a snapshot',
  mid_snapshot: 'snapshots after the first one of a symbol',
  crossed: 'states with the best bid above the best ask',
  locked: 'states with the best bid at the best ask',
  delete_absent: 'deletions of levels that the book does not hold',
  no_rows: '1 if the day has no rows, and others of the series have',
  level_order: 'rows with levels in the wrong order',
} as const;

export type CheckName = keyof typeof CHECK_DESCRIPTIONS;

/** Name of incidents among the reasons of a day. */
export const INCIDENT = 'incident';

/** Names of reasons and checks with their descriptions. */
export type ReasonDescriptions = readonly (readonly [name: string, description: string])[];

/** Of all checks, then of incidents. */
export const REASON_DESCRIPTIONS: ReasonDescriptions = [
  ...Object.entries(CHECK_DESCRIPTIONS),
  [INCIDENT, 'incidents of the exchange record that overlap the day'],
];

/** Of those names that are shown. */
export function describeReasons(shown: Iterable<string>): ReasonDescriptions {
  const names = new Set(shown);
  return REASON_DESCRIPTIONS.filter(([name]) => names.has(name));
}
