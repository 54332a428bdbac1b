import type { JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { fakeTelemetry } from "../../../testing/model/fake-telemetry.ts";
import type { WorkloadMode } from "../policy/telemetry.ts";
import { effectiveTracing } from "./effective-tracing.ts";

function tracingOf(rules: readonly JsonObject[], mode: WorkloadMode = "client", defaults: readonly string[] = []) {
  return effectiveTracing([fakeTelemetry({ tracing: [...rules] })], defaults, mode);
}

const otel = { providers: [{ name: "otel" }] };

test("without rules and default providers the MeshConfig decides", () => {
  expect(tracingOf([])).toBeUndefined();
  expect(effectiveTracing([], [], "client")).toBeUndefined();
});

test("the first default provider receives traces, unless a rule names another", () => {
  expect(tracingOf([], "client", ["zipkin", "otel"])).toMatchObject({ provider: "zipkin", disabled: false });
  expect(tracingOf([otel], "client", ["zipkin"])).toMatchObject({ provider: "otel" });
  expect(tracingOf([otel, { randomSamplingPercentage: 5 }])).toMatchObject({ provider: "otel", sampling: 5 });
  expect(tracingOf([{ randomSamplingPercentage: 5 }])).toMatchObject({ provider: undefined });
});

test("unset fields keep the values of earlier rules", () => {
  const first = {
    ...otel,
    randomSamplingPercentage: 40,
    enableIstioTags: false,
    useRequestIdForTraceSampling: false,
    disableSpanReporting: true,
    disableContextPropagation: true,
    customTags: { a: { literal: { value: "1" } } },
  };
  const merged = {
    provider: "otel",
    disabled: true,
    sampling: 40,
    tags: [{ name: "a", type: "literal", value: "1" }],
    istioTags: false,
    samplesByRequestId: false,
    hidesContext: true,
  };
  expect(tracingOf([first, {}])).toEqual(merged);
  expect(tracingOf([first, { disableSpanReporting: false, randomSamplingPercentage: 0 }])).toEqual({
    ...merged,
    disabled: false,
    sampling: 0,
  });
});

function tags(name: string): JsonObject {
  return { customTags: { [name]: { formatter: { value: "%PROTOCOL%" } } } };
}

test("later tags replace all earlier ones", () => {
  expect(tracingOf([otel, tags("a"), tags("b")])).toMatchObject({
    tags: [{ name: "b", type: "format", format: "%PROTOCOL%" }],
  });
});

test("a rule may concern clients or servers alone", () => {
  const rules = [
    otel,
    { providers: [{ name: "sky" }], match: { mode: "CLIENT" } },
    { match: { mode: "SERVER" }, randomSamplingPercentage: 9 },
  ];
  expect(tracingOf(rules, "client")).toMatchObject({ provider: "sky", sampling: undefined });
  expect(tracingOf(rules, "server")).toMatchObject({ provider: "otel", sampling: 9 });
});
