import { type ObjectId, objectText } from "../../app/store/object-id.ts";
import type { StoredObject } from "../../app/store/object-store.ts";
import { MeshError } from "../../lib/errors.ts";
import { type Command, type DocumentedFlag, ExitCode } from "../command.ts";
import { inNotation, type Notation, notations, outputFlag } from "../flags/notation.ts";
import { readFlags } from "../flags/read-flags.ts";
import { kindNamed } from "../objects/kind-named.ts";
import { givenStore, namespaceFlag, storeFlags } from "../objects/store-flags.ts";
import { table } from "../text/table.ts";

const flags: readonly DocumentedFlag[] = [
  ...storeFlags,
  { ...namespaceFlag, doc: "of the object; without NAME, the only one to be listed", default: "" },
  outputFlag(notations),
];

export const command: Command = {
  usage: "KIND [NAME] --store URL [flags]",
  flags,
  examples: [
    "get VirtualService --store etcd://127.0.0.1:2379/mesh",
    "get vs reviews -n shop -o yaml --store kube: > reviews.yaml",
  ],
  problem: "there is no such object",
  async run(args, terminal) {
    const given = readFlags(args, flags, { expected: "KIND, or KIND NAME", atLeast: 1, atMost: 2 });
    const notation = given.choice("output", notations);
    const [word = "", name] = given.positionals;
    const kind = kindNamed(word);
    const namespace = kind.scope === "cluster" ? "" : given.value("namespace");
    using store = await givenStore(given, terminal)();
    if (name === undefined) {
      terminal.print(listText(await store.list(kind, namespace || undefined), notation));
      return ExitCode.ok;
    }
    const id: ObjectId = { kind, namespace: namespace || (kind.scope === "cluster" ? "" : "default"), name };
    const object = await store.get(id);
    if (object === undefined) throw new MeshError("not-found", `there is no ${objectText(id)}`);
    terminal.print(notation === "text" ? listText([object], notation) : inNotation(object.fields, notation));
    return ExitCode.ok;
  },
};

/** As JSON a list, as YAML one document after the other: both are what `apply` reads. */
function listText(objects: readonly StoredObject[], notation: Notation): string {
  if (notation === "yaml") return objects.map(({ fields }) => inNotation(fields, "yaml")).join("\n---\n");
  if (notation === "json")
    return inNotation({ apiVersion: "v1", kind: "List", items: objects.map(({ fields }) => fields) }, "json");
  return table(
    ["NAMESPACE", "NAME", "VERSION"],
    objects.map(({ id, version }) => [id.namespace, id.name, version]),
  );
}
