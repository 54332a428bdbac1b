import { type ObjectId, objectText } from "../../app/store/object-id.ts";
import { configKey } from "../../config/config.ts";
import { didYouMean } from "../../lib/did-you-mean.ts";
import { MeshError } from "../../lib/errors.ts";
import { type Command, type DocumentedFlag, ExitCode } from "../command.ts";
import { inNotation, isText, outputFlag, type TableForm, tableForms } from "../flags/notation.ts";
import { readFlags } from "../flags/read-flags.ts";
import { serverFlag } from "../flags/server-flag.ts";
import { withServerProgress } from "../mesh/with-server-progress.ts";
import { describeObject, namesOf, type ObjectDescription } from "../objects/describe-object.ts";
import { descriptionText } from "../objects/description-text.ts";
import { completableKinds, kindNamed } from "../objects/kind-named.ts";
import { fetchObjectPages, type ObjectPages } from "../objects/object-pages.ts";
import { namespaceFlag } from "../objects/store-flags.ts";
import { ChangePrinter, type WatchedState } from "../watch/change-printer.ts";
import { watch } from "../watch/watch.ts";
import { watchFlag } from "../watch/watch-flag.ts";

const flags: readonly DocumentedFlag[] = [
  serverFlag,
  { ...namespaceFlag, doc: "Namespace of the object." },
  watchFlag,
  outputFlag(tableForms),
];

export const command: Command = {
  usage: "KIND NAME [flags]",
  flags,
  words: completableKinds,
  examples: [
    "describe VirtualService reviews -n shop",
    "describe VirtualService reviews -n shop --watch",
    "describe VirtualService reviews -n shop -o wide",
    "describe se ratings -n shop --server 127.0.0.1:8080 -o json",
  ],
  problem: "there is no such object, it is not in use, or proxies reject it",
  async run(args, terminal) {
    const given = readFlags(args, flags, { expected: "KIND NAME", atLeast: 2, atMost: 2 });
    const form = given.choice("output", tableForms);
    const [word = "", name = ""] = given.positionals;
    const kind = kindNamed(word);
    const id = { kind, namespace: kind.scope === "cluster" ? "" : given.value("namespace"), name };
    const server = given.value("server");
    const wanted = `${kind.kind}/${id.namespace}/${name}`;
    const read = () => fetchObjectPages(server, wanted);
    if (given.has("watch")) {
      const printer = new ChangePrinter(form, terminal);
      const described = async () => describeObject(id, await read());
      const show = (description: ObjectDescription | undefined) => printer.show(watchedDescription(description, form));
      const events = { server, types: new Set(["reset", "configuration", "proxies"] as const) };
      return await watch({ from: `--server ${server}`, read: described, show, exitCode: exitCodeOf, events }, terminal);
    }
    const pages = await withServerProgress(server, terminal, read);
    const description = describeObject(id, pages);
    if (description === undefined) throw notFound(id, pages);
    if (isText(form)) terminal.print(descriptionText(description, form));
    else terminal.printData(inNotation(description, form));
    return exitCodeOf(description);
  },
};

/** An object that is not there is a problem, but a watch waits for it. */
function exitCodeOf(description: ObjectDescription | undefined): ExitCode {
  const isSound = description?.accepted === true && description.problems.every(({ level }) => level !== "error");
  return isSound ? ExitCode.ok : ExitCode.problem;
}

function watchedDescription(description: ObjectDescription | undefined, form: TableForm): WatchedState {
  if (description === undefined) return { items: [] };
  const text = descriptionText(description, isText(form) ? form : "text");
  return { items: [{ key: description.object, object: description, cells: [text] }] };
}

function notFound(id: ObjectId, pages: ObjectPages): MeshError {
  const near = didYouMean(configKey(id), namesOf(id, pages));
  const hint = near === undefined ? "" : `; did you mean ${near}?`;
  return new MeshError("not-found", `the mesh has no ${objectText(id)}${hint}`);
}
