import fc from "fast-check";
import { expect, test } from "vitest";
import { explain, type ProxyConfig } from "../../src/explain/explain.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { MeshDir } from "../e2e/support/mesh-dir.ts";
import { meshConfig, policies, requests, singleFields, trustDomains } from "./authorization-truth/arbitraries.ts";
import { policyOf, rootNamespace } from "./authorization-truth/case.ts";
import { address, appOf, configsFor, simulatedRequest } from "./authorization-truth/explained-case.ts";
import type { TruthPolicy } from "./authorization-truth/policy.ts";
import type { TruthRequest } from "./authorization-truth/request.ts";
import { reasonOf, Tally } from "./authorization-truth/tally.ts";
import { decide } from "./authorization-truth/truth.ts";

/** Cases of one mesh, and requests to each of them. */
const casesPerMesh = 10;
const requestsPerCase = 12;
const requestsPerSingle = 5;

type Case = readonly [policies: readonly TruthPolicy[], requests: readonly TruthRequest[]];

/** So many pairs: first every value alone, always with the same requests, then random ones. */
function casesFor(pairs: number): readonly Case[] {
  const asked = fc.array(requests, { minLength: requestsPerCase, maxLength: requestsPerCase });
  const known = fc.sample(asked, { numRuns: singleFields.length, seed: 130 });
  const single = singleFields.map((policy, index): Case => [policy, (known[index] ?? []).slice(0, requestsPerSingle)]);
  const numRuns = Math.ceil((pairs - single.length * requestsPerSingle) / requestsPerCase);
  return [...single, ...fc.sample(fc.tuple(policies, asked), { numRuns, seed })];
}

/** The answer of explain for the generated filters: allowed or denied, and by which policies. */
function explained(config: ProxyConfig, request: TruthRequest, app: string) {
  const { outcome, decidedBy } = explain(config, simulatedRequest(request), { nowSeconds: 0 });
  const allowed = outcome.type === "forwarded" ? true : outcome.type === "refused" ? false : outcome.type;
  return { allowed, by: decidedBy.map(({ object }) => policyOf(object, app)) };
}

test(`explain agrees with the meaning of random policies, on the filters made from them (seed ${seed})`, async () => {
  using files = new MeshDir({ "mesh.yaml": JSON.stringify(meshConfig) });
  const tally = new Tally();
  const surprises: object[] = [];
  const all = casesFor(runs(2000));
  for (let start = 0; start < all.length; start += casesPerMesh) {
    const batch = all.slice(start, start + casesPerMesh);
    const configs = await configsFor(
      batch.map(([each]) => each),
      `${files.path}/mesh.yaml`,
    );
    for (const [index, [written, asked]] of batch.entries()) {
      const config = configs[index];
      for (const request of asked) if (config !== undefined) compare(written, request, { config, app: appOf(index) });
    }
  }
  function compare(
    written: readonly TruthPolicy[],
    request: TruthRequest,
    { config, app }: { config: ProxyConfig; app: string },
  ) {
    const place = { namespace: app, rootNamespace, address, trustDomains };
    const truth = decide(written, request, place, tally.witness);
    const said = explained(config, request, app);
    const denying = written.some(({ name, action }) => action === "DENY" && truth.by.includes(name));
    tally.add(`${request.protocol} ${truth.allowed ? "allowed" : "denied"}`);
    tally.add(reasonOf(truth.allowed, truth.by, denying));
    // Several policies may match, and Envoy names one of them. If none matches, any may be named.
    const eligible = truth.allowed || denying ? truth.by : written.map(({ name }) => name);
    const named = said.by.every((name) => eligible.includes(name)) && said.by.length > 0 === truth.by.length > 0;
    if (said.allowed !== truth.allowed || !named) surprises.push({ written, request, truth, said });
  }
  process.stderr.write(`${tally.text()}\n`);
  expect(surprises.slice(0, 2)).toEqual([]);
  expect(tally.shortfalls()).toEqual([]);
});
