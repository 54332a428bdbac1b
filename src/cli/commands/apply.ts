import { type Command, type DocumentedFlag, ExitCode } from "../command.ts";
import { notations, outputFlag } from "../flags/notation.ts";
import { valueFlag } from "../flags/flag.ts";
import { filenameFlag, namedPaths, pathPositionals } from "../flags/paths.ts";
import { readFlags } from "../flags/read-flags.ts";
import { serverFlag } from "../flags/server-flag.ts";
import { checkPlan } from "../plan/ask-plan.ts";
import { printReport } from "../objects/print-report.ts";
import { readObjectsToWrite } from "../objects/read-objects-to-write.ts";
import { givenStore, namespaceFlag, storeFlags, writeFlags } from "../objects/store-flags.ts";
import { withProgress } from "../text/progress.ts";

const flags: readonly DocumentedFlag[] = [
  filenameFlag,
  ...storeFlags,
  namespaceFlag,
  ...writeFlags,
  valueFlag(
    "plan",
    "ID",
    "Writes only if a plan of the same objects on the server of --server still has this id: nothing else has changed there.",
  ),
  { ...serverFlag, doc: `Only with --plan. ${serverFlag.doc}` },
  outputFlag(notations),
];

export const command: Command = {
  usage: "[-f] FILE…|DIR… --store URL [flags]",
  flags,
  examples: [
    "apply -f ./mesh --store etcd://127.0.0.1:2379/mesh",
    "apply routes.yaml --store kube: --dry-run",
    "apply -f - --store kube:staging < routes.yaml",
    "apply routes.yaml --store etcd://127.0.0.1:2379/mesh --plan 11e7a9f38e7a9286 --server 127.0.0.1:8080",
  ],
  problem: "an object is invalid, another client changed it in the meantime, or the plan is of another mesh",
  async run(args, terminal) {
    const given = readFlags(args, flags, pathPositionals);
    const named = namedPaths(given);
    const notation = given.choice("output", notations);
    const [dryRun, force] = [given.has("dry-run"), given.has("force")];
    const open = givenStore(given, terminal);
    const objects = await readObjectsToWrite(named, given.value("namespace"), terminal);
    if (objects === undefined) return ExitCode.problem;
    const plan = given.value("plan");
    if (plan !== "") await checkPlan(plan, { server: given.value("server"), paths: named }, terminal);
    using store = await open();
    const report = await withProgress(terminal, "writing to the store", () => store.apply(objects, { dryRun, force }));
    return printReport(report, { notation, dryRun }, terminal);
  },
};
