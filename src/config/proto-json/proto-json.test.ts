import { type DescMessage, toJson } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MeshConfigSchema } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { DestinationRuleSchema } from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import { VirtualServiceSchema } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { WorkloadEntrySchema } from "#gen/istio/networking/v1alpha3/workload_entry_pb.js";
import { runs, seed } from "../../testing/random/seed.ts";
import { checkAgainst, decode } from "./proto-json.ts";

const summary = (schema: DescMessage, raw: unknown): readonly string[] =>
  checkAgainst(schema, raw, "spec").map(({ code, path }) => `${code} ${path}`);

describe("checkAgainst", () => {
  test("all problems are reported, each with its path", () => {
    const raw = {
      hosts: "reviews",
      http: [
        { timeout: "soon", route: [{ weight: "eighty" }, { destination: { host: 80 }, weigth: 1 }] },
        { match: [{ uri: { exact: "/a", prefix: "/b" }, ignoreUriCase: "yes" }], retries: { attempts: 2.5 } },
      ],
    };
    expect(summary(VirtualServiceSchema, raw)).toEqual([
      "wrong-type spec.hosts",
      "bad-duration spec.http[0].timeout",
      "wrong-type spec.http[0].route[0].weight",
      "wrong-type spec.http[0].route[1].destination.host",
      "unknown-field spec.http[0].route[1].weigth",
      "conflicting-fields spec.http[1].match[0].uri.prefix",
      "wrong-type spec.http[1].match[0].ignoreUriCase",
      "wrong-type spec.http[1].retries.attempts",
    ]);
  });

  test.each([
    [{ weight: "eighty" }, 'expected a number, found "eighty"', undefined],
    [{ weight: -1 }, "must be at least 0, found -1", undefined],
    [{ weight: 2 ** 32 }, "must be at most 4294967295, found 4294967296", undefined],
    [{ weight: "080" }, 'expected a number, found "080"', undefined],
    [{ weight: 1.5 }, "expected a whole number, found 1.5", undefined],
    [{ weight: [1] }, "expected a number, found a list", undefined],
    [{ locality: 7 }, "expected text, found 7", 'put it in quotes: "7"'],
    [{ labels: ["a"] }, "expected a mapping, found a list", undefined],
    [{ ports: { http: "x" } }, 'expected a number, found "x"', undefined],
    [{ adress: "x" }, 'WorkloadEntry has no field "adress"', 'did you mean "address"?'],
    [{ somethingElse: 1 }, 'WorkloadEntry has no field "somethingElse"', undefined],
    ["x".repeat(100), `expected a mapping, found "${"x".repeat(39)}…`, undefined],
  ])("%j: %s", (raw, message, hint) => {
    expect(checkAgainst(WorkloadEntrySchema, raw, "spec").map((finding) => [finding.message, finding.hint])).toEqual([
      [message, hint],
    ]);
  });

  test("an unknown value of an enum comes with the allowed names", () => {
    const raw = { trafficPolicy: { loadBalancer: { simple: "round_robin" }, tls: { mode: 9 } } };
    expect(checkAgainst(DestinationRuleSchema, raw, "spec")).toMatchObject([
      { code: "unknown-value", path: "spec.trafficPolicy.loadBalancer.simple", hint: "did you mean ROUND_ROBIN?" },
      { message: "expected one of DISABLE, SIMPLE, MUTUAL, ISTIO_MUTUAL, found 9" },
    ]);
  });

  test("fields may be written in either spelling, but not in both", () => {
    expect(summary(VirtualServiceSchema, { export_to: ["*"] })).toEqual([]);
    expect(summary(VirtualServiceSchema, { exportTo: ["*"], export_to: ["."] })).toEqual([
      "conflicting-fields spec.export_to",
    ]);
  });

  test("null means absent, except as an element", () => {
    expect(summary(VirtualServiceSchema, { http: null, hosts: ["a"] })).toEqual([]);
    expect(summary(VirtualServiceSchema, { htpp: null, hosts: ["a"] })).toEqual(["unknown-field spec.htpp"]);
    expect(summary(VirtualServiceSchema, { hosts: [null] })).toEqual(["wrong-type spec.hosts[0]"]);
  });

  test("a field that was removed from Istio is a warning and has no effect", () => {
    const { message, findings } = decode(MeshConfigSchema, { mixerCheckServer: "x" }, { path: "" });
    expect(findings).toMatchObject([{ severity: "warning", code: "removed-field", path: "mixerCheckServer" }]);
    expect(message).toBeDefined();
  });
});

describe("decode", () => {
  test("durations may have Istio's notation", () => {
    const { message } = decode(VirtualServiceSchema, { http: [{ timeout: "1m30s" }] }, { path: "spec" });
    expect(message?.http[0]?.timeout).toMatchObject({ seconds: 90n, nanos: 0 });
  });

  test("wrappers, maps, enums by number, numbers as text", () => {
    const raw = {
      trafficPolicy: {
        outlierDetection: { consecutive5xxErrors: "7" },
        tls: { mode: 1 },
        loadBalancer: { localityLbSetting: { enabled: false, distribute: [{ from: "a", to: { "b/*": 100 } }] } },
      },
    };
    const { message, findings } = decode(DestinationRuleSchema, raw, { path: "spec" });
    expect(findings).toEqual([]);
    expect(message === undefined ? undefined : toJson(DestinationRuleSchema, message)).toEqual({
      trafficPolicy: {
        outlierDetection: { consecutive5xxErrors: 7 },
        tls: { mode: "SIMPLE" },
        loadBalancer: { localityLbSetting: { enabled: false, distribute: [{ from: "a", to: { "b/*": 100 } }] } },
      },
    });
  });

  test("an unknown field may be only a warning; the others are still read", () => {
    const raw = { hosts: ["reviews"], gatways: ["mesh"] };
    const { message, findings } = decode(VirtualServiceSchema, raw, { path: "spec", unknownFields: "warning" });
    expect(message?.hosts).toEqual(["reviews"]);
    expect(findings.map(({ severity, path }) => `${severity} ${path}`)).toEqual(["warning spec.gatways"]);
  });

  test("any input gives a message or an error, and never throws", () => {
    const key = fc.constantFrom("http", "hosts", "route", "match", "uri", "exact", "timeout", "weight", "headers", "x");
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom("5s", "*", "", 80, -1, 1.5, true, null, Number.NaN, 2 ** 60),
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(key, tie("tree"), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(tree, (raw) => {
        const { message, findings } = decode(VirtualServiceSchema, raw, { path: "spec" });
        expect(message === undefined).toBe(findings.some(({ severity }) => severity === "error"));
        expect(findings.map(({ code }) => code)).not.toContain("bad-value");
      }),
      { seed, numRuns: runs(1000) },
    );
  });
});
