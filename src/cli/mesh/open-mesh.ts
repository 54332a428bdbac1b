import { type OfflineMesh, readMesh } from "../../app/offline/read-mesh.ts";
import { hasErrors } from "../../config/finding.ts";
import { ExitCode, type Terminal } from "../command.ts";
import type { MeshSettings } from "../flags/mesh-flags.ts";
import { issueCount, issueText } from "../issues/issue-text.ts";
import { openInputs } from "./open-inputs.ts";

/** A mesh without a server, and what its files say, for showing what is wrong with them. */
export interface OpenedMesh extends OfflineMesh {
  readonly textOf: (file: string) => string | undefined;
}

/** Reads files, directories and, as `-`, what is piped in. Throws `source-unavailable`. */
export async function openMesh(
  paths: readonly string[],
  settings: MeshSettings,
  terminal: Terminal,
): Promise<OpenedMesh> {
  const { inputs, textOf } = await openInputs(paths, terminal);
  return { ...(await readMesh({ inputs, ...settings })), textOf };
}

/** For commands whose data is something else: says what is wrong, and whether that is more than warnings. */
export function complainOfIssues({ issues, textOf }: OpenedMesh, { complain, coloured }: Terminal): ExitCode {
  if (issues.length === 0) return ExitCode.ok;
  for (const issue of issues) complain(issueText(issue, { textOf, coloured: coloured.complain }));
  complain(issueCount(issues));
  return hasErrors(issues) ? ExitCode.problem : ExitCode.ok;
}
