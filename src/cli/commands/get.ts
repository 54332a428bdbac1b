import { metadataOf, withoutSecrets } from "../../app/store/object-fields.ts";
import { type ObjectId, objectText } from "../../app/store/object-id.ts";
import type { ObjectFields, StoredObject } from "../../app/store/object-store.ts";
import { MeshError } from "../../lib/errors.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import { type Command, type DocumentedFlag, ExitCode, type Terminal } from "../command.ts";
import { switchFlag } from "../flags/flag.ts";
import { inNotation, isText, outputFlag, tableForms } from "../flags/notation.ts";
import { readFlags } from "../flags/read-flags.ts";
import { completableKinds, kindNamed } from "../objects/kind-named.ts";
import { givenStore, namespaceFlag, storeFlags } from "../objects/store-flags.ts";
import { withProgress } from "../text/progress.ts";
import { textTable } from "../text/text-table.ts";
import { ChangePrinter, type WatchedTable } from "../watch/change-printer.ts";
import { watch } from "../watch/watch.ts";
import { watchFlag } from "../watch/watch-flag.ts";

/** `name` is kubectl's: one `virtualservice.networking.istio.io/reviews` per line, for other commands. */
const getNotations = [...tableForms, "name"] as const;
type GetNotation = (typeof getNotations)[number];

const doing = "asking the store";

const flags: readonly DocumentedFlag[] = [
  ...storeFlags,
  { ...namespaceFlag, doc: "Namespace of the object. Without NAME, lists only this namespace.", default: "" },
  { ...switchFlag("all-namespaces", "Lists the objects of every namespace, even with --namespace."), short: "A" },
  watchFlag,
  outputFlag(getNotations),
];

export const command: Command = {
  usage: "KIND [NAME] --store URL [flags]",
  flags,
  words: completableKinds,
  examples: [
    "get VirtualService --store etcd://127.0.0.1:2379/mesh",
    "get vs -A -o name --store kube:",
    "get VirtualService -n shop --watch --store kube:",
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
    const id: ObjectId = {
      kind,
      namespace: namespace || (kind.scope === "cluster" ? "" : "default"),
      name: name ?? "",
    };
    const read = async (): Promise<readonly StoredObject[]> => {
      if (name === undefined) return await store.list(kind, namespace || undefined);
      const object = await store.get(id);
      return object === undefined ? [] : [object];
    };
    const isMissing = (objects: readonly StoredObject[]) => name !== undefined && objects.length === 0;
    if (given.has("watch")) {
      const printer = new ChangePrinter(notation, terminal);
      const show = (objects: readonly StoredObject[]) => printer.show(tableOf(objects, notation));
      const exitCode = (objects: readonly StoredObject[]) => (isMissing(objects) ? ExitCode.problem : ExitCode.ok);
      return await watch({ from: "the store", read, show, exitCode }, terminal);
    }
    const objects = await withProgress(terminal, doing, read);
    if (isMissing(objects)) throw new MeshError("not-found", `there is no ${objectText(id)}`);
    const [only] = objects;
    if (notation === "json" && name !== undefined && only !== undefined) {
      terminal.printData(inNotation(shownFields(only), notation));
    } else printObjects(objects, notation, terminal);
    return ExitCode.ok;
  },
};

function printObjects(objects: readonly StoredObject[], notation: GetNotation, terminal: Terminal): void {
  if (!isText(notation)) return terminal.printData(dataText(objects, notation));
  const { head, items } = tableOf(objects, notation);
  const rows = items.map(({ cells }) => cells);
  terminal.print(textTable(head, rows));
}

function tableOf(objects: readonly StoredObject[], notation: GetNotation): WatchedTable {
  const isWide = notation === "wide";
  const items = objects.map((object) => {
    const { id, version, fields } = object;
    const { creationTimestamp, labels } = metadataOf(fields);
    const more = isWide ? [textIn(fields["apiVersion"]), textIn(creationTimestamp), labelsText(labels)] : [];
    return {
      key: `${id.namespace}/${id.name}`,
      object: notation === "name" ? nameText(id) : shownFields(object),
      cells: [id.namespace, id.name, version, ...more],
    };
  });
  return { head: ["NAMESPACE", "NAME", "VERSION", ...(isWide ? ["API VERSION", "CREATED", "LABELS"] : [])], items };
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function labelsText(labels: unknown): string {
  if (!isMapping(labels)) return "";
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(",");
}

/** JSON is a list, YAML has one document per object. `apply` reads both. */
function dataText(objects: readonly StoredObject[], notation: Exclude<GetNotation, "text" | "wide">): string {
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
