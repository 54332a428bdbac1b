import { readFileSync } from "node:fs";
import { type OfflineMesh, readMesh } from "../../app/offline.ts";
import type { SourceText } from "../../app/offline-texts.ts";
import { decodeText } from "../../config/yaml/characters.ts";
import { ExitCode, type Terminal } from "../command.ts";
import type { MeshSettings } from "../flags/mesh-flags.ts";
import { issueCount, issueText } from "../issues/issue-text.ts";

/** A mesh without a server, and what its files say, for showing what is wrong with them. */
export interface OpenedMesh extends OfflineMesh {
  readonly textOf: (file: string) => string | undefined;
}

/** What is piped in has no other name. */
const inputName = "<stdin>";

/** Reads files, directories and, as `-`, what is piped in. Throws `source-unavailable`. */
export async function openMesh(
  paths: readonly string[],
  settings: MeshSettings,
  terminal: Terminal,
): Promise<OpenedMesh> {
  const texts = new Map<string, string | undefined>();
  const inputs: (string | SourceText)[] = paths.filter((path) => path !== "-");
  if (paths.includes("-")) {
    const text = decodeText(await terminal.readInput());
    texts.set(inputName, text);
    inputs.push({ file: inputName, text });
  }
  const mesh = await readMesh({ inputs, ...settings });
  const textOf = (file: string) => {
    if (!texts.has(file)) texts.set(file, textOn(file));
    return texts.get(file);
  };
  return { ...mesh, textOf };
}

/** For commands whose data is something else: says what is wrong, and whether that is more than warnings. */
export function complainOfIssues({ issues, textOf }: OpenedMesh, { complain, coloured }: Terminal): ExitCode {
  if (issues.length === 0) return ExitCode.ok;
  for (const issue of issues) complain(issueText(issue, { textOf, coloured: coloured.complain }));
  complain(issueCount(issues));
  return issues.some(({ severity }) => severity === "error") ? ExitCode.problem : ExitCode.ok;
}

/** The file may be gone by now, or never have been one. */
function textOn(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
