import { describe, expect, test } from "vitest";
import { codesOf } from "../../../testing/config/analysis-input.ts";
import { objectYaml } from "../../../testing/config/object-yaml.ts";

const telemetryOf = (spec: string) => objectYaml("telemetry.istio.io/v1", "Telemetry", `spec: { ${spec} }`);

describe("a telemetry", () => {
  test.each([
    ["logs to nobody", "accessLogging: [{}]", "", ["IST0157"]],
    ["logs to a provider", "accessLogging: [{ providers: [{ name: a }] }]", "", []],
    ["logs to the default", "accessLogging: [{}]", "defaultProviders: { accessLogging: [a] }", []],
    ["does not log", "accessLogging: [{ disabled: true }]", "", []],
  ])("%s", (_, spec, mesh, codes) => {
    expect(codesOf("telemetry.ProviderAnalyzer", telemetryOf(spec), mesh)).toEqual(codes);
  });
});
