import { objectText } from "../../app/store/object-id.ts";
import type { ObjectProgressPage } from "../../admin/pilot/object-progress.ts";
import { durationMs } from "../../app/options/option-values.ts";
import { MeshError } from "../../lib/errors.ts";
import { type Command, type DocumentedFlag, ExitCode, type Terminal } from "../command.ts";
import { switchFlag, valueFlag } from "../flags/flag.ts";
import { inNotation, isText, outputFlag, tableForms } from "../flags/notation.ts";
import { filenameFlag } from "../flags/paths.ts";
import { type ReadFlags, readFlags } from "../flags/read-flags.ts";
import { serverFlag } from "../flags/server-flag.ts";
import { fetchPage } from "../mesh/fetch-page.ts";
import { kindNamed } from "../objects/kind-named.ts";
import { namespaceFlag } from "../objects/store-flags.ts";
import { awaitObject } from "../wait/await-object.ts";
import { namedTarget, targetsIn, type WaitTarget } from "../wait/wait-target.ts";
import { waitText } from "../wait/wait-text.ts";

const waitedGoals = ["live", "acked", "rejected", "deleted"] as const;

const flags: readonly DocumentedFlag[] = [
  valueFlag(
    "for",
    waitedGoals.join("|"),
    "Awaited state. live: every connected proxy that the object reaches has accepted its content. acked: the same, and " +
      "the proxies of --proxies are connected. rejected: a proxy rejects it. deleted: every proxy has accepted a state without it.",
    "live",
  ),
  valueFlag(
    "proxies",
    "SELECTOR",
    "Only these proxies count: NODE, POD.NAMESPACE, namespace/NAME, or labels such as app=web. May be repeated.",
  ),
  valueFlag("timeout", "DURATION", "Longest time to wait.", "5m"),
  { ...namespaceFlag, doc: "Namespace of the object." },
  {
    ...filenameFlag,
    doc: "File or directory of objects, or - for stdin. Waits for exactly this content of them. Without KIND/NAME, for all of them.",
  },
  valueFlag("content-hash", "HASH", "Waits for exactly the content with this hash, as wait and describe print it."),
  switchFlag("allow-none", "An object that no connected proxy uses counts as live."),
  serverFlag,
  outputFlag(tableForms),
];

export const command: Command = {
  usage: "KIND/NAME [flags] | -f PATH [KIND/NAME] [flags]",
  flags,
  examples: [
    "wait VirtualService/reviews -n shop",
    "wait vs/reviews -n shop --timeout 30s -o json",
    "wait -f routes.yaml -n shop",
    "wait vs/reviews -n shop --for acked --proxies app=web --proxies namespace/shop",
    "wait vs/reviews -n shop --for deleted",
  ],
  problem: "a proxy rejects the object, or the time is over",
  async run(args, terminal) {
    const given = readFlags(args, flags, { expected: "KIND/NAME or -f PATH", atLeast: 0, atMost: 1 });
    const form = given.choice("output", tableForms);
    const options = optionsOf(given, terminal);
    const targets = await targetsOf(given, terminal);
    if (targets === undefined) return ExitCode.problem;
    const pages: ObjectProgressPage[] = [];
    for (const target of targets) pages.push(await awaitObject(target, options, terminal));
    if (isText(form)) for (const page of pages) terminal.print(waitText(page, form));
    else terminal.printData(inNotation(pages, form));
    const refused = await Promise.all(
      targets.map((target, index) => isRefused(target, pages[index], options, terminal)),
    );
    return pages.every(({ met }) => met) && !refused.includes(true) ? ExitCode.ok : ExitCode.problem;
  },
};

function optionsOf(given: ReadFlags, { clock }: Terminal) {
  const goal = given.choice("for", waitedGoals);
  const proxies = given.values("proxies");
  if (goal === "acked" && proxies.length === 0) throw new MeshError("bad-option", "--for acked: add --proxies");
  const timeoutMs = durationMs.parse([given.value("timeout")]);
  if (timeoutMs === undefined) {
    throw new MeshError("bad-option", `--timeout: expected ${durationMs.expected}, found ${given.value("timeout")}`);
  }
  const deadline = clock.now() + timeoutMs;
  return { server: given.value("server"), goal, proxies, allowNone: given.has("allow-none"), deadline };
}

async function targetsOf(given: ReadFlags, terminal: Terminal): Promise<readonly WaitTarget[] | undefined> {
  const namespace = given.value("namespace");
  const [word] = given.positionals;
  const named = word === undefined ? undefined : namedTarget(word, namespace);
  const paths = given.values("filename");
  const hash = given.value("content-hash");
  if (hash !== "" && (paths.length > 0 || named === undefined)) {
    throw new MeshError("bad-option", "--content-hash: give KIND/NAME, and no -f");
  }
  if (paths.length > 0) return await targetsIn(paths, { namespace, named }, terminal);
  if (named === undefined) throw new MeshError("bad-option", "expected KIND/NAME or -f PATH, found none");
  return [{ id: named, version: hash === "" ? undefined : hash }];
}

interface IssuesPage {
  readonly issues: readonly {
    readonly severity: string;
    readonly code: string;
    readonly object: string;
    readonly message: string;
    readonly reference: string;
    readonly path: string;
  }[];
}

/** Whether the newest version of the object is invalid. Then an earlier one may be live. Prints the reasons. */
async function isRefused(
  { id, version }: WaitTarget,
  page: ObjectProgressPage | undefined,
  { server, goal }: { readonly server: string; readonly goal: string },
  { complain }: Terminal,
): Promise<boolean> {
  const mayBeInvalid = page?.state === "unknown" || page?.state === "other content" || version === undefined;
  if (!mayBeInvalid || goal === "deleted") return false;
  const [kind = "", namespace = "", name = ""] = id.split("/");
  const object = objectText({ kind: kindNamed(kind), namespace, name });
  // Our own page, which names its format.
  const { issues } = (await fetchPage(server, "/debug/issues")) as IssuesPage;
  const errors = issues.filter(
    (issue) => issue.object === object && issue.severity === "error" && issue.code !== "no-effect",
  );
  for (const { reference, code, path, message } of errors) {
    complain(
      `${reference}: error ${code}: ${path === "" ? "" : `${path}: `}${message}; an earlier version may be live`,
    );
  }
  return errors.length > 0;
}
