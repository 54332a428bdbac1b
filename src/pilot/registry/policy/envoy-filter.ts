import {
  EnvoyFilter_ApplyTo as ApplyTo,
  type EnvoyFilter_EnvoyConfigObjectPatch as ConfigPatch,
  type EnvoyFilter as IstioEnvoyFilter,
  EnvoyFilter_Patch_Operation as Operation,
  EnvoyFilter_PatchContext as PatchContext,
} from "#gen/istio/networking/v1alpha3/envoy_filter_pb.js";
import type { Config } from "../../../config/config.ts";
import type { EnvoyFilter } from "../../model/policy/envoy-filter.ts";
import type { EnvoyPatch, PatchOperation, PatchTarget } from "../../model/policy/envoy-patch.ts";
import { clusterMatchOf, listenerMatchOf, routeMatchOf } from "./envoy-match.ts";
import { selectorOf, workloadPolicyOf } from "./workload-policy.ts";

export function envoyFilterOf(config: Config<IstioEnvoyFilter>): EnvoyFilter {
  const { workloadSelector, targetRefs, priority, configPatches } = config.spec;
  const policy = workloadPolicyOf({ ...config, spec: { targetRefs } });
  return {
    ...policy,
    selector: selectorOf(workloadSelector?.labels ?? {}),
    priority,
    patches: configPatches.flatMap((patch, index) => patchOf(patch, { owner: policy.owner, index }) ?? []),
  };
}

/** Undefined for a patch without a target or an operation, which validation refuses. */
function patchOf(
  { applyTo, match, patch }: ConfigPatch,
  place: Pick<EnvoyPatch, "owner" | "index">,
): EnvoyPatch | undefined {
  const target = targetOf(applyTo);
  const operation = operationOf(patch?.operation ?? Operation.INVALID);
  if (target === undefined || operation === undefined) return undefined;
  const { context = PatchContext.ANY, proxy, objectTypes } = match ?? {};
  return {
    ...place,
    target,
    operation: insertable.has(target) || !operation.startsWith("INSERT_") ? operation : "ADD",
    context: PatchContext[context] as keyof typeof PatchContext,
    proxy: proxy === undefined ? undefined : { version: proxy.proxyVersion, metadata: proxy.metadata },
    cluster: objectTypes?.case === "cluster" ? clusterMatchOf(objectTypes.value) : undefined,
    listener: objectTypes?.case === "listener" ? listenerMatchOf(objectTypes.value) : undefined,
    route: objectTypes?.case === "routeConfiguration" ? routeMatchOf(objectTypes.value) : undefined,
    value: operation === "REMOVE" ? undefined : patch?.value,
  };
}

/** A position has a meaning only in these lists. Elsewhere an insertion is an ADD. */
const insertable: ReadonlySet<PatchTarget> = new Set([
  "LISTENER_FILTER",
  "NETWORK_FILTER",
  "HTTP_FILTER",
  "HTTP_ROUTE",
] as const);

function targetOf(applyTo: ApplyTo): PatchTarget | undefined {
  return applyTo === ApplyTo.INVALID ? undefined : (ApplyTo[applyTo] as PatchTarget | undefined);
}

function operationOf(operation: Operation): PatchOperation | undefined {
  return operation === Operation.INVALID ? undefined : (Operation[operation] as PatchOperation | undefined);
}
