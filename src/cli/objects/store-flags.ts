import { optionTable } from "../../app/options/options.ts";
import type { ObjectStore } from "../../app/store/object-store.ts";
import { storeAt, storeForms } from "../../app/store/store-at.ts";
import { MeshError } from "../../lib/errors.ts";
import type { DocumentedFlag, Terminal } from "../command.ts";
import { switchFlag, valueFlag } from "../flags/flag.ts";
import { readOptionFlags } from "../flags/mesh-flags.ts";
import { optionFlag } from "../flags/option-flag.ts";
import type { ReadFlags } from "../flags/read-flags.ts";

const kubeconfigFlag = optionFlag(optionTable.kubeconfig);

/** Which store, for commands that read or write objects. */
export const storeFlags: readonly DocumentedFlag[] = [
  valueFlag("store", "URL", `where the objects are kept: ${storeForms}; else $BINNACLE_STORE`),
  kubeconfigFlag,
];

export const namespaceFlag: DocumentedFlag = {
  ...valueFlag("namespace", "NAME", "the namespace, for objects that name none", "default"),
  short: "n",
};

export const writeFlags: readonly DocumentedFlag[] = [
  switchFlag("dry-run", "only say what would be done"),
  switchFlag("force", "overwrite what others have written meanwhile"),
];

/** How the store that is named is opened, see {@link storeAt}. Throws `bad-option`, also when none is named. */
export function givenStore(given: ReadFlags, { env }: Pick<Terminal, "env">): () => Promise<ObjectStore> {
  const url = given.value("store") || (env["BINNACLE_STORE"] ?? "");
  if (url === "") throw new MeshError("bad-option", `--store is missing: expected ${storeForms}`);
  return storeAt(url, readOptionFlags(given, [kubeconfigFlag], { env }).kubeconfig);
}
