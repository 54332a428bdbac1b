/** What can be set of a source; {@link defaultSourceSettings} has what stands otherwise. */
export interface SourceSettings {
  /** Whether differences of this collection are sent to sinks that ask for them. */
  readonly incremental: (collection: string) => boolean;
  /** What is asked for and not served: an empty collection, or an error that ends the stream as the real Galley does. */
  readonly unknownCollections: "empty" | "reject";
  /** Subscriptions of one identity: how many a second, and how many at once. */
  readonly requestsPerSecond: number;
  readonly requestBurst: number;
  /** An answer that takes longer is reported; what takes longer than the second, if given, ends the stream. */
  readonly ackWarnMs: number;
  readonly ackResetMs: number | undefined;
  /** When a rejected version is sent once more, doubling with each rejection in a row. */
  readonly nackRetry: { readonly minMs: number; readonly maxMs: number };
}

export const defaultSourceSettings: SourceSettings = {
  incremental: () => true,
  unknownCollections: "empty",
  requestsPerSecond: 50,
  requestBurst: 100,
  ackWarnMs: 10_000,
  ackResetMs: undefined,
  nackRetry: { minMs: 1_000, maxMs: 60_000 },
};
