import { describe, expect, test } from "vitest";
import { codesOf } from "../../../testing/config/analysis-input.ts";
import { objectYaml } from "../../../testing/config/object-yaml.ts";

const telemetryOf = (spec: string) => objectYaml("telemetry.istio.io/v1", "Telemetry", `spec: { ${spec} }`);

describe("a telemetry", () => {
  test.each([
    ["has no provider for access logs", "accessLogging: [{}]", "", ["IST0157"]],
    ["has a provider for access logs", "accessLogging: [{ providers: [{ name: a }] }]", "", []],
    [
      "uses the default provider for access logs",
      "accessLogging: [{}]",
      "defaultProviders: { accessLogging: [a] }",
      [],
    ],
    ["disables access logs", "accessLogging: [{ disabled: true }]", "", []],
  ])("%s", (_, spec, mesh, codes) => {
    expect(codesOf("telemetry.ProviderAnalyzer", telemetryOf(spec), mesh)).toEqual(codes);
  });
});
