import type { Remark } from "../finding.ts";

/** A YAML mistake in a document, with its offset in the slice. */
export interface YamlProblem extends Remark {
  readonly offset: number;
}

/** Thrown to stop reading a document at once. */
export class DocumentRefused extends Error {
  readonly problem: YamlProblem;

  constructor(problem: YamlProblem) {
    super(problem.message);
    this.problem = problem;
  }
}
