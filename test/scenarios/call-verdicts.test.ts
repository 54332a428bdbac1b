import fc from "fast-check";
import { expect, test } from "vitest";
import type { AuthorizationPolicy as IstioPolicy } from "#gen/istio/security/v1beta1/authorization_policy_pb.js";
import type { Config } from "../../src/config/config.ts";
import { policyReasons } from "../../src/desk/calls/policy-decision.ts";
import { decisionOf, type Verdict } from "../../src/desk/calls/verdict.ts";
import type { AuthorizationPolicy } from "../../src/pilot/model/policy/authorization-policy.ts";
import { authorizationPolicyOf } from "../../src/pilot/registry/policy/authorization-policy.ts";
import { configsIn } from "../../src/testing/config/configs-in.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { policies, requests, trustDomains } from "./authorization-truth/arbitraries.ts";
import { objectsFor, rootNamespace } from "./authorization-truth/case.ts";
import type { TruthPolicy } from "./authorization-truth/policy.ts";
import type { TruthRequest } from "./authorization-truth/request.ts";
import { decide } from "./authorization-truth/truth.ts";

const namespace = "app";
const place = { namespace, rootNamespace, address: "10.0.0.1", trustDomains };
const requestsPerCase = 40;

/** The policies of the workload, as the server reads them. */
function readPolicies(written: readonly TruthPolicy[]): readonly AuthorizationPolicy[] {
  const applied = written.filter(({ level }) => level !== "elsewhere");
  const objects = objectsFor(applied, { namespace, app: namespace });
  return configsIn(objects.map((object) => JSON.stringify(object)).join("\n---\n"))
    .filter(({ kind }) => kind === "AuthorizationPolicy")
    .map((config) => authorizationPolicyOf(config as Config<IstioPolicy>));
}

/** The verdict of the desk about all requests with the same caller, port and transport. */
function verdictOf(read: readonly AuthorizationPolicy[], { caller, port, protocol }: TruthRequest): Verdict {
  const isIdentified = caller !== undefined;
  const call = { namespace: caller?.split("/")[2] ?? "", isIdentified, trustDomains, port, carries: [protocol] };
  return decisionOf(policyReasons(read, call)).verdict;
}

test(`a verdict about a caller holds for each of its requests (seed ${seed})`, () => {
  const asked = fc.array(requests, { minLength: requestsPerCase, maxLength: requestsPerCase });
  const property = fc.property(policies, asked, (written, all) => {
    const read = readPolicies(written);
    const byCaller = Map.groupBy(all, ({ caller, port }) => `${caller} ${port}`);
    for (const group of byCaller.values()) {
      const [first] = group;
      if (first === undefined) continue;
      const verdict = verdictOf(read, first);
      if (verdict === "depends") continue;
      const wrong = group.filter((request) => decide(written, request, place).allowed !== (verdict === "allowed"));
      expect({ verdict, wrong }).toEqual({ verdict, wrong: [] });
    }
  });
  fc.assert(property, { numRuns: runs(60), seed });
});
