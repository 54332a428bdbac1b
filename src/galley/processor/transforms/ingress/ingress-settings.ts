import { type MeshConfig, MeshConfig_IngressControllerMode as Mode } from "#gen/istio/mesh/v1alpha1/config_pb.js";

/** What of the mesh configuration decides which Ingresses are ours, and who serves them. */
export interface IngressSettings {
  readonly mode: "off" | "strict" | "default";
  /** What the annotation of an Ingress of ours says. */
  readonly className: string;
  /** The value of the label `istio` of the workloads that serve today's Ingresses. */
  readonly selector: string;
}

const defaultService = "istio-ingressgateway";

export function ingressSettingsOf(mesh: MeshConfig): IngressSettings {
  return { mode: modeOf(mesh), className: mesh.ingressClass, selector: selectorOf(mesh) };
}

function modeOf({ ingressControllerMode }: MeshConfig): IngressSettings["mode"] {
  if (ingressControllerMode === Mode.STRICT) return "strict";
  return ingressControllerMode === Mode.DEFAULT ? "default" : "off";
}

/** Service and label are mostly called alike; those of a stock installation are not. */
function selectorOf({ ingressSelector, ingressService }: MeshConfig): string {
  if (ingressSelector !== "") return ingressSelector;
  return ingressService === "" || ingressService === defaultService ? "ingressgateway" : ingressService;
}
