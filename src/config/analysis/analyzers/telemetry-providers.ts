import { meshConfig } from "../../kinds/mesh-config.ts";
import { telemetry } from "../../kinds/telemetry.ts";
import type { AnalysisContext, Analyzer } from "../analyzer.ts";
import { currentMeshConfig } from "../facts/current-mesh-config.ts";
import { messages } from "../messages.ts";
import type { Reference } from "./references.ts";

export const telemetryProviderAnalyzer: Analyzer = {
  name: "telemetry.ProviderAnalyzer",
  description: "Access logs without a provider",
  inputs: [telemetry, meshConfig],
  analyze(context) {
    if ((currentMeshConfig(context).defaultProviders?.accessLogging ?? []).length > 0) return;
    for (const config of context.all(telemetry)) {
      for (const [index, { providers, disabled }] of config.spec.accessLogging.entries()) {
        if (providers.length > 0 || disabled) continue;
        context.report(messages.invalidTelemetryProvider, { config, path: `spec.accessLogging[${index}]` });
      }
    }
  },
};

export const lightstepAnalyzer: Analyzer = {
  name: "telemetry.LightstepAnalyzer",
  description: "Tracing providers of a type that Istio has removed",
  inputs: [telemetry, meshConfig],
  analyze(context) {
    const { extensionProviders } = currentMeshConfig(context);
    const deprecated = new Set(
      extensionProviders.filter((each) => each.provider.case === "lightstep").map(({ name }) => name),
    );
    for (const config of context.all(telemetry)) {
      for (const [index, { providers }] of config.spec.tracing.entries()) {
        for (const [at, { name }] of providers.entries()) {
          if (!deprecated.has(name)) continue;
          const about = { config, path: `spec.tracing[${index}].providers[${at}]` };
          const what = `the provider ${name} is of the type lightstep, which Istio removed: use opentelemetry`;
          context.report(messages.deprecated, about, { what });
        }
      }
    }
  },
};

export const providerReferenceAnalyzer: Analyzer = {
  name: "references.ProviderAnalyzer",
  description: "Providers that the mesh does not have",
  inputs: [meshConfig, telemetry],
  analyze(context) {
    const known = new Set(currentMeshConfig(context).extensionProviders.map(({ name }) => name));
    for (const { config, reference, path } of [...ofMesh(context), ...ofTelemetries(context)]) {
      if (known.has(reference)) continue;
      const instead = "it is ignored";
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
