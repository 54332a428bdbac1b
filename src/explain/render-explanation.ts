import type { ConfigId } from "../config/config.ts";
import type {
  ClusterShare,
  ClusterStep,
  ExplainedEndpoint,
  Explanation,
  ExplanationStep,
  PassedOver,
  RefusedObject,
  RequestOutcome,
} from "./explanation.ts";
import { percentText } from "./quantities.ts";
import { replacementText } from "./refused-object.ts";
import { wrap } from "./wrap.ts";

/** The place of an object, as `file:line`. */
type PlaceOf = (owner: ConfigId) => string | undefined;

/**
 * The explanation as text for terminals of 80 columns. First the outcome, then the decisions as a tree, each below the
 * one before.
 */
export function renderExplanation(explanation: Explanation, place: PlaceOf): string {
  const { steps, outcome, decidedBy, nearMisses = [], quarantined = [] } = explanation;
  const tree = steps.flatMap((step, index) => {
    const [heading, ...details] = step.type === "cluster" ? clusterTexts(step, place) : decisionTexts(step, place);
    const { stem, trunk } = branchOf(steps, index);
    return [...wrap(heading, stem, trunk), ...details.flatMap((text) => wrap(text, trunk))];
  });
  const near = firstFew(nearMisses.map(({ object, why }) => `${ownerText(object)}${placeText(place(object))} ${why}`));
  const misses = near.flatMap((text) => wrap(`near miss: ${text}`, "  "));
  const deciders = firstFew(
    decidedBy.map(({ object, part = "", reference = place(object) }) => {
      return `${ownerText(object)} ${part}`.trimEnd() + placeText(reference);
    }),
  );
  const decided = deciders.flatMap((text) => wrap(`decided by ${text}`, "  "));
  const refused = firstFew(quarantined.map(refusedText)).flatMap((text) => wrap(`quarantined: ${text}`, "  "));
  const facts = [...outcomeLines(outcome), ...decided, ...misses, ...refused];
  return [...facts, ...(tree.length === 0 ? [] : ["", ...tree])].join("\n");
}

function refusedText({ object, reference, since, instead, reason }: RefusedObject): string {
  const refused = `${ownerText(object)}${placeText(reference || undefined)} since ${since}`;
  return `${refused}; the proxy gets ${replacementText(instead)} instead: ${reason}`;
}

type Texts = readonly [heading: string, ...details: string[]];

function decisionTexts({ type, name, why, owners, notes, passedOver }: ExplanationStep, place: PlaceOf): Texts {
  // The owners of a widely shared resource say little about one request. The steps below name the few that matter.
  const behind = owners.length > 3 ? [`it is made from ${owners.length} objects`] : ownerTexts(owners, place);
  return [`${type} ${name}`, why, ...behind, ...notes, ...passedOverTexts(passedOver)];
}

function clusterTexts(step: ClusterStep, place: PlaceOf): Texts {
  const { name, share, owners, notes, passedOver, endpoints, problem } = step;
  return [
    `${share === 1 ? "" : `${percentText(share)} `}cluster ${name}`,
    ...ownerTexts(owners, place),
    ...notes,
    ...firstFew(endpoints.map(endpointText)),
    ...passedOverTexts(passedOver),
    // If endpoints fail, each one already reports its problem.
    ...(problem === undefined || endpoints.some((each) => each.problem !== undefined) ? [] : [`it ${problem}`]),
  ];
}

function endpointText({ address, transport, priority, problem }: ExplainedEndpoint): string {
  const fails = problem === undefined ? "" : ` ${problem}`;
  return `→ ${address} (${transport}${priority === 0 ? "" : `, priority ${priority}`})${fails}`;
}

function ownerTexts(owners: readonly ConfigId[], place: PlaceOf): readonly string[] {
  const texts = owners.map((owner) => `${ownerText(owner)}${placeText(place(owner))}`);
  return firstFew(texts, 2);
}

/** `VirtualService/shop/reviews` is written `VirtualService shop/reviews`. */
function ownerText(owner: ConfigId): string {
  return owner.replace("/", " ");
}

function placeText(place: string | undefined): string {
  return place === undefined ? "" : ` (${place})`;
}

function passedOverTexts(passedOver: readonly PassedOver[]): readonly string[] {
  return firstFew(passedOver.map(({ name, why }) => `not ${name}: ${why}`));
}

/** A long list is cut. The data has the whole list. */
function firstFew(texts: readonly string[], few = 4): readonly string[] {
  return texts.length <= few + 1 ? texts : [...texts.slice(0, few), `and ${texts.length - few} more`];
}

/** The prefix of a step's heading, and of the lines below it. Clusters are side by side. */
function branchOf(steps: readonly ExplanationStep[], index: number): { readonly stem: string; readonly trunk: string } {
  const firstCluster = steps.findIndex(({ type }) => type === "cluster");
  const depth = firstCluster === -1 ? index : Math.min(index, firstCluster);
  const isLast = index === steps.length - 1;
  const isLeaf = steps[index]?.type === "cluster" || isLast;
  const margin = "  ".repeat(Math.max(0, depth - 1));
  if (depth === 0) return { stem: "", trunk: isLeaf ? "  " : "│ " };
  const stem = `${margin}${isLeaf && !isLast ? "├ " : "└ "}`;
  return { stem, trunk: `${margin}${isLeaf && !isLast ? "│ " : "  "}${isLeaf ? "  " : "│ "}` };
}

function outcomeLines(outcome: RequestOutcome): readonly string[] {
  switch (outcome.type) {
    case "forwarded": {
      const [only, ...others] = outcome.targets;
      if (only !== undefined && others.length === 0) return wrap(`forwarded to ${only.cluster}`, "");
      return ["forwarded", ...outcome.targets.flatMap((target) => wrap(targetText(target), "  "))];
    }
    case "response":
      return wrap(`answered by the proxy with ${outcome.status}${outcome.body === "" ? "" : `: ${outcome.body}`}`, "");
    case "redirect":
      return wrap(`redirected with ${outcome.status} to ${outcome.location}`, "");
    case "refused": {
      const how = outcome.status === undefined ? "refused, the connection is closed" : `refused with ${outcome.status}`;
      const others = passedOverTexts(outcome.passedOver).flatMap((text) => wrap(text, "  "));
      return [...wrap(`${how}: ${outcome.reason}`, ""), ...others];
    }
    case "accepted":
      return wrap(`accepted: ${outcome.reason}`, "");
    case "unknown":
    default:
      return wrap(`unknown: ${outcome.reason}`, "");
  }
}

function targetText({ cluster, share, problem }: ClusterShare): string {
  return `${percentText(share)} to ${cluster}${problem === undefined ? "" : `, which ${problem}`}`;
}
