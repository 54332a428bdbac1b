import { readFileSync } from "node:fs";
import { optionTable } from "../../app/options/options.ts";
import { readOptions } from "../../app/options/read-options.ts";
import type { ObjectStore } from "../../app/store/object-store.ts";
import { storeAt, storeForms } from "../../app/store/store-at.ts";
import { MeshError } from "../../lib/errors.ts";
import type { DocumentedFlag, Terminal } from "../command.ts";
import { optionFlag } from "../flags/option-flag.ts";
import type { ReadFlags } from "../flags/read-flags.ts";

const kubeconfigFlag = optionFlag(optionTable.kubeconfig);

/** Which store, for commands that read or write objects. */
export const storeFlags: readonly DocumentedFlag[] = [
  {
    name: "store",
    type: "value",
    placeholder: "URL",
    doc: `where the objects are kept: ${storeForms}; else $BINNACLE_STORE`,
    default: "",
  },
  kubeconfigFlag,
];

export const namespaceFlag: DocumentedFlag = {
  name: "namespace",
  short: "n",
  type: "value",
  placeholder: "NAME",
  doc: "the namespace, for objects that name none",
  default: "default",
};

export const writeFlags: readonly DocumentedFlag[] = [
  { name: "dry-run", type: "switch", placeholder: "", doc: "only say what would be done", default: "" },
  { name: "force", type: "switch", placeholder: "", doc: "overwrite what others have written meanwhile", default: "" },
];

export const filenameFlag: DocumentedFlag = {
  name: "filename",
  short: "f",
  type: "value",
  placeholder: "PATH",
  doc: "a file or directory of objects, - for what is piped in; may be repeated",
  default: "",
};

/** How the store that is named is opened, see {@link storeAt}. Throws `bad-option`, also when none is named. */
export function givenStore(given: ReadFlags, { env }: Pick<Terminal, "env">): () => Promise<ObjectStore> {
  const url = given.value("store") || (env["BINNACLE_STORE"] ?? "");
  if (url === "") throw new MeshError("bad-option", `--store is missing: expected ${storeForms}`);
  const { kubeconfig } = readOptions({
    arguments: given.arguments.filter((each) => each.type === "flag" && each.name === kubeconfigFlag.name),
    env,
    readFile: (path) => readFileSync(path, "utf8"),
  });
  return storeAt(url, kubeconfig);
}
