import { type ProviderRef, TelemetrySchema } from "#gen/istio/telemetry/v1alpha1/telemetry_pb.js";
import { fieldPath } from "../field-path.ts";
import type { Finding } from "../finding.ts";
import type { Kind } from "../kind.ts";
import { attachment } from "../rules/attachment.ts";
import { someText } from "../rules/text.ts";
import { metrics } from "./telemetry/metrics.ts";
import { tracing } from "./telemetry/tracing.ts";

export const telemetry: Kind<typeof TelemetrySchema> = {
  kind: "Telemetry",
  group: "telemetry.istio.io",
  versions: ["v1", "v1alpha1"],
  plural: "telemetries",
  scope: "namespace",
  collection: "k8s/telemetry.istio.io/v1alpha1/telemetries",
  schema: TelemetrySchema,
  validate: ({ spec }) => [
    ...attachment(spec),
    ...spec.metrics.flatMap((value, index) => metrics(value, fieldPath("spec.metrics", index))),
    ...spec.tracing.flatMap((value, index) => tracing(value, fieldPath("spec.tracing", index))),
    ...(["metrics", "tracing", "accessLogging"] as const).flatMap((part) =>
      spec[part].flatMap(({ providers }, index) => named(providers, fieldPath("spec", part, index, "providers"))),
    ),
  ],
};

function named(providers: readonly ProviderRef[], path: string): readonly Finding[] {
  return providers.flatMap(({ name }, index) =>
    someText(name, fieldPath(path, index, "name"), "the name of a provider"),
  );
}
