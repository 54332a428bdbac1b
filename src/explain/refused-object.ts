import type { ReportedReplacement } from "../pilot/xds/quarantine/report.ts";
import type { Explanation, RefusedObject } from "./explanation.ts";

/**
 * The refused objects, first those whose earlier version is on the way of the request. The others may matter, too: the
 * refused version may serve a host that the earlier version does not serve.
 */
export function refusedOnTheWayFirst(
  { steps, decidedBy }: Pick<Explanation, "steps" | "decidedBy">,
  refused: readonly RefusedObject[],
): readonly RefusedObject[] {
  const onTheWay = new Set([...steps.flatMap(({ owners }) => owners), ...decidedBy.map(({ object }) => object)]);
  const [first, rest] = [true, false].map((wanted) => refused.filter(({ object }) => onTheWay.has(object) === wanted));
  return [...(first ?? []), ...(rest ?? [])];
}

/** The content that a proxy gets in place of a refused object. */
export function replacementText(instead: ReportedReplacement): string {
  switch (instead.type) {
    case "earlier version":
      return `earlier version ${instead.version}`.trimEnd();
    case "nothing":
      return "nothing";
    case "denied":
    default:
      return "a denial of all requests";
  }
}
