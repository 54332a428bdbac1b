import { optionTable } from "../../app/options/options.ts";
import type { ObjectStore } from "../../app/store/object-store.ts";
import { storeAt, storeForms } from "../../app/store/store-at.ts";
import { MeshError } from "../../lib/errors.ts";
import type { DocumentedFlag, Terminal } from "../command.ts";
import { switchFlag, valueFlag } from "../flags/flag.ts";
import { readOptionFlags } from "../flags/mesh-flags.ts";
import { optionFlag } from "../flags/option-flag.ts";
import type { ReadFlags } from "../flags/read-flags.ts";
import { withProgress } from "../text/progress.ts";

const kubeconfigFlag = optionFlag(optionTable.kubeconfig);

/** Which store, for commands that read or write objects. */
export const storeFlags: readonly DocumentedFlag[] = [
  valueFlag("store", "URL", `Store of the objects: ${storeForms}. Without it, $BINNACLE_STORE is used.`),
  kubeconfigFlag,
];

export const namespaceFlag: DocumentedFlag = {
  ...valueFlag("namespace", "NAME", "Namespace of objects that name none.", "default"),
  short: "n",
};

export const writeFlags: readonly DocumentedFlag[] = [
  switchFlag("dry-run", "Shows the changes without making them."),
  switchFlag("force", "Overwrites changes that others made in the meantime."),
];

/** How the store that is named is opened, see {@link storeAt}. Throws `bad-option`, also when none is named. */
export function givenStore(given: ReadFlags, terminal: Terminal): () => Promise<ObjectStore> {
  const { env } = terminal;
  const url = given.value("store") || (env["BINNACLE_STORE"] ?? "");
  if (url === "") throw new MeshError("bad-option", `--store is missing: expected ${storeForms}`);
  const open = storeAt(url, readOptionFlags(given, [kubeconfigFlag], { env }).kubeconfig);
  return async () => await withProgress(terminal, "opening the store", open);
}
