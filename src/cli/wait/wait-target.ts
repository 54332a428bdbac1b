import { inputTexts } from "../../app/store/input-texts.ts";
import { appliedVersion } from "../../config/applied-version.ts";
import { configId, type ConfigId } from "../../config/config.ts";
import { isRefused } from "../../config/finding.ts";
import { kinds } from "../../config/kinds.ts";
import { parseConfigs } from "../../config/parse/parse.ts";
import { MeshError } from "../../lib/errors.ts";
import type { Terminal } from "../command.ts";
import { issueText } from "../issues/issue-text.ts";
import { openInputs } from "../mesh/open-inputs.ts";
import { objectNamed } from "../objects/object-named.ts";

/** An object that the user waits for. */
export interface WaitTarget {
  readonly id: ConfigId;
  /** The hash of the awaited content. Undefined for the content that the server has. */
  readonly version: string | undefined;
}

/** The object that `KIND/NAME` or `KIND/NAMESPACE/NAME` names. Throws `bad-option`. */
export function namedTarget(word: string, defaultNamespace: string): ConfigId {
  const { kind, namespace, name } = objectNamed(word, defaultNamespace);
  return configId(kind.kind, namespace, name);
}

/**
 * The objects of files, with the hashes of their content; only the named one, if there is a name. Undefined if an object
 * is invalid: the server would not use it. Prints the reasons.
 */
export async function targetsIn(
  paths: readonly string[],
  { namespace, named }: { readonly namespace: string; readonly named: ConfigId | undefined },
  terminal: Terminal,
): Promise<readonly WaitTarget[] | undefined> {
  const { inputs, textOf } = await openInputs(paths, terminal);
  const texts = await inputTexts(inputs);
  const parsed = texts.map(({ file, text }) =>
    parseConfigs({ text, file, source: file, kinds, defaultNamespace: namespace }),
  );
  const issues = parsed.flatMap((each) => each.issues);
  if (isRefused(issues)) {
    for (const issue of issues) terminal.complain(issueText(issue, { textOf, coloured: terminal.coloured.complain }));
    return undefined;
  }
  const targets = parsed
    .flatMap(({ configs }) => configs)
    .map((config) => ({ id: configId(config.kind, config.namespace, config.name), version: appliedVersion(config) }));
  const found = named === undefined ? targets : targets.filter(({ id }) => id === named);
  if (found.length > 0) return found;
  throw new MeshError("not-found", `${paths.join(", ")}: no ${named ?? "objects"} found`);
}
