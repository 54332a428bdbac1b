import type { Gateway } from "#gen/istio/networking/v1alpha3/gateway_pb.js";
import { ServerTLSSettings_TLSmode } from "#gen/istio/networking/v1alpha3/gateway_pb.js";
import type { IngressSpec } from "#gen/k8s/extensions/v1beta1/ingress_pb.js";
import type { Config } from "../../../../config/config.ts";
import { ingressGateway, ingressNamespace } from "../../../../config/mesh/ingress-gateway.ts";
import { annotationsOf, gatewayConfig, tlsHosts } from "./generated-config.ts";

/** The mount path of the certificate in old gateway workloads, whichever secret an Ingress named. */
const certificates = "/etc/istio/ingress-certs";

/**
 * The gateway of an old Ingress. Its name omits the namespace, so `namesakes` is the number of Ingresses that share the
 * name.
 */
export function gatewayOfOldIngress(ingress: Config<IngressSpec>, namesakes: number): Config<Gateway> {
  const { name, namespace, labels, spec } = ingress;
  const unique = namesakes > 1 ? `${name}.${namespace}` : name;
  const metadata = {
    ingress,
    namespace: ingressNamespace,
    name: `${unique}-${ingressGateway}`,
    labels,
    annotations: annotationsOf(ingress),
  };
  const plain = { port: { number: 80, protocol: "HTTP", name: `http-80-i-${name}-${namespace}` }, hosts: ["*"] };
  return gatewayConfig(metadata, {
    selector: { istio: "ingress" },
    servers: [...tlsServers(name, namespace, spec), plain],
  });
}

/** Old gateways had one certificate, so there is one server, for the first block. */
function tlsServers(name: string, namespace: string, { tls: [first] }: IngressSpec) {
  const hosts = tlsHosts(first?.hosts ?? []);
  if (first === undefined || hosts.length === 0) return [];
  return [
    {
      port: { number: 443, protocol: "HTTPS", name: `https-443-i-${name}-${namespace}` },
      hosts,
      tls: {
        mode: ServerTLSSettings_TLSmode.SIMPLE,
        privateKey: `${certificates}/tls.key`,
        serverCertificate: `${certificates}/tls.crt`,
        caCertificates: `${certificates}/root-cert.pem`,
      },
    },
  ];
}
