import { inputTexts } from "../../app/store/input-texts.ts";
import type { ObjectWrite } from "../../app/store/object-store.ts";
import { readObjects } from "../../app/store/read-objects.ts";
import { isRefused } from "../../config/finding.ts";
import { foldIssues } from "../../config/fold-issues.ts";
import type { Terminal } from "../command.ts";
import { issueCount, issueText } from "../issues/issue-text.ts";
import { openInputs } from "../mesh/open-inputs.ts";

/** Reads the objects of some files and prints their issues; undefined if there are errors. */
export async function readObjectsToWrite(
  paths: readonly string[],
  defaultNamespace: string,
  terminal: Terminal,
): Promise<readonly ObjectWrite[] | undefined> {
  const { inputs, textOf } = await openInputs(paths, terminal);
  const { writes, issues: all } = readObjects(await inputTexts(inputs), defaultNamespace);
  const { issues, ignored } = foldIssues(all);
  const { complain, coloured } = terminal;
  if (ignored !== undefined) complain(ignored);
  for (const issue of issues) complain(issueText(issue, { textOf, coloured: coloured.complain }));
  if (!isRefused(issues)) return writes;
  complain(`${issueCount(issues)}; nothing was written`);
  return undefined;
}
