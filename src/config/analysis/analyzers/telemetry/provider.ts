import { meshConfig } from "../../../kinds/mesh-config.ts";
import { telemetry } from "../../../kinds/telemetry.ts";
import type { Analyzer } from "../../analyzer.ts";
import { meshSettings } from "../../facts/mesh-settings.ts";
import { messages } from "../../messages.ts";

export const provider: Analyzer = {
  name: "telemetry.ProviderAnalyzer",
  description: "Access logs that nobody receives",
  inputs: [telemetry, meshConfig],
  analyze(context) {
    if ((meshSettings(context).defaultProviders?.accessLogging ?? []).length > 0) return;
    for (const config of context.all(telemetry)) {
      for (const [index, { providers, disabled }] of config.spec.accessLogging.entries()) {
        if (providers.length > 0 || disabled) continue;
        context.report(messages.invalidTelemetryProvider, { config, path: `spec.accessLogging[${index}]` });
      }
    }
  },
};
