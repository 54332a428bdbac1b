import { type OfflineMesh, readMesh } from "../../app/offline/read-mesh.ts";
import { isRefused } from "../../config/finding.ts";
import { cutText } from "../../lib/cut-text.ts";
import { ExitCode, type Terminal } from "../command.ts";
import type { MeshFlagValues } from "../flags/mesh-flags.ts";
import { issueCount, issueText } from "../issues/issue-text.ts";
import { withProgress } from "../text/progress.ts";
import { openInputs } from "./open-inputs.ts";

/** Characters: a status is one line. */
const maxShownPaths = 50;

/** A mesh without a server, and the text of its files, to show problems in them. */
export interface OpenedMesh extends OfflineMesh {
  readonly textOf: (file: string) => string | undefined;
}

/** Reads files, directories and, as `-`, stdin. Throws `source-unavailable`. */
export async function openMesh(
  paths: readonly string[],
  settings: MeshFlagValues,
  terminal: Terminal,
): Promise<OpenedMesh> {
  const { inputs, textOf } = await openInputs(paths, terminal);
  const mesh = await readWithProgress(paths, () => readMesh({ inputs, ...settings }), terminal);
  warnOfEmpty(mesh.empty, terminal);
  noteUnfetchedKeys(mesh, terminal);
  return { ...mesh, textOf };
}

/** Shows on a terminal that reading takes long. */
export async function readWithProgress<T>(
  paths: readonly string[],
  read: () => Promise<T>,
  terminal: Terminal,
): Promise<T> {
  return await withProgress(terminal, `reading ${cutText(paths.join(", "), maxShownPaths)}`, read);
}

/** An empty input has no issues, but the user expected objects in it. */
export function warnOfEmpty(paths: readonly string[], { complain }: Terminal): void {
  for (const path of paths) complain(`warning: ${path} holds no objects`);
}

/** A command fetches nothing, so its answers are those of a server that has not reached the issuers. */
function noteUnfetchedKeys({ push, originOf }: OfflineMesh, { complain }: Terminal): void {
  for (const { owner, rules } of push.requestAuthentications.values()) {
    const issuers = rules.filter(({ place }) => place !== undefined).map(({ issuer }) => issuer);
    if (issuers.length === 0) continue;
    const where = originOf(owner)?.reference ?? owner;
    const names = cutText(issuers.join(", "), maxShownPaths);
    complain(`note: ${where}: the keys of ${names} are not fetched by a command: here proxies reject its tokens`);
  }
}

/** For commands with other output: prints the issues, and returns whether there are errors. */
export function complainOfIssues({ issues, ignored, textOf }: OpenedMesh, { complain, coloured }: Terminal): ExitCode {
  if (ignored !== undefined) complain(ignored);
  if (issues.length === 0) return ExitCode.ok;
  for (const issue of issues) complain(issueText(issue, { textOf, coloured: coloured.complain }));
  complain(issueCount(issues));
  return isRefused(issues) ? ExitCode.problem : ExitCode.ok;
}
