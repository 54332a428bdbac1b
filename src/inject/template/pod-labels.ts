import { ownValue } from "../../lib/own-value.ts";
import type { Texts } from "../pod.ts";
import type { TemplateInput } from "./template-input.ts";

/** The labels that group the metrics and logs of all versions of a service. */
export function canonicalLabels({ labels, workload }: TemplateInput): Texts {
  const first = (...names: readonly string[]) => names.map((name) => ownValue(labels, name)).find((value) => value);
  const name = first("service.istio.io/canonical-name", "app.kubernetes.io/name", "app") ?? workload.name;
  const revision = first("service.istio.io/canonical-revision", "app.kubernetes.io/version", "version") ?? "latest";
  return {
    "service.istio.io/canonical-name": labelValue(name),
    "service.istio.io/canonical-revision": revision,
  };
}

/** A name of a workload may be longer than the value of a label. */
function labelValue(name: string): string {
  return name.slice(0, 63).replaceAll(/^[-_.]+|[-_.]+$/gu, "");
}

/** The annotations by which `kubectl` selects the application's container. */
export function defaultContainer({ annotations, applications: [first] }: TemplateInput): Texts {
  const names = ["kubectl.kubernetes.io/default-logs-container", "kubectl.kubernetes.io/default-container"];
  const absent = names.filter((name) => !Object.hasOwn(annotations, name));
  return first === undefined ? {} : Object.fromEntries(absent.map((name) => [name, first]));
}
