import { optionTable } from "../../app/options/options.ts";
import { type Level, levels } from "../../config/analysis/message.ts";
import { messageTypes } from "../../config/analysis/messages.ts";
import { readSuppression, type Suppression } from "../../config/analysis/suppression.ts";
import { MeshError } from "../../lib/errors.ts";
import type { DocumentedFlag, Terminal } from "../command.ts";
import { meshFlags, readOptionFlags } from "./mesh-flags.ts";
import { optionFlag } from "./option-flag.ts";
import type { ReadFlags } from "./read-flags.ts";

export const notations = ["text", "json", "yaml", "sarif"] as const;

const kubeconfigFlag = optionFlag(optionTable.kubeconfig);

export const analysisFlags: readonly DocumentedFlag[] = [
  {
    name: "namespace",
    short: "n",
    type: "value",
    placeholder: "NAME",
    doc: "show only what is about this namespace; objects that name none are in it",
    default: "",
  },
  {
    name: "all-namespaces",
    short: "A",
    type: "switch",
    placeholder: "",
    doc: "show what is about any namespace, whatever --namespace says",
    default: "",
  },
  {
    name: "failure-threshold",
    type: "value",
    placeholder: levels.join("|"),
    doc: "the mildest level that makes the command fail",
    default: "Error",
  },
  {
    name: "output-threshold",
    type: "value",
    placeholder: levels.join("|"),
    doc: "the mildest level that is shown",
    default: "Info",
  },
  {
    name: "suppress",
    short: "S",
    type: "value",
    placeholder: "CODE=OBJECT",
    doc: 'messages to leave out, as in "IST0102=Namespace legacy-*"; may be repeated',
    default: "",
  },
  {
    name: "list-analyzers",
    short: "L",
    type: "switch",
    placeholder: "",
    doc: "say what can be looked for, and end",
    default: "",
  },
  {
    name: "server",
    type: "value",
    placeholder: "ADDR",
    doc: "ask a running server (its --http address) what it finds, instead of reading anything",
    default: "",
  },
  kubeconfigFlag,
  ...meshFlags,
  {
    name: "output",
    short: "o",
    type: "value",
    placeholder: notations.join("|"),
    doc: "the notation",
    default: "text",
  },
];

/** What somebody wants to know of an analysis. */
export interface AnalysisSettings {
  readonly defaultNamespace: string;
  /** Absent for all. */
  readonly namespaces: readonly string[] | undefined;
  readonly failureThreshold: Level;
  readonly outputThreshold: Level;
  readonly suppressions: readonly Suppression[];
  /** How to reach the API server of kube:. */
  readonly kubeconfig: string | undefined;
}

/** Throws `bad-option`. A suppression of a code that does not exist is only remarked upon: it may be an old one. */
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

/** In any case, and as the older istioctl has it: `warn`. */
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
