import { memoize } from "../../lib/memo.ts";
import type { Conflict } from "../model/conflict.ts";
import { policyWorkloadOf } from "../model/policy/policy-workload.ts";
import { policyRefsFor, trafficPoliciesOf } from "../model/policy/traffic-policies.ts";
import { unservedByGrpc } from "../model/policy/unserved-policies.ts";
import { isProxyless, type Proxy } from "../model/proxy/proxy.ts";
import type { PushContext } from "../model/push-context.ts";
import { subsetConflicts } from "../model/traffic/subset-conflicts.ts";
import { type PartFamily, type PartInputs, partName, type Generator as ResourceGenerator } from "./generator.ts";

/**
 * Every conflict in the resources of these proxies, part by part. Each part takes a while in a large mesh, so a caller
 * without hurry can yield between parts. Shared parts are checked once.
 */
export function* conflictsAmong(
  proxies: Iterable<Proxy>,
  generators: readonly ResourceGenerator[],
  push: PushContext,
): Generator<readonly Conflict[]> {
  yield subsetConflicts(push);
  const seen = new Set<string>();
  const families = generators.flatMap(({ shortName, families: all }) =>
    all.map((family) => ({ family, type: shortName })),
  );
  for (const proxy of proxies) {
    if (isProxyless(proxy)) yield unservedByGrpc(policiesOf(proxy, push));
    for (const { family, type } of families) {
      if (family.conflicts === undefined) continue;
      for (const inputs of family.parts(proxy, push, "all")) {
        const key = `${type} ${partName(family, inputs)}`;
        if (seen.has(key)) continue;
        seen.add(key);
        yield conflictsOf([push, family], inputs);
      }
    }
  }
}

const conflictsOf = memoize(
  ([push, family]: readonly [PushContext, PartFamily], inputs: PartInputs): readonly Conflict[] =>
    family.conflicts?.(inputs, push) ?? [],
);

function policiesOf(proxy: Proxy, push: PushContext) {
  return trafficPoliciesOf(policyRefsFor(policyWorkloadOf(proxy, push), push), push);
}
