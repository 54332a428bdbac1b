import { type ObjectId, objectText } from "../../app/store/object-id.ts";
import { configKey } from "../../config/config.ts";
import { didYouMean } from "../../lib/did-you-mean.ts";
import { MeshError } from "../../lib/errors.ts";
import { type Command, type DocumentedFlag, ExitCode } from "../command.ts";
import { inNotation, notations, outputFlag } from "../flags/notation.ts";
import { readFlags } from "../flags/read-flags.ts";
import { serverFlag } from "../flags/server-flag.ts";
import { withServerProgress } from "../mesh/with-server-progress.ts";
import { describeObject, namesOf } from "../objects/describe-object.ts";
import { descriptionText } from "../objects/description-text.ts";
import { completableKinds, kindNamed } from "../objects/kind-named.ts";
import { fetchObjectPages, type ObjectPages } from "../objects/object-pages.ts";
import { namespaceFlag } from "../objects/store-flags.ts";

const flags: readonly DocumentedFlag[] = [
  serverFlag,
  { ...namespaceFlag, doc: "Namespace of the object." },
  outputFlag(notations),
];

export const command: Command = {
  usage: "KIND NAME [flags]",
  flags,
  words: completableKinds,
  examples: ["describe VirtualService reviews -n shop", "describe se ratings -n shop --server 127.0.0.1:8080 -o json"],
  problem: "there is no such object, it is not in use, or proxies reject it",
  async run(args, terminal) {
    const given = readFlags(args, flags, { expected: "KIND NAME", atLeast: 2, atMost: 2 });
    const notation = given.choice("output", notations);
    const [word = "", name = ""] = given.positionals;
    const kind = kindNamed(word);
    const id = { kind, namespace: kind.scope === "cluster" ? "" : given.value("namespace"), name };
    const server = given.value("server");
    const wanted = `${kind.kind}/${id.namespace}/${name}`;
    const pages = await withServerProgress(server, terminal, () => fetchObjectPages(server, wanted));
    const description = describeObject(id, pages);
    if (description === undefined) throw notFound(id, pages);
    if (notation === "text") terminal.print(descriptionText(description));
    else terminal.printData(inNotation(description, notation));
    const isSound = description.accepted && description.problems.every(({ level }) => level !== "error");
    return isSound ? ExitCode.ok : ExitCode.problem;
  },
};

function notFound(id: ObjectId, pages: ObjectPages): MeshError {
  const near = didYouMean(configKey(id), namesOf(id, pages));
  const hint = near === undefined ? "" : `; did you mean ${near}?`;
  return new MeshError("not-found", `the mesh has no ${objectText(id)}${hint}`);
}
