/**
 * A mesh where every service has its own Gateway and VirtualService, all on one ingress with one certificate. Yields
 * three objects per service, as texts that are both YAML and JSON. Every second service claims the same host.
 */
export function* gatewayMesh(services: number): Generator<string> {
  for (let index = 0; index < services; index += 1) {
    for (const object of [service(index), gateway(index), virtualService(index)]) yield JSON.stringify(object);
  }
}

/** The labels of the ingress gateways of {@link gatewayMesh}. */
export const ingressLabels = { istio: "ingressgateway" };

function meta(index: number) {
  return { name: `app-${index}`, namespace: "crowd" };
}

function host(index: number): string {
  return index % 2 === 0 ? `app-${index}.example.com` : "shared.example.com";
}

function service(index: number): object {
  const spec = {
    hosts: [`app-${index}.internal`],
    ports: [{ number: 80, name: "http", protocol: "HTTP" }],
    resolution: "STATIC",
    endpoints: [{ address: "10.0.0.1" }],
  };
  return { apiVersion: "networking.istio.io/v1", kind: "ServiceEntry", metadata: meta(index), spec };
}

function gateway(index: number): object {
  const hosts = [host(index)];
  const tls = { mode: "SIMPLE", credentialName: "example-com" };
  const servers = [
    { port: { number: 80, name: "http", protocol: "HTTP" }, hosts },
    { port: { number: 443, name: "https", protocol: "HTTPS" }, hosts, tls },
  ];
  const spec = { selector: ingressLabels, servers };
  return { apiVersion: "networking.istio.io/v1", kind: "Gateway", metadata: meta(index), spec };
}

function virtualService(index: number): object {
  const http = [{ route: [{ destination: { host: `app-${index}.internal` } }] }];
  const spec = { hosts: [host(index)], gateways: [`app-${index}`], http };
  return { apiVersion: "networking.istio.io/v1", kind: "VirtualService", metadata: meta(index), spec };
}
