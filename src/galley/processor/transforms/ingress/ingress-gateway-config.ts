import { type Gateway, ServerTLSSettings_TLSmode } from "#gen/istio/networking/v1alpha3/gateway_pb.js";
import type { IngressSpec } from "#gen/k8s/networking/v1/ingress_pb.js";
import type { Config } from "../../../../config/config.ts";
import { ingressGateway, ingressNamespace } from "../../../../config/mesh/ingress-gateway.ts";
import { gatewayConfig, tlsHosts } from "./generated-config.ts";

/** The name of an Ingress's gateway. Unlike the name for old Ingresses, it ends with the namespace. */
export function gatewayName({ name, namespace }: Pick<Config, "name" | "namespace">): string {
  return `${name}-${ingressGateway}-${namespace}`;
}

/** The gateway of an Ingress, for workloads whose label `istio` is `selector`: a server for each certificate, and port 80. */
export function gatewayOfIngress(ingress: Config<IngressSpec>, selector: string): Config<Gateway> {
  const { name, namespace } = ingress;
  const metadata = { ingress, namespace: ingressNamespace, name: gatewayName(ingress), labels: {}, annotations: {} };
  const plain = { port: { number: 80, protocol: "HTTP", name: `http-80-ingress-${name}-${namespace}` }, hosts: ["*"] };
  return gatewayConfig(metadata, { selector: { istio: selector }, servers: [...tlsServers(ingress), plain] });
}

/** Whether the gateway of this Ingress serves TLS. */
export function hasCertificates(ingress: Config<IngressSpec>): boolean {
  return tlsServers(ingress).length > 0;
}

/** A TLS block without a secret has no certificate, so it gets no server. */
function tlsServers({ name, namespace, spec }: Config<IngressSpec>) {
  const servers = spec.tls.map(({ hosts, secretName }, index) => ({
    port: { number: 443, protocol: "HTTPS", name: `https-443-ingress-${name}-${namespace}-${index}` },
    hosts: tlsHosts(hosts),
    tls: { mode: ServerTLSSettings_TLSmode.SIMPLE, credentialName: secretName },
  }));
  return servers.filter(({ hosts, tls }) => hosts.length > 0 && tls.credentialName !== "");
}
