import { readFileSync } from "node:fs";
import type { Issue } from "../../../src/config/issue.ts";

/** A current problem of the YAML. */
export interface DemoProblem {
  readonly issue: Issue;
  /** The content of the file, if it still exists. */
  readonly text: string | undefined;
}

/** Reads the control plane's own page: it knows the current places, even after lines were added above them. */
export async function readProblems(httpAddress: string): Promise<readonly DemoProblem[]> {
  const response = await fetch(`http://${httpAddress}/debug/issues`);
  const { issues } = (await response.json()) as { readonly issues: readonly Issue[] };
  return issues.map((issue) => ({ issue, text: textOf(issue) }));
}

function textOf({ place }: Issue): string | undefined {
  if (place === undefined) return undefined;
  try {
    return readFileSync(place.file, "utf8");
  } catch {
    return undefined;
  }
}
