import { hostname } from "node:os";
import { MeshError } from "../../lib/errors.ts";
import type { TelemetryOptions } from "../options/telemetry-options.ts";

/** Where telemetry goes, and who sends it. */
export interface OtlpSettings {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly metricsIntervalMs: number;
  /** Attributes of this process. */
  readonly resource: Readonly<Record<string, string>>;
}

/** Undefined if it is off. Throws `bad-option`, without the values of headers. */
export function otlpSettingsOf(options: TelemetryOptions, version: string): OtlpSettings | undefined {
  const { otlpEndpoint: endpoint, otlpTimeoutMs: timeoutMs, otlpMetricsIntervalMs: metricsIntervalMs } = options;
  if (endpoint === "off") return undefined;
  const given = pairsIn(options.otlpResource, "otlp-resource");
  const name = options.otlpServiceName || (given["service.name"] ?? "binnacle");
  const resource = {
    "service.version": version,
    "service.instance.id": `${hostname()}-${process.pid}`,
    "host.name": hostname(),
    "process.pid": String(process.pid),
    "process.runtime.name": "nodejs",
    "process.runtime.version": process.versions.node,
    ...given,
    "service.name": name,
  };
  return { endpoint, headers: headersIn(options.otlpHeaders), timeoutMs, metricsIntervalMs, resource };
}

/** Checked now: a header that cannot be sent would fail every request. */
function headersIn(text: string): Readonly<Record<string, string>> {
  const headers = pairsIn(text, "otlp-headers");
  for (const [name, value] of Object.entries(headers)) {
    try {
      void new Headers([[name, value]]);
    } catch {
      throw new MeshError(
        "bad-option",
        `--otlp-headers: ${JSON.stringify(name)} is no header, or its value is invalid`,
      );
    }
  }
  return headers;
}

/** `NAME=VALUE,…`, as the variables of OpenTelemetry have it. Errors do not show values: they may be secrets. */
function pairsIn(text: string, flag: string): Readonly<Record<string, string>> {
  const pairs = text.split(",").filter((pair) => pair.trim() !== "");
  return Object.fromEntries(
    pairs.map((pair, index) => {
      const [, name, value] = /^\s*([^=\s]+)\s*=(.*)$/su.exec(pair) ?? [];
      const decoded = value === undefined ? undefined : decode(value.trim());
      if (name === undefined || decoded === undefined) {
        throw new MeshError(
          "bad-option",
          `--${flag}: expected NAME=VALUE,…, but pair ${index + 1} is not of this form`,
        );
      }
      return [name, decoded];
    }),
  );
}

function decode(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
