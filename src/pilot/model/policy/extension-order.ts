import { memoize } from "../../../lib/memo.ts";
import type { MeshSettings } from "../mesh-settings.ts";
import type { Extension, ExtensionPhase } from "./extension.ts";
import type { TrafficPolicies } from "./traffic-policies.ts";

/** Traffic of a workload, as extensions select it. */
export interface SelectedTraffic {
  readonly mode: "client" | "server";
  /** 0 for traffic to no known port; only selectors without ports match it. */
  readonly port: number;
}

/** The policies for some traffic of a workload: without the extensions that do not select it. */
export function policiesAt(policies: TrafficPolicies, traffic: SelectedTraffic): TrafficPolicies {
  if (policies.extensions.every((extension) => selects(extension, traffic))) return policies;
  return selectExtensions([policies], traffic);
}

const selectExtensions = memoize(
  ([policies]: readonly [TrafficPolicies], traffic: SelectedTraffic): TrafficPolicies => ({
    ...policies,
    extensions: policies.extensions.filter((extension) => selects(extension, traffic)),
  }),
);

function selects({ match }: Extension, { mode, port }: SelectedTraffic): boolean {
  if (match.length === 0) return true;
  return match.some((selector) => {
    if (selector.mode !== "any" && selector.mode !== mode) return false;
    return selector.ports.length === 0 || selector.ports.includes(port);
  });
}

/**
 * The extensions of a phase, in the order of their filters: the highest priority first. Among equals, those of the
 * workload's own namespace come before those of the root namespace, and older ones before younger ones.
 */
export function extensionsIn(
  phase: ExtensionPhase,
  { extensions }: TrafficPolicies,
  { rootNamespace }: Pick<MeshSettings, "rootNamespace">,
): readonly Extension[] {
  // The input has the oldest first in each namespace, and sorting is stable.
  return extensions
    .filter((extension) => extension.phase === phase)
    .toSorted((a, b) => rankOf(b) - rankOf(a) || isOf(a, rootNamespace) - isOf(b, rootNamespace));
}

/** Lower than any 32-bit priority when there is none. */
function rankOf({ priority }: Extension): number {
  return priority ?? -(2 ** 32);
}

function isOf({ namespace }: Extension, rootNamespace: string): number {
  return namespace === rootNamespace ? 1 : 0;
}
