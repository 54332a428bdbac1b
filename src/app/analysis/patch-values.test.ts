import { expect, test } from "vitest";
import { analyze } from "../../config/analysis/analyze.ts";
import { inputFrom } from "../../testing/config/analysis-input.ts";
import { allAnalyzers } from "./patch-values.ts";

function messagesFor(written: string, value: object): readonly string[] {
  const [applyTo, operation = "MERGE"] = written.split(" ");
  const spec = { priority: 1, configPatches: [{ applyTo, patch: { operation, value } }] };
  const object = { apiVersion: "networking.istio.io/v1alpha3", kind: "EnvoyFilter", metadata: { name: "x" }, spec };
  const input = inputFrom([{ file: "x.yaml", text: JSON.stringify(object) }], { mesh: "", defaultNamespace: "shop" });
  return analyze(allAnalyzers, input)
    .messages.filter(({ type }) => type.code.startsWith("BIN"))
    .map(({ type, text, path }) => `${type.code} ${path} ${text}`);
}

const path = "spec.configPatches[0].patch.value";

test.each<readonly [string, string, object, readonly string[]]>([
  ["a good patch has no message", "CLUSTER", { connect_timeout: "1s" }, []],
  [
    "an unreadable value is an error",
    "CLUSTER",
    { circuit_breakers: { thresholds: [{ max_requests: "many" }] } },
    [`BIN0004 ${path} the patch has no effect: circuit_breakers.thresholds[0].max_requests: is not valid:`],
  ],
  [
    "an unknown field is a warning",
    "LISTENER",
    { tcp_backlog: 1 },
    [
      `BIN0005 ${path} a part of the patch has no effect: tcp_backlog: unknown field of envoy.config.listener.v3.Listener`,
    ],
  ],
  [
    "a bootstrap can only be merged",
    "BOOTSTRAP REPLACE",
    { stats_flush_interval: "1s" },
    [`BIN0004 ${path} the patch has no effect: a bootstrap can only be merged`],
  ],
  ["a merged bootstrap has no message", "BOOTSTRAP", { stats_flush_interval: "1s" }, []],
])("%s", (_name, applyTo, value, expected) => {
  const found = messagesFor(applyTo, value);
  expect(found).toHaveLength(expected.length);
  for (const [index, text] of expected.entries()) expect(found[index]).toContain(text);
});
