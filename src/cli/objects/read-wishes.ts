import { inputTexts } from "../../app/store/input-texts.ts";
import type { WrittenWish } from "../../app/store/object-store.ts";
import { readObjects } from "../../app/store/read-objects.ts";
import { hasErrors } from "../../config/finding.ts";
import type { Terminal } from "../command.ts";
import { issueCount, issueText } from "../issues/issue-text.ts";
import { openInputs } from "../mesh/open-inputs.ts";

/** The objects of some files, and what is wrong with them said; undefined when that is more than warnings. */
export async function readWishes(
  paths: readonly string[],
  defaultNamespace: string,
  terminal: Terminal,
): Promise<readonly WrittenWish[] | undefined> {
  const { inputs, textOf } = await openInputs(paths, terminal);
  const { wishes, issues } = readObjects(await inputTexts(inputs), defaultNamespace);
  const { complain, coloured } = terminal;
  for (const issue of issues) complain(issueText(issue, { textOf, coloured: coloured.complain }));
  if (!hasErrors(issues)) return wishes;
  complain(`${issueCount(issues)}; nothing was written`);
  return undefined;
}
