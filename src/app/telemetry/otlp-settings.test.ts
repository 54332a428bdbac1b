import { expect, test } from "vitest";
import { readOptions } from "../options/read-options.ts";
import { otlpSettingsOf } from "./otlp-settings.ts";

/** The settings of a server with these variables. */
function settingsOf(env: Readonly<Record<string, string>>) {
  return otlpSettingsOf(readOptions({ arguments: [], env, readFile: () => "" }), "1.2.3");
}

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };

test("telemetry is off by default, and a name or headers alone do not switch it on", () => {
  expect(settingsOf({})).toBeUndefined();
  expect(settingsOf({ OTEL_SERVICE_NAME: "x", OTEL_EXPORTER_OTLP_HEADERS: "a=b" })).toBeUndefined();
});

test("the variables of OpenTelemetry are read, and our own come first", () => {
  const settings = settingsOf({
    ...endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: "api-key=a%20b, other=c=d",
    OTEL_EXPORTER_OTLP_TIMEOUT: "2500",
    OTEL_METRIC_EXPORT_INTERVAL: "15000",
    OTEL_SERVICE_NAME: "mesh",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test,service.name=unused",
  });
  expect(settings).toMatchObject({
    endpoint: "http://collector:4318",
    headers: { "api-key": "a b", other: "c=d" },
    timeoutMs: 2_500,
    metricsIntervalMs: 15_000,
    resource: { "service.name": "mesh", "service.version": "1.2.3", "deployment.environment.name": "test" },
  });
  expect(settingsOf({ ...endpoint, BINNACLE_OTLP_ENDPOINT: "https://ours" })?.endpoint).toBe("https://ours");
  expect(settingsOf({ ...endpoint, BINNACLE_OTLP_ENDPOINT: "off" })).toBeUndefined();
});

test.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317" }, "expected an http: or https: URL"],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://user:password@collector" }, "without user, password"],
  [{ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, "expected one of http/protobuf"],
  [{ ...endpoint, OTEL_EXPORTER_OTLP_TIMEOUT: "0" }, "milliseconds above zero"],
])("%j is an error: %s", (env, message) => {
  expect(() => settingsOf(env)).toThrow(message);
});

test.each(["secret-value", "a=b,secret-value", "api-key=%zz", "a b=secret", "ключ=secret", "a=line\nsecret"])(
  "an error about the headers %j does not contain their values",
  (headers) => {
    const read = () => settingsOf({ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers });
    expect(read).toThrow("--otlp-headers");
    expect(read).not.toThrow(/secret|%zz/u);
  },
);
