import { memoize, oncePer } from "../../lib/memo.ts";
import type { Conflict } from "../model/conflict.ts";
import { policyWorkloadOf } from "../model/policy/policy-workload.ts";
import { policyRefsFor, trafficPoliciesOf } from "../model/policy/traffic-policies.ts";
import { unservedByGrpc } from "../model/policy/unserved-policies.ts";
import { isProxyless, type Proxy } from "../model/proxy/proxy.ts";
import type { PushContext } from "../model/push-context.ts";
import { subsetConflicts } from "../model/traffic/subset-conflicts.ts";
import { type PartFamily, type PartInputs, partName, type Generator as ResourceGenerator } from "./generator.ts";
import { type FamilyInputs, TypeInputs } from "./part-inputs.ts";

/**
 * Every conflict in the resources of these proxies, part by part. Each part takes a while in a large mesh, so a caller
 * without hurry can yield between parts. Shared parts are checked once. A search names only parts that are new since the
 * search before.
 */
export function* conflictsAmong(
  proxies: Iterable<Proxy>,
  generators: readonly ResourceGenerator[],
  push: PushContext,
): Generator<readonly Conflict[]> {
  yield subsetConflicts(push);
  const seen = new Set<string>();
  const types = typesWithConflicts(generators);
  for (const proxy of proxies) {
    if (isProxyless(proxy)) yield unservedByGrpc(policiesOf(proxy, push));
    for (const { type, inputsOf } of types) {
      for (const part of inputsOf.of(proxy, push, "all")) {
        const key = `${type} ${nameOf(part)}`;
        if (seen.has(key)) continue;
        seen.add(key);
        yield conflictsOf([push, part.family], part.inputs);
      }
    }
  }
}

/** The types with families that know conflicts, and the inputs of their parts as of the last search. */
const typesWithConflicts = oncePer((generators: readonly ResourceGenerator[]) =>
  generators.flatMap(({ shortName: type, families }) => {
    const known = families.filter((family) => family.conflicts !== undefined);
    return known.length === 0 ? [] : [{ type, inputsOf: new TypeInputs(known) }];
  }),
);

/** Inputs that did not change are the same object, so their name is written once. */
const nameOf = oncePer(({ family, inputs }: FamilyInputs) => partName(family, inputs));

const conflictsOf = memoize(
  ([push, family]: readonly [PushContext, PartFamily], inputs: PartInputs): readonly Conflict[] =>
    family.conflicts?.(inputs, push) ?? [],
);

function policiesOf(proxy: Proxy, push: PushContext) {
  return trafficPoliciesOf(policyRefsFor(policyWorkloadOf(proxy, push), push), push);
}
