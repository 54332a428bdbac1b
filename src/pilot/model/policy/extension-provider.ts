import type { ExtAuthzProvider } from "./ext-authz-provider.ts";
import type { TelemetryProvider } from "./telemetry-provider.ts";

/** A service outside of the proxies, or a file, that policies name: for authorization, access logs, traces, metrics. */
export type ExtensionProvider = ExtAuthzProvider | TelemetryProvider;
