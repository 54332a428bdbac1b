import fc from "fast-check";
import { expect, test } from "vitest";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { meshConfig, policies, requests, trustDomains } from "../scenarios/authorization-truth/arbitraries.ts";
import { objectsFor, rootNamespace } from "../scenarios/authorization-truth/case.ts";
import { headersOf } from "../scenarios/authorization-truth/explained-case.ts";
import type { TruthRequest } from "../scenarios/authorization-truth/request.ts";
import { decide } from "../scenarios/authorization-truth/truth.ts";
import { openTable } from "./policy-table/open-table.ts";
import { answerTo } from "./policy-table/prove.ts";
import type { Call, Group } from "./policy-table/row.ts";
import { describeWith } from "./support/peers.ts";

const describeWithEnvoy = await describeWith("envoy");
const requestsPerCase = 5;
const mesh = { name: "truth", config: meshConfig };

function callOf(request: TruthRequest): Call {
  const { protocol, method, path, host, caller, sni, source } = request;
  const secure = caller === undefined ? {} : { as: `spiffe://${caller}`, tls: { sni, alpn: ["istio"] } };
  const http = protocol === "tcp" ? {} : { method, path, host, headers: headersOf(request) };
  return { protocol, from: source, ...http, ...secure };
}

describeWithEnvoy("random policies", () => {
  test(`mean to a real Envoy what they mean to people (seed ${seed})`, async () => {
    await using stack = new AsyncDisposableStack();
    const asked = fc.array(requests, { minLength: requestsPerCase, maxLength: requestsPerCase });
    const numRuns = Math.ceil(runs(150) / requestsPerCase);
    const cases = fc.sample(fc.tuple(policies, asked), { numRuns, seed }).map(([written, sent], index) => {
      const group: Group = { about: `case ${index}`, mesh, objects: (place) => objectsFor(written, place), rows: [] };
      return { group, written, sent };
    });
    const table = await openTable([{ groups: cases.map(({ group }) => group) }], stack);
    const counts = new Map<string, number>();
    const surprises: object[] = [];
    for (const { group, written, sent } of cases) {
      const open = table.groupOf(group);
      const { namespace, address } = open.place;
      const place = { namespace, rootNamespace, address, trustDomains };
      for (const request of sent) {
        const { allowed } = decide(written, request, place);
        const { outcome } = await answerTo(callOf(request), open, table);
        const expected = request.protocol === "tcp" ? (allowed ? "answered" : "closed") : allowed ? 200 : 403;
        counts.set(String(expected), (counts.get(String(expected)) ?? 0) + 1);
        if (outcome !== expected) surprises.push({ written, request, expected, outcome });
      }
    }
    process.stderr.write(`${JSON.stringify(Object.fromEntries(counts))}\n`);
    expect(surprises.slice(0, 2)).toEqual([]);
    expect([...counts.keys()].toSorted()).toEqual(["200", "403", "answered", "closed"]);
  });
});
