/** Which records a manifest in parts is read for: undefined is all of that. */
export interface ManifestScope {
  readonly exchanges?: readonly string[] | undefined;
  readonly dataTypes?: readonly string[] | undefined;
  /** UTC days, the second one exclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** One, or several: what any of them names. */
export type ManifestScopes = ManifestScope | readonly ManifestScope[];
