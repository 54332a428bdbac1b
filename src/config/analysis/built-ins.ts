import {
  MeshConfig_IngressControllerMode as IngressMode,
  type MeshConfig,
} from "#gen/istio/mesh/v1alpha1/config_pb.js";
import type { Config } from "../config.ts";
import { pod, service } from "../kinds/kubernetes.ts";
import { meshConfig } from "../kinds/mesh-config.ts";
import { parseConfigs } from "../parse/parse.ts";
import type { AnalysisInputOptions } from "./analysis-input.ts";

/** Istio's own ingress gateway, as far as objects of users refer to it. */
const ingressGateway = `
apiVersion: v1
kind: Pod
metadata:
  name: istio-ingressgateway
  namespace: istio-system
  labels: { app: istio-ingressgateway, istio: ingressgateway }
spec:
  containers:
    - name: istio-proxy
      image: proxyv2
---
apiVersion: v1
kind: Service
metadata:
  name: istio-ingressgateway
  namespace: istio-system
  labels: { app: istio-ingressgateway, istio: ingressgateway }
spec:
  selector: { app: istio-ingressgateway, istio: ingressgateway }
  ports:
    - { name: status-port, port: 15021, protocol: TCP }
    - { name: http2, port: 80, protocol: TCP }
    - { name: http2-unprivileged, port: 8080, protocol: TCP }
    - { name: https, port: 443, protocol: TCP }
    - { name: https-unprivileged, port: 8443, protocol: TCP }
    - { name: tcp, port: 31400, protocol: TCP }
    - { name: tls, port: 15443, protocol: TCP }
`;

/** The objects that an analysis of files assumes in the cluster: those that Istio installs by default. */
export function builtIns(viewOf: AnalysisInputOptions["viewOf"]): readonly Config[] {
  const [mesh] = viewOf(meshConfig)?.values() ?? [];
  // The view of MeshConfig holds messages of its schema.
  const settings = mesh?.spec as MeshConfig | undefined;
  if (settings?.ingressControllerMode === IngressMode.OFF) return [];
  const name = "built-in";
  const context = { file: name, source: name, kinds: [pod, service], defaultNamespace: "" };
  return parseConfigs({ text: ingressGateway, ...context }).configs;
}
