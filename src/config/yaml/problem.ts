import type { Remark } from "../finding.ts";

/** A YAML mistake in a document, with its offset in the slice. */
export interface Problem extends Remark {
  readonly offset: number;
}

/** Thrown to stop reading a document at once. */
export class DocumentRefused extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}
