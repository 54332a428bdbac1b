/** The settings of a source. {@link defaultSourceSettings} has the defaults. */
export interface SourceSettings {
  /** Whether to send deltas of this collection to sinks that request them. */
  readonly incremental: (collection: string) => boolean;
  /**
   * The answer for unknown collections: an empty collection, or an error that ends the stream as the real Galley does.
   */
  readonly unknownCollections: "empty" | "reject";
  /** The subscription rate and burst of one identity. */
  readonly requestsPerSecond: number;
  readonly requestBurst: number;
  /** A later answer is reported. After the second limit, if set, the stream ends. */
  readonly ackWarnMs: number;
  readonly ackResetMs: number | undefined;
  /** The delay before a rejected version is sent again. It doubles with each consecutive rejection. */
  readonly nackRetry: { readonly minMs: number; readonly maxMs: number };
}

export const defaultSourceSettings: SourceSettings = {
  incremental: () => true,
  unknownCollections: "empty",
  requestsPerSecond: 50,
  requestBurst: 500,
  ackWarnMs: 10_000,
  ackResetMs: undefined,
  nackRetry: { minMs: 1_000, maxMs: 60_000 },
};
