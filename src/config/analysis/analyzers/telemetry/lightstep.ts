import { meshConfig } from "../../../kinds/mesh-config.ts";
import { telemetry } from "../../../kinds/telemetry.ts";
import type { Analyzer } from "../../analyzer.ts";
import { meshSettings } from "../../facts/mesh-settings.ts";
import { messages } from "../../messages.ts";

export const lightstep: Analyzer = {
  name: "telemetry.LightstepAnalyzer",
  description: "Tracing by a provider of a type that Istio has removed",
  inputs: [telemetry, meshConfig],
  analyze(context) {
    const { extensionProviders } = meshSettings(context);
    const deprecated = new Set(
      extensionProviders.filter((each) => each.provider.case === "lightstep").map(({ name }) => name),
    );
    for (const config of context.all(telemetry)) {
      for (const [index, { providers }] of config.spec.tracing.entries()) {
        for (const [at, { name }] of providers.entries()) {
          if (!deprecated.has(name)) continue;
          const about = { config, path: `spec.tracing[${index}].providers[${at}]` };
          const what = `the provider ${name} is of the type lightstep, which is gone: use opentelemetry`;
          context.report(messages.deprecated, about, { what });
        }
      }
    }
  },
};
