import { optionTable } from "../../app/options/options.ts";
import { type Level, levels } from "../../config/analysis/message.ts";
import { messageTypes } from "../../config/analysis/messages.ts";
import { readSuppression, type Suppression } from "../../config/analysis/suppression.ts";
import { MeshError } from "../../lib/errors.ts";
import type { DocumentedFlag, Terminal } from "../command.ts";
import { watchFlag } from "../watch/watch-flag.ts";
import { switchFlag, valueFlag } from "./flag.ts";
import { meshFlags, readOptionFlags } from "./mesh-flags.ts";
import { notations, outputFlag } from "./notation.ts";
import { optionFlag } from "./option-flag.ts";
import type { ReadFlags } from "./read-flags.ts";

export const analysisNotations = [...notations, "sarif"] as const;

const kubeconfigFlag = optionFlag(optionTable.kubeconfig);

export const analysisFlags: readonly DocumentedFlag[] = [
  {
    ...valueFlag(
      "namespace",
      "NAME",
      "Shows only messages about this namespace. Objects without a namespace belong to it.",
    ),
    short: "n",
  },
  { ...switchFlag("all-namespaces", "Shows messages about every namespace, even with --namespace."), short: "A" },
  valueFlag("failure-threshold", levels.join("|"), "Lowest message level that makes the command fail.", "Error"),
  valueFlag("output-threshold", levels.join("|"), "Lowest message level that is shown.", "Info"),
  {
    ...valueFlag(
      "suppress",
      "CODE=OBJECT",
      'Hides these messages, for example "IST0102=Namespace legacy-*". May be repeated.',
    ),
    short: "S",
  },
  { ...switchFlag("list-analyzers", "Lists the analyzers and exits."), short: "L" },
  { ...switchFlag("verbose", "Shows skipped analyzers, and the missing kinds that each of them needs."), short: "v" },
  valueFlag(
    "server",
    "ADDR",
    "Shows the messages of a running server (its --http address) instead of analyzing anything here.",
  ),
  { ...watchFlag, doc: `${watchFlag.doc} Only with --server.` },
  kubeconfigFlag,
  ...meshFlags,
  outputFlag(analysisNotations),
];

/** The settings of an analysis. */
export interface AnalysisSettings {
  readonly defaultNamespace: string;
  /** Undefined for all namespaces. */
  readonly namespaces: readonly string[] | undefined;
  readonly failureThreshold: Level;
  readonly outputThreshold: Level;
  readonly suppressions: readonly Suppression[];
  /** How to reach the API server of kube:. */
  readonly kubeconfig: string | undefined;
}

/** Throws `bad-option`. A suppression of an unknown code only gives a warning, because the code may be an old one. */
export function readAnalysisFlags(given: ReadFlags, { complain, env }: Terminal): AnalysisSettings {
  const namespace = given.value("namespace");
  const suppressions = given.values("suppress").map(suppressionFrom);
  for (const { code } of suppressions) {
    if (!messageTypes.some((type) => type.code === code)) complain(`--suppress: there is no code ${code}`);
  }
  return {
    defaultNamespace: namespace === "" ? "default" : namespace,
    namespaces: namespace === "" || given.has("all-namespaces") ? undefined : [namespace],
    failureThreshold: levelFrom("failure-threshold", given),
    outputThreshold: levelFrom("output-threshold", given),
    suppressions,
    kubeconfig: readOptionFlags(given, [kubeconfigFlag], { env }).kubeconfig,
  };
}

/** Ignores case, and accepts `warn` as older versions of istioctl do. */
function levelFrom(name: string, given: ReadFlags): Level {
  const wanted = given.value(name).toLowerCase();
  const level = levels.find((each) => each.toLowerCase() === wanted || (each === "Warning" && wanted === "warn"));
  return level ?? given.choice(name, levels);
}

function suppressionFrom(text: string): Suppression {
  const suppression = readSuppression(text);
  if (suppression !== undefined) return suppression;
  throw new MeshError("bad-option", `--suppress: expected CODE=OBJECT, found ${JSON.stringify(text)}`);
}
