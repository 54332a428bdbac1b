import type { ObjectChange } from "../../app/store/object-store.ts";
import { MeshError } from "../../lib/errors.ts";
import { type Command, type DocumentedFlag, ExitCode, type Terminal } from "../command.ts";
import { notations, outputFlag } from "../flags/notation.ts";
import { filenameFlag } from "../flags/paths.ts";
import { type ReadFlags, readFlags } from "../flags/read-flags.ts";
import { completableKinds, kindNamed } from "../objects/kind-named.ts";
import { printReport } from "../objects/print-report.ts";
import { readObjectsToWrite } from "../objects/read-objects-to-write.ts";
import { givenStore, namespaceFlag, storeFlags, writeFlags } from "../objects/store-flags.ts";
import { withProgress } from "../text/progress.ts";

const flags: readonly DocumentedFlag[] = [
  filenameFlag,
  ...storeFlags,
  namespaceFlag,
  ...writeFlags,
  outputFlag(notations),
];

const expected = "KIND NAME…, or -f FILE";

export const command: Command = {
  usage: "KIND NAME… | -f FILE… --store URL [flags]",
  flags,
  words: completableKinds,
  examples: [
    "delete VirtualService reviews -n shop --store etcd://127.0.0.1:2379/mesh",
    "delete -f ./mesh --store kube: --dry-run",
  ],
  problem: "an object does not exist or is invalid, or another client changed it in the meantime",
  async run(args, terminal) {
    const given = readFlags(args, flags, { expected, atLeast: 0, atMost: Infinity });
    const notation = given.choice("output", notations);
    const [dryRun, force] = [given.has("dry-run"), given.has("force")];
    const open = givenStore(given, terminal);
    const objects = await objectsToDelete(given, terminal);
    if (objects === undefined) return ExitCode.problem;
    using store = await open();
    const report = await withProgress(terminal, "writing to the store", () => store.delete(objects, { dryRun, force }));
    const code = printReport(report, { notation, dryRun }, terminal);
    const missing = !given.has("filename") && report.outcomes.some(({ type }) => type === "absent");
    return missing ? ExitCode.problem : code;
  },
};

async function objectsToDelete(given: ReadFlags, terminal: Terminal): Promise<readonly ObjectChange[] | undefined> {
  const [word, ...names] = given.positionals;
  const files = given.values("filename");
  const namespace = given.value("namespace");
  if (word === undefined && files.length > 0) return await readObjectsToWrite(files, namespace, terminal);
  if (word === undefined || names.length === 0 || files.length > 0)
    throw new MeshError("bad-option", `expected ${expected}, found ${given.positionals.join(" ") || "none"}`);
  const kind = kindNamed(word);
  const its = kind.scope === "cluster" ? "" : namespace;
  return [...new Set(names)].map((name) => ({ id: { kind, namespace: its, name }, version: undefined }));
}
