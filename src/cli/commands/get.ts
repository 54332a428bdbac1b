import { withoutSecrets } from "../../app/store/object-fields.ts";
import { type ObjectId, objectText } from "../../app/store/object-id.ts";
import type { ObjectFields, StoredObject } from "../../app/store/object-store.ts";
import { MeshError } from "../../lib/errors.ts";
import { type Command, type DocumentedFlag, ExitCode, type Terminal } from "../command.ts";
import { switchFlag } from "../flags/flag.ts";
import { inNotation, notations, outputFlag } from "../flags/notation.ts";
import { readFlags } from "../flags/read-flags.ts";
import { completableKinds, kindNamed } from "../objects/kind-named.ts";
import { givenStore, namespaceFlag, storeFlags } from "../objects/store-flags.ts";
import { withProgress } from "../text/progress.ts";
import { textTable } from "../text/text-table.ts";

/** `name` is kubectl's: one `virtualservice.networking.istio.io/reviews` per line, for other commands. */
const getNotations = [...notations, "name"] as const;
type GetNotation = (typeof getNotations)[number];

const doing = "asking the store";

const flags: readonly DocumentedFlag[] = [
  ...storeFlags,
  { ...namespaceFlag, doc: "Namespace of the object. Without NAME, lists only this namespace.", default: "" },
  { ...switchFlag("all-namespaces", "Lists the objects of every namespace, even with --namespace."), short: "A" },
  outputFlag(getNotations),
];

export const command: Command = {
  usage: "KIND [NAME] --store URL [flags]",
  flags,
  words: completableKinds,
  examples: [
    "get VirtualService --store etcd://127.0.0.1:2379/mesh",
    "get vs -A -o name --store kube:",
    "get vs reviews -n shop -o yaml --store kube: > reviews.yaml",
  ],
  problem: "there is no such object",
  async run(args, terminal) {
    const given = readFlags(args, flags, { expected: "KIND, or KIND NAME", atLeast: 1, atMost: 2 });
    const notation = given.choice("output", getNotations);
    const [word = "", name] = given.positionals;
    const kind = kindNamed(word);
    const everywhere = given.has("all-namespaces");
    if (everywhere && name !== undefined)
      throw new MeshError("bad-option", `--all-namespaces: not with a name, ${name}`);
    const namespace = kind.scope === "cluster" || everywhere ? "" : given.value("namespace");
    using store = await givenStore(given, terminal)();
    if (name === undefined) {
      const objects = await withProgress(terminal, doing, () => store.list(kind, namespace || undefined));
      printObjects(objects, notation, terminal);
      return ExitCode.ok;
    }
    const id: ObjectId = { kind, namespace: namespace || (kind.scope === "cluster" ? "" : "default"), name };
    const object = await withProgress(terminal, doing, () => store.get(id));
    if (object === undefined) throw new MeshError("not-found", `there is no ${objectText(id)}`);
    if (notation === "json") terminal.printData(inNotation(shownFields(object), notation));
    else printObjects([object], notation, terminal);
    return ExitCode.ok;
  },
};

function printObjects(objects: readonly StoredObject[], notation: GetNotation, terminal: Terminal): void {
  if (notation !== "text") return terminal.printData(dataText(objects, notation));
  const rows = objects.map(({ id, version }) => [id.namespace, id.name, version]);
  terminal.print(textTable(["NAMESPACE", "NAME", "VERSION"], rows));
}

/** JSON is a list, YAML has one document per object. `apply` reads both. */
function dataText(objects: readonly StoredObject[], notation: Exclude<GetNotation, "text">): string {
  if (notation === "name") return objects.map(({ id }) => nameText(id)).join("\n");
  if (notation === "yaml") return objects.map((object) => inNotation(shownFields(object), "yaml")).join("\n---\n");
  return inNotation({ apiVersion: "v1", kind: "List", items: objects.map(shownFields) }, "json");
}

/** Values of a Secret are hidden. `apply` refuses them, so that nobody writes the placeholder back. */
function shownFields({ id, fields }: StoredObject): ObjectFields {
  return id.kind.seal === undefined ? fields : withoutSecrets(fields);
}

function nameText({ kind: { kind, group }, name }: ObjectId): string {
  return `${kind.toLowerCase()}${group === "" ? "" : `.${group}`}/${name}`;
}
