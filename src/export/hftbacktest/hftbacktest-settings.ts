/** Which snapshots of a book are exported: all, all but those before the first update, none. */
export const SNAPSHOT_MODES = ['process', 'ignore-sod', 'ignore'] as const;

export type SnapshotMode = (typeof SNAPSHOT_MODES)[number];

/** Settings of the target, as JSON. */
export interface HftbacktestSettings {
  /** Added to local times where the least latency is negative. */
  readonly baseLatencyNs: number;
  readonly snapshots: SnapshotMode;
}
