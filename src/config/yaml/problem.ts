/** What is wrong with a document as YAML, and at which offset of its slice. */
export interface Problem {
  readonly offset: number;
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}
