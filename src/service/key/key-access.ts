/** Access of an API key to one exchange (`docs/spec/metadata-api.md#key-info`). Unknown fields are kept. */
export interface KeyAccess {
  readonly [field: string]: unknown;
  readonly exchange: string;
  readonly accessType?: string | null | undefined;
  /** ISO 8601, UTC. */
  readonly from?: string | null | undefined;
  /** Exclusive. */
  readonly to?: string | null | undefined;
  /** Empty or null for all. */
  readonly symbols?: readonly string[] | null | undefined;
  readonly dataPlan?: string | null | undefined;
}
