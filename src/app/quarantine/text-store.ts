/** A text as it is stored. */
export interface StoredText {
  readonly text: string;
  /** Changes with every replacement. */
  readonly revision: string;
}

/** The place of one text that outlives the process. Replicas may share it. */
export interface TextStore {
  /** Undefined if nothing is stored yet. Rejects if the store cannot be read. */
  read(): Promise<StoredText | undefined>;
  /**
   * Replaces the text only if its revision is still `previous`; undefined means that nothing is stored. Resolves with the
   * text that is stored afterwards: `next`, or that of a replica that was faster.
   */
  replace(previous: string | undefined, next: string): Promise<StoredText>;
  /** Calls back after each change by others, until it is stopped. It goes on after an error. */
  watch(onChange: (stored: StoredText) => void, onError: (error: unknown) => void): { stop(): void };
  /** Releases its connections. */
  close?(): Promise<void>;
}
