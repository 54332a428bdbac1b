/** Names that Istio's tools and documents use for the parts of an injected pod. */
export const proxyContainer = "istio-proxy";
export const initContainer = "istio-init";
export const validationContainer = "istio-validation";

export const statusAnnotation = "sidecar.istio.io/status";
export const overridesAnnotation = "proxy.istio.io/overrides";
export const configAnnotation = "proxy.istio.io/config";
export const templatesAnnotation = "inject.istio.io/templates";
export const injectLabel = "sidecar.istio.io/inject";
export const revisionLabel = "istio.io/rev";
export const networkLabel = "topology.istio.io/network";
