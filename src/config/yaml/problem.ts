import type { Remark } from "../finding.ts";

/** What is wrong with a document as YAML, and at which offset of its slice. */
export interface Problem extends Remark {
  readonly offset: number;
}
