import { isMapping } from "../lib/is-mapping.ts";
import { parseJson } from "../lib/parse-json.ts";
import { statusAnnotation } from "./names.ts";
import type { PodSpec, Texts } from "./pod.ts";

/** The parts that an injection added, as the annotation `sidecar.istio.io/status` lists them. */
export function statusOf(template: PodSpec, revision: string): string {
  return JSON.stringify({
    initContainers: names(template.initContainers),
    containers: names(template.containers),
    volumes: names(template.volumes),
    imagePullSecrets: names(template.imagePullSecrets),
    revision: revision || "default",
  });
}

function names(list: readonly { readonly name: string }[] = []): readonly string[] | null {
  return list.length === 0 ? null : list.map(({ name }) => name);
}

/** Whether this pod was injected before, by us or by another control plane. */
export function isInjected(annotations: Texts): boolean {
  return Object.hasOwn(annotations, statusAnnotation) && isMapping(parseJson(annotations[statusAnnotation] ?? ""));
}
