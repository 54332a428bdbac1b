import type { JsonValue } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { fakeTelemetry } from "../../../testing/model/fake-telemetry.ts";
import type { WorkloadMode } from "../policy/telemetry.ts";
import { effectiveLogs } from "./effective-logs.ts";

/** The access logs of Telemetry objects, the mesh's first, for a mesh with the default provider `text`. */
function logsOf(levels: readonly JsonValue[], mode: WorkloadMode = "client", defaults: readonly string[] = ["text"]) {
  const telemetries = levels.map((accessLogging) => fakeTelemetry({ accessLogging }));
  return effectiveLogs(telemetries, defaults, mode).map(({ provider, disabled, filter }) =>
    [provider, ...(disabled ? ["disabled"] : []), ...(filter === undefined ? [] : [filter])].join(" "),
  );
}

const als = { providers: [{ name: "als" }] };
const errors = { filter: { expression: "response.code >= 400" } };
const fast = { filter: { expression: "duration < 1" } };

test.each<[title: string, levels: readonly JsonValue[], expected: readonly string[]]>([
  ["without Telemetry the default providers log", [], ["text"]],
  ["a Telemetry without access logs changes nothing", [[]], ["text"]],
  ["a Telemetry replaces the providers", [[als]], ["als"]],
  ["a rule without providers keeps them", [[{}]], ["text"]],
  ["a disabled rule disables the inherited providers", [[{ disabled: true }]], ["text disabled"]],
  ["a later Telemetry enables them again", [[{ disabled: true }], [{ disabled: false }]], ["text"]],
  ["a later Telemetry disables what an earlier one chose", [[als], [{ disabled: true }]], ["als disabled"]],
  ["providers of earlier objects are out of force", [[als], [{ providers: [{ name: "otel" }] }]], ["otel"]],
  [
    "providers of one object are all in force",
    [[als, { providers: [{ name: "otel" }], ...errors }]],
    ["als", "otel response.code >= 400"],
  ],
  ["a rule filters the providers that it names", [[{ ...als, ...errors }]], ["als response.code >= 400"]],
  ["the last filter of a provider counts", [[{ ...als, ...errors }], [{ ...als, ...fast }]], ["als duration < 1"]],
  ["a filter without providers has no effect, as in Istio", [[errors]], ["text"]],
  ["a later rule without a filter removes it", [[{ ...als, ...errors }], [als]], ["als"]],
])("%s", (_, levels, expected) => {
  expect(logsOf(levels)).toEqual(expected);
});

test("a rule may concern clients or servers alone", () => {
  const levels = [
    [
      { ...als, match: { mode: "SERVER" } },
      { disabled: true, match: { mode: "CLIENT" } },
    ],
  ];
  expect(logsOf(levels, "server")).toEqual(["als"]);
  // The rule for clients disables the providers of the rule before it, which clients do not have.
  expect(logsOf(levels, "client")).toEqual([]);
  expect(logsOf([[{ disabled: true, match: { mode: "CLIENT" } }]], "client")).toEqual(["text disabled"]);
  expect(logsOf([[{ disabled: true, match: { mode: "CLIENT" } }]], "server")).toEqual([]);
});

test("without providers there is nothing to disable", () => {
  expect(logsOf([[{ disabled: true }]], "client", [])).toEqual([]);
});
