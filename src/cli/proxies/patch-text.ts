import { counted } from "../../lib/counted.ts";

/** `/debug/envoyfilters`. */
export interface PatchPage {
  readonly patches: readonly PatchSummary[];
}

/** One patch of an EnvoyFilter. */
export interface PatchSummary {
  /** `Kind/namespace/name`. */
  readonly object: string;
  readonly reference: string;
  /** `configPatches[1]`. */
  readonly patch: string;
  readonly applyTo: string;
  readonly operation: string;
  readonly status: "matched" | "not matched" | "invalid";
  readonly proxies: { readonly matched: number; readonly notMatched: number; readonly invalid: number };
  readonly problems: readonly { readonly resource: string; readonly path: string; readonly reason: string }[];
}

/** Why a patch has no effect, in one sentence. */
export function patchProblem({ patch, applyTo, operation, status, proxies, problems }: PatchSummary): string {
  const what = `${patch} (${operation} of ${applyTo})`;
  const [problem] = problems;
  if (status === "invalid" && problem !== undefined) {
    const where = [problem.resource, problem.path].filter((text) => text !== "").join(", ");
    return `${what} is left out${where === "" ? "" : ` of ${where}`}: ${problem.reason}`;
  }
  const count = counted(proxies.notMatched, "proxy").replace("proxys", "proxies");
  return `${what} matches nothing at ${count}`;
}

/** A line for every patch that Envoy would refuse. */
export function refusedPatches({ patches }: PatchPage): readonly string[] {
  return patches
    .filter(({ status }) => status === "invalid")
    .map((patch) => `${patch.object} ${patch.reference}`.trimEnd().concat(`: ${patchProblem(patch)}`));
}
