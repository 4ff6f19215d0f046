/** Selects records of a manifest in an object store, which has many parts; undefined selects all. */
export interface ManifestScope {
  readonly exchanges?: readonly string[] | undefined;
  readonly dataTypes?: readonly string[] | undefined;
  /** UTC days; `to` is exclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** One scope, or the union of several. */
export type ManifestScopes = ManifestScope | readonly ManifestScope[];
