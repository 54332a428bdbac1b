import { meshConfig } from "../../../kinds/mesh-config.ts";
import { telemetry } from "../../../kinds/telemetry.ts";
import type { AnalysisContext, Analyzer } from "../../analyzer.ts";
import { meshSettings } from "../../facts/mesh-settings.ts";
import { messages } from "../../messages.ts";
import type { Reference } from "./reference.ts";

export const providers: Analyzer = {
  name: "references.ProviderAnalyzer",
  description: "Providers that the mesh does not have",
  inputs: [meshConfig, telemetry],
  analyze(context) {
    const known = new Set(meshSettings(context).extensionProviders.map(({ name }) => name));
    for (const { config, reference, path } of [...ofMesh(context), ...ofTelemetries(context)]) {
      if (known.has(reference)) continue;
      const instead = "it is left out";
      context.report(messages.danglingReference, { config, path }, { what: "provider", reference, instead });
    }
  },
};

function ofMesh(context: AnalysisContext): readonly Reference[] {
  return context.all(meshConfig).flatMap((config) => {
    const { accessLogging = [], metrics = [], tracing = [] } = config.spec.defaultProviders ?? {};
    return Object.entries({ accessLogging, metrics, tracing }).flatMap(([use, names]) =>
      names.map((reference, index) => {
        return { config, reference, path: `spec.defaultProviders.${use}[${index}]` };
      }),
    );
  });
}

function ofTelemetries(context: AnalysisContext): readonly Reference[] {
  return context.all(telemetry).flatMap((config) => {
    const { accessLogging, metrics, tracing } = config.spec;
    return Object.entries({ accessLogging, metrics, tracing }).flatMap(([use, all]) =>
      all.flatMap((each, index) =>
        each.providers.map(({ name }, at) => {
          return { config, reference: name, path: `spec.${use}[${index}].providers[${at}].name` };
        }),
      ),
    );
  });
}
