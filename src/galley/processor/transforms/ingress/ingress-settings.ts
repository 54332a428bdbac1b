import { type MeshConfig, MeshConfig_IngressControllerMode as Mode } from "#gen/istio/mesh/v1alpha1/config_pb.js";

/** The parts of the mesh configuration that decide which Ingresses are ours and which workloads serve them. */
export interface IngressSettings {
  readonly mode: "off" | "strict" | "default";
  /** The value of the class annotation on our Ingresses. */
  readonly className: string;
  /** The value of the label `istio` on workloads that serve v1 Ingresses. */
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

/** Service and label usually have the same name, but not in a stock installation. */
function selectorOf({ ingressSelector, ingressService }: MeshConfig): string {
  if (ingressSelector !== "") return ingressSelector;
  return ingressService === "" || ingressService === defaultService ? "ingressgateway" : ingressService;
}
