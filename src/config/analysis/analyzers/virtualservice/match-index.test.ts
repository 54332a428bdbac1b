import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { HTTPMatchRequestSchema, VirtualServiceSchema } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { assert } from "../../../../lib/assert.ts";
import { inputFrom, inputOf } from "../../../../testing/config/analysis-input.ts";
import { functionCalls } from "../../../../testing/counting/function-calls.ts";
import { Random } from "../../../../testing/random/random.ts";
import { runs, seed } from "../../../../testing/random/seed.ts";
import { virtualService } from "../../../kinds/virtual-service.ts";
import { analyze } from "../../analyze.ts";
import { httpConditions, matchCovers } from "./match-conditions.ts";
import { MatchIndex } from "./match-index.ts";
import { unreachableRuleAnalyzer } from "./unreachable-rule.ts";

function oneOf(random: Random, ...values: readonly JsonValue[]): JsonValue {
  return random.pick(values);
}

/** Few words, so that many matches cover others. */
function randomMatch(random: Random): JsonValue {
  const text = () =>
    oneOf(random, { exact: "/a" }, { prefix: "/" }, { prefix: "/a" }, { exact: "/a/b" }, { regex: "/" });
  const entries = () => ({ [random.pick(["x", "y"])]: oneOf(random, { exact: "1" }, { prefix: "1" }, {}) });
  return {
    ...(random.once(2) && { uri: text() }),
    ...(random.once(4) && { method: oneOf(random, { exact: "GET" }, { exact: "PUT" }, {}) }),
    ...(random.once(4) && { headers: entries() }),
    ...(random.once(6) && { withoutHeaders: entries() }),
    ...(random.once(6) && { queryParams: entries() }),
    ...(random.once(6) && { sourceLabels: { app: random.pick(["a", "b"]) } }),
    ...(random.once(6) && { gateways: oneOf(random, ["mesh"], ["mesh", "edge"]) }),
    ...(random.once(6) && { port: random.pick([80, 81]) }),
    ...(random.once(6) && { sourceNamespace: random.pick(["a", "b"]) }),
    ...(random.once(9) && { ignoreUriCase: true }),
  };
}

test("the index finds the same earlier match as a comparison with every match", () => {
  const random = new Random(seed);
  let covered = 0;
  for (let run = runs(100); run > 0; run -= 1) {
    const matches = Array.from({ length: 30 }, () => fromJson(HTTPMatchRequestSchema, randomMatch(random)));
    const index = new MatchIndex(matches, { conditionsOf: httpConditions, covers: matchCovers });
    for (const [at, match] of matches.entries()) {
      const first = matches.slice(0, at).findIndex((earlier) => matchCovers(earlier, match));
      expect(index.find(match)?.rule).toBe(first === -1 ? undefined : `${first}`);
      if (first !== -1) covered += 1;
      index.add({ match, rule: `${at}` });
    }
  }
  expect(covered).toBeGreaterThan(100);
});

const [sample] = inputFrom([
  {
    file: "sample.yaml",
    text: "{apiVersion: networking.istio.io/v1, kind: VirtualService, metadata: {name: a}, spec: {hosts: [a.example.com]}}",
  },
]).all(virtualService);

/** One VirtualService whose rules all are of one form. */
async function callsFor(form: (index: number) => JsonValue, count: number, list: "http" | "tcp" | "tls") {
  assert(sample !== undefined, "the sample is right");
  const rules = Array.from({ length: count }, (_, index) => ({ match: [form(index)] }));
  const spec = fromJson(VirtualServiceSchema, { hosts: ["a.example.com"], [list]: rules });
  const input = inputOf([{ ...sample, spec }]);
  return await functionCalls(
    (url) => url.includes("/src/config/") || url.includes("/src/lib/equal"),
    () => analyze([unreachableRuleAnalyzer], input),
  );
}

test.each<readonly [string, "http" | "tcp" | "tls", (index: number) => JsonValue]>([
  ["for different paths", "http", (index) => ({ uri: { exact: `/${index}` } })],
  ["for prefixes of each other", "http", (index) => ({ uri: { prefix: `/${"a".repeat(index)}` }, port: index + 1 })],
  ["for prefixes of many lengths", "http", (index) => ({ uri: { prefix: `/${index}/${"a".repeat(index % 200)}` } })],
  [
    "for different values of one header",
    "http",
    (index) => ({ uri: { prefix: "/" }, headers: { x: { exact: `${index}` } } }),
  ],
  [
    "for combinations of common conditions",
    "http",
    (index) => ({
      sourceLabels: Object.fromEntries(["a", "b", "c", "d"].map((name, at) => [name, `${(index >> (3 * at)) % 8}`])),
    }),
  ],
  ["that are all the same", "http", () => ({ uri: { prefix: "/" } })],
  ["for different ports", "tcp", (index) => ({ port: index + 1 })],
  ["for different names", "tls", (index) => ({ sniHosts: [`h${index}.example.com`] })],
])("the work for a VirtualService grows with its matches %s", async (_, list, form) => {
  const small = await callsFor(form, 1000, list);
  const large = await callsFor(form, 4000, list);
  expect(large / small).toBeLessThan(5);
});
