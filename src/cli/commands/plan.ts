import { systemClock } from "../../app/process/system-clock.ts";
import { MeshError } from "../../lib/errors.ts";
import { riskCodes, type Plan } from "../../plan/plan.ts";
import { type Command, type DocumentedFlag, ExitCode, type Terminal } from "../command.ts";
import { valueFlag } from "../flags/flag.ts";
import { meshFlags, readMeshFlags } from "../flags/mesh-flags.ts";
import { inNotation, outputFlag } from "../flags/notation.ts";
import { type ReadFlags, readFlags } from "../flags/read-flags.ts";
import { serverFlag } from "../flags/server-flag.ts";
import { withServerProgress } from "../mesh/with-server-progress.ts";
import { complainOfIssues, readWithProgress } from "../mesh/open-mesh.ts";
import { changedInputs, deletedId } from "../plan/changed-inputs.ts";
import { EnvoyJudge } from "../plan/envoy-judge.ts";
import { offlinePlan, type PlanSettings } from "../plan/offline-plan.ts";
import { askPlan, complainOfPlan, withPlaces } from "../plan/ask-plan.ts";
import { objectsToSend } from "../plan/sent-objects.ts";
import { planMarkdown } from "../plan/plan-markdown.ts";
import { planText } from "../plan/plan-text.ts";

const forms = ["text", "json", "yaml", "markdown"] as const;
const modes = ["delta", "sotw"] as const;
const failures = [...riskCodes, "any-risk", "requests", "conflicts", "proxies"] as const;

const flags: readonly DocumentedFlag[] = [
  valueFlag("against", "DIR", "The mesh before the change: a directory or a file of YAML."),
  {
    ...serverFlag,
    default: "",
    doc: "Plans for the proxies that are connected to the server with this --http address, in the place of --against.",
  },
  valueFlag("delete", "KIND/NAMESPACE/NAME", "An object that the change deletes. May be repeated."),
  valueFlag(
    "envoy",
    "PATH",
    "An Envoy on this machine that judges the new configuration of each group of proxies, in its validate mode. With --against.",
  ),
  valueFlag(
    "fail-on",
    "FINDING",
    `Exits with 1 if the plan has this. One of ${failures.join(", ")}. proxies: it touches one. requests: one goes elsewhere. conflicts: a new one. May be repeated.`,
  ),
  valueFlag("many-proxies", "PERCENT", "A change that touches a larger share of the proxies is a risk.", "50"),
  valueFlag("max-requests", "COUNT", "The most requests to derive from routes and to explain.", "2000"),
  valueFlag("mode", modes.join("|"), "Protocol of the proxies that the mesh probably has.", "delta"),
  ...meshFlags,
  outputFlag(forms),
];

export const command: Command = {
  usage: "DIR|DIFF|FILE|- --against DIR|--server ADDR [flags]",
  flags,
  examples: [
    "plan ./new-mesh --against ./mesh",
    "plan routes.yaml --against ./mesh --fail-on any-risk",
    "plan ./new-mesh --against ./mesh -o markdown",
    "plan - --against ./mesh --delete VirtualService/shop/reviews -o json",
    "plan ./new-mesh --against ./mesh --envoy /usr/local/bin/envoy --fail-on refused-by-envoy",
    "plan routes.yaml --server 127.0.0.1:8080 --fail-on policy-widened --fail-on last-endpoint",
  ],
  problem: "the plan has something that --fail-on names, or the mesh after the change has errors",
  async run(args, terminal) {
    const given = readFlags(args, flags, { expected: "DIR, DIFF, FILE or -", atLeast: 1, atMost: 1 });
    const form = given.choice("output", forms);
    const failOn = given.values("fail-on").map((word) => failureNamed(word));
    const { plan, code } = await (given.value("server") === ""
      ? plannedOffline(given, terminal)
      : plannedLive(given, terminal));
    if (plan === undefined) return ExitCode.problem;
    if (form === "text") terminal.print(planText(plan, terminal.coloured.print));
    else terminal.printData(form === "markdown" ? planMarkdown(plan) : inNotation(plan, form));
    return failOn.some((failure) => hasFailure(plan, failure)) ? ExitCode.problem : code;
  },
};

interface PlannedChange {
  /** Undefined if the objects have errors. */
  readonly plan: Plan | undefined;
  readonly code: ExitCode;
}

async function plannedOffline(given: ReadFlags, terminal: Terminal): Promise<PlannedChange> {
  const [path = ""] = given.positionals;
  const against = given.value("against");
  if (against === "") {
    throw new MeshError("bad-option", "--against DIR or --server ADDR is missing: the mesh before the change");
  }
  const settings = readMeshFlags(given, terminal);
  const deleted = new Set(given.values("delete").map(deletedId));
  const inputs = await changedInputs(path, against, terminal);
  const envoy = given.value("envoy");
  const judge = envoy === "" ? undefined : await EnvoyJudge.start(envoy, { now: () => systemClock.now() });
  const limits = { ...settingsIn(given), ...(judge && { askEnvoy: (bootstrap: Uint8Array) => judge.ask(bootstrap) }) };
  const { plan, after } = await readWithProgress(
    [path, against],
    () => offlinePlan(inputs, deleted, settings, limits),
    terminal,
  );
  // A changed object is read before its version in the mesh, and clashes with it.
  const issues = after.issues.filter((issue) => issue.code !== "name-clash");
  const code = complainOfIssues({ ...after, issues, textOf: inputs.textOf }, terminal);
  return { plan, code };
}

async function plannedLive(given: ReadFlags, terminal: Terminal): Promise<PlannedChange> {
  const server = given.value("server");
  for (const name of ["against", "envoy"]) {
    if (given.value(name) !== "") throw new MeshError("bad-option", `--${name}: not with --server`);
  }
  const { manyProxies, maxRequests } = settingsIn(given);
  const sent = await objectsToSend(given.positionals, terminal);
  const deleted = given.values("delete").map(deletedId);
  const request = { objects: sent.text, deleted, manyProxies: manyProxies * 100, maxRequests };
  const { issues, plan } = await withServerProgress(server, terminal, () => askPlan(server, request));
  complainOfPlan(issues, sent, terminal);
  return { plan: plan && withPlaces(plan, sent), code: ExitCode.ok };
}

function settingsIn(given: ReadFlags): PlanSettings {
  return {
    mode: given.choice("mode", modes),
    manyProxies: numberOf(given, "many-proxies") / 100,
    maxRequests: numberOf(given, "max-requests"),
  };
}

function numberOf(given: ReadFlags, name: string): number {
  const number = Number(given.value(name));
  if (Number.isFinite(number) && number >= 0) return number;
  throw new MeshError("bad-option", `--${name}: expected a number, found ${JSON.stringify(given.value(name))}`);
}

type Failure = (typeof failures)[number];

function failureNamed(word: string): Failure {
  const failure = failures.find((each) => each === word);
  if (failure !== undefined) return failure;
  throw new MeshError("bad-option", `--fail-on: expected one of ${failures.join(", ")}, found ${JSON.stringify(word)}`);
}

function hasFailure({ risks, requests, conflicts, proxies }: Plan, failure: Failure): boolean {
  if (failure === "any-risk") return risks.length > 0;
  if (failure === "requests") return requests.changes.length > 0;
  if (failure === "conflicts") return conflicts.some(({ change }) => change === "new");
  if (failure === "proxies") return proxies.touched > 0;
  return risks.some(({ code }) => code === failure);
}
