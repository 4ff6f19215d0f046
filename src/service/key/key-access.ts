/** What an API key may read of one exchange; fields that nobody knows are kept. */
export interface KeyAccess {
  readonly [field: string]: unknown;
  readonly exchange: string;
  readonly accessType?: string | null | undefined;
  /** ISO 8601, UTC. */
  readonly from?: string | null | undefined;
  /** Not included. */
  readonly to?: string | null | undefined;
  /** Empty for all. */
  readonly symbols?: readonly string[] | null | undefined;
  readonly dataPlan?: string | null | undefined;
}
