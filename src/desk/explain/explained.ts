import type { Viewer } from "../../admin/viewer.ts";
import type { ConfigId, Origin } from "../../config/config.ts";
import type { Decider, Explanation, ExplanationStep, RequestOutcome } from "../../explain/explanation.ts";
import { namespaceOf } from "../../pilot/model/config-id.ts";
import { maySee } from "../api/endpoint.ts";
import type { ExplainedOutcome, ExplainedRequest, ExplainedStep } from "../api/model/explain.ts";
import type { Shortened } from "../api/model/listing.ts";
import type { ObjectPart } from "../api/model/object-link.ts";
import { firstLinks, linkTo } from "../api/object-links.ts";

const shownCandidates = 50;
const shownMisses = 20;

/** The reader of an explanation, and the places of its objects. */
export interface ExplanationReader {
  readonly viewer: Viewer;
  readonly originOf: (id: ConfigId) => Origin | undefined;
}

/** The explanation for the API: links to objects that the viewer may see, and bounded lists. */
export function explained(explanation: Explanation, reader: ExplanationReader): ExplainedRequest {
  const { steps, outcome, decidedBy, nearMisses = [] } = explanation;
  const misses = nearMisses.filter(({ object }) => isVisible(object, reader));
  return {
    outcome: outcomeOf(outcome),
    steps: steps.map((step) => stepOf(step, reader)),
    decidedBy: decidedBy.filter(({ object }) => isVisible(object, reader)).map((each) => partOf(each, reader)),
    nearMisses: shortened(
      misses.map(({ object, why }) => ({ object: linkTo(object, reader), why })),
      shownMisses,
    ),
  };
}

function isVisible(id: ConfigId, { viewer }: ExplanationReader): boolean {
  return maySee(viewer, namespaceOf(id));
}

function stepOf(step: ExplanationStep, reader: ExplanationReader): ExplainedStep {
  const { type, name, why, notes, passedOver, owners } = step;
  const common = {
    type,
    name,
    why,
    notes,
    passedOver: shortened(passedOver, shownCandidates),
    owners: firstLinks(owners, reader.viewer, reader),
  };
  if (step.type !== "cluster") return common;
  const { share, problem, endpoints } = step;
  return {
    ...common,
    share,
    ...(problem !== undefined && { problem }),
    endpoints: shortened(
      endpoints.map(({ status: _status, ...endpoint }) => endpoint),
      shownCandidates,
    ),
  };
}

function outcomeOf(outcome: RequestOutcome): ExplainedOutcome {
  if (outcome.type !== "refused") return outcome;
  const { passedOver: _candidates, ...refusal } = outcome;
  return refusal;
}

/** A policy names its rule, and the line of the rule is known. */
function partOf({ object, part, reference }: Decider, reader: ExplanationReader): ObjectPart {
  const link = linkTo(object, reader);
  const [, rule] = /^rule (?<rule>\d+)$/u.exec(part ?? "") ?? [];
  const place = rule === undefined ? undefined : reader.originOf(object)?.locate(`spec.rules[${rule}]`);
  const exact = place === undefined ? reference : `${place.file}:${place.line}`;
  return {
    object: exact === undefined || exact === "" ? link : { ...link, reference: exact },
    ...(part !== undefined && { part }),
  };
}

function shortened<T>(items: readonly T[], most: number): Shortened<T> {
  return { items: items.slice(0, most), total: items.length };
}
