import type { Remark } from "../finding.ts";

/** A mistake in a document as YAML, and at which offset of its slice. */
export interface Problem extends Remark {
  readonly offset: number;
}

/** Thrown where reading a document stops at once. */
export class DocumentRefused extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}
