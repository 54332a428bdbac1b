/** A document as it is stored. */
export interface StoredDocument<Content> {
  readonly content: Content;
  /** Changes with every replacement. */
  readonly revision: string;
}

/** The place of one document that outlives the process. Replicas may share it. */
export interface DocumentStore<Content> {
  /** Undefined if nothing is stored. Rejects if the store cannot be read. */
  read(): Promise<StoredDocument<Content> | undefined>;
  /**
   * Replaces the document only if its revision is still `previous`; undefined means that nothing is stored. A document that
   * was deleted meanwhile is created again. Resolves with the document that is stored afterwards: `next`, or that of a
   * replica that was faster.
   */
  replace(previous: string | undefined, next: Content): Promise<StoredDocument<Content>>;
  /** Calls back at its begin and after each change, until it is stopped. It goes on after an error. */
  watch(onChange: () => void, onError: (error: unknown) => void): { stop(): void };
  /** Releases its connections. */
  close?(): Promise<void>;
}
