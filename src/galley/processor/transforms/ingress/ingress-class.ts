import type { IngressClassSpec } from "#gen/k8s/networking/v1/ingress_class_pb.js";
import type { Config } from "../../../../config/config.ts";
import type { IngressSettings } from "./ingress-settings.ts";

export const classAnnotation = "kubernetes.io/ingress.class";
const controller = "istio.io/ingress-controller";

/** Whether an Ingress of an old API is ours. Only its annotation counts. */
export function hasOurAnnotation({ annotations }: Pick<Config, "annotations">, settings: IngressSettings): boolean {
  const { mode, className } = settings;
  const written = annotations[classAnnotation];
  if (mode === "off") return false;
  return written === undefined ? mode === "default" : written === className;
}

/**
 * Whether an Ingress of the v1 API is ours. The annotation decides first, then the named class, then the mode. A class
 * without an IngressClass object belongs to another controller.
 */
export function isOurs(
  ingress: Pick<Config, "annotations"> & { readonly spec: { readonly ingressClassName: string } },
  settings: IngressSettings,
  classes: { get(name: string): Config<IngressClassSpec> | undefined },
): boolean {
  const named = ingress.spec.ingressClassName;
  if (settings.mode === "off") return false;
  if (named === "" || ingress.annotations[classAnnotation] !== undefined) return hasOurAnnotation(ingress, settings);
  return classes.get(named)?.spec.controller === controller;
}
