import { memoize, oncePer } from "../../lib/memo.ts";
import type { Conflict } from "../model/conflict.ts";
import { policyWorkloadOf } from "../model/policy/policy-workload.ts";
import { policyRefsFor, trafficPoliciesOf } from "../model/policy/traffic-policies.ts";
import { unservedByGrpc } from "../model/policy/unserved-policies.ts";
import { isProxyless, type Proxy } from "../model/proxy/proxy.ts";
import type { PushContext } from "../model/push-context.ts";
import { subsetConflicts } from "../model/traffic/subset-conflicts.ts";
import { partName, type Generator as ResourceGenerator } from "./generator.ts";
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
  const types = typesWithConflicts(generators).map((inputsOf) => ({ inputsOf, seen: new Set<string>() }));
  for (const proxy of proxies) {
    if (isProxyless(proxy)) yield unservedByGrpc(policiesOf(proxy, push));
    for (const { inputsOf, seen } of types) {
      for (const part of inputsOf.of(proxy, push, "all")) {
        const name = nameOf(part);
        if (seen.has(name)) continue;
        seen.add(name);
        yield conflictsOf([push, part]);
      }
    }
  }
}

/** The types with families that know conflicts, and the inputs of their parts as of the last search. */
const typesWithConflicts = oncePer((generators: readonly ResourceGenerator[]) =>
  generators.flatMap(({ families }) => {
    const known = families.filter((family) => family.conflicts !== undefined);
    return known.length === 0 ? [] : [new TypeInputs(known)];
  }),
);

/** Inputs that did not change are the same object, so their name is written and hashed once. It may be long. */
const nameOf = oncePer(({ family, inputs }: FamilyInputs) => partName(family, inputs));

const conflictsOf = memoize(
  ([push, { family, inputs }]: readonly [PushContext, FamilyInputs]): readonly Conflict[] =>
    family.conflicts?.(inputs, push) ?? [],
);

function policiesOf(proxy: Proxy, push: PushContext) {
  return trafficPoliciesOf(policyRefsFor(policyWorkloadOf(proxy, push), push), push);
}
