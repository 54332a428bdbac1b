import { readFileSync } from "node:fs";
import type { Issue } from "../../../src/config/issue.ts";

/** Something that is wrong with the YAML now. */
export interface Problem {
  readonly issue: Issue;
  /** What the file says, if it is still there. */
  readonly text: string | undefined;
}

/** Asks the control plane's own page: it knows the places of the moment, also when lines above them were added. */
export async function readProblems(httpAddress: string): Promise<readonly Problem[]> {
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
