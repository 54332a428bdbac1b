import type { IstioService } from "#gen/istio/mixer/v1/config/client/service_pb.js";
import { fieldPath } from "../../field-path.ts";
import { errorUnless, type Finding } from "../../finding.ts";
import { isDnsLabel } from "../../grammar/names.ts";
import { labelMap } from "../../rules/labels.ts";
import { someText } from "../../rules/text.ts";

/** Common fields of the kinds in config.istio.io. They belong to Mixer, which no longer exists. */
export const mixer = { group: "config.istio.io", versions: ["v1alpha2"], scope: "namespace" } as const;

export function mixerCollection(plural: string): string {
  return `k8s/config.istio.io/v1alpha2/${plural}`;
}

/** Checks the services that a spec is bound to, each by one of its names. */
export function boundServices(services: readonly IstioService[]): readonly Finding[] {
  return [
    ...errorUnless(services.length > 0, "spec.services", {
      code: "missing-value",
      message: "a binding needs a service",
    }),
    ...services.flatMap((service, index) => boundService(service, fieldPath("spec.services", index))),
  ];
}

function boundService({ name, service, namespace, labels }: IstioService, path: string): readonly Finding[] {
  return [
    ...errorUnless((name === "") !== (service === ""), path, {
      code: "conflicting-fields",
      message: "exactly one of name and service must be set",
    }),
    ...optionalNamespace(namespace, `${path}.namespace`),
    ...labelMap(labels, `${path}.labels`),
  ];
}

interface SpecReference {
  readonly name: string;
  readonly namespace: string;
}

/** Checks the specs of a binding, by name. */
export function boundSpecs(specs: readonly SpecReference[], path: string): readonly Finding[] {
  return [
    ...errorUnless(specs.length > 0, path, { code: "missing-value", message: "a binding needs a spec" }),
    ...specs.flatMap(({ name, namespace }, index) => [
      ...someText(name, fieldPath(path, index, "name"), "the name of a spec"),
      ...optionalNamespace(namespace, fieldPath(path, index, "namespace")),
    ]),
  ];
}

function optionalNamespace(namespace: string, path: string): readonly Finding[] {
  return errorUnless(namespace === "" || isDnsLabel(namespace), path, {
    code: "bad-namespace",
    message: `"${namespace}" cannot name a namespace`,
  });
}
