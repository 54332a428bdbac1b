import type { DiscoveryService } from "./subject.ts";

/** How the resources of the outlines are called in a mesh, and which YAML makes them. */
interface Naming {
  readonly wireName: (letter: string) => string;
  readonly letter: (wireName: string) => string | undefined;
  /** Another version is another text, which changes this resource. */
  readonly yaml: (letter: string, version: string) => string;
}

/** `~` is a letter too. */
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ~";

const slug = (letter: string) => (letter === "~" ? "tilde" : letter.toLowerCase());
const index = (letter: string) => letters.indexOf(letter);

function byHost(kind: string, yaml: Naming["yaml"]): Naming {
  const found = new RegExp(`^outbound\\|80\\|\\|(.*)\\.${kind}\\.test$`);
  return {
    wireName: (letter) => `outbound|80||${slug(letter)}.${kind}.test`,
    letter: (wireName) => {
      const name = found.exec(wireName)?.[1];
      return name === "tilde" ? "~" : name?.toUpperCase();
    },
    yaml,
  };
}

function byPort(wire: (port: number) => string, first: number, yaml: Naming["yaml"]): Naming {
  const names = new Map(Array.from(letters, (letter) => [wire(first + index(letter)), letter]));
  return {
    wireName: (letter) => wire(letters.includes(letter) ? first + index(letter) : 1),
    letter: (wireName) => names.get(wireName),
    yaml,
  };
}

const object = (kind: string, name: string, spec: string) => `apiVersion: networking.istio.io/v1
kind: ${kind}
metadata: {name: ${name}, namespace: istio-system}
spec: ${spec}
---
`;

function serviceEntry(host: string, address: string): string {
  const ports = "[{number: 80, name: http, protocol: HTTP}]";
  const spec = `{hosts: [${host}], resolution: STATIC, ports: ${ports}, endpoints: [{address: ${address}}]}`;
  return object("ServiceEntry", host, spec);
}

function gateway(name: string, port: number, protocol: string): string {
  const server = `{port: {number: ${port}, name: p, protocol: ${protocol}}, hosts: ["*"]}`;
  return object("Gateway", name, `{selector: {app: gw}, servers: [${server}]}`);
}

const to = (host: string, weight: string) => `{destination: {host: ${host}, port: {number: 80}}, weight: ${weight}}`;

/** Everybody who is sent somewhere is sent here; the destinations are in every mesh. */
export const destinationsYaml =
  serviceEntry("destination.test", "10.9.9.9") + serviceEntry("elsewhere.test", "10.9.9.8");

const clusters = byHost("cds", (letter, version) => {
  const host = `${slug(letter)}.cds.test`;
  const timeout = `{connectionPool: {tcp: {connectTimeout: ${version}s}}}`;
  return serviceEntry(host, "10.0.0.1") + object("DestinationRule", host, `{host: ${host}, trafficPolicy: ${timeout}}`);
});

const endpoints = byHost("eds", (letter, version) => serviceEntry(`${slug(letter)}.eds.test`, `10.0.0.${version}`));

/** Behind a letter: the endpoints of the cluster of that letter. */
export const ofCluster = "+";

export const serveNames: Readonly<Record<DiscoveryService, Naming>> = {
  CDS: clusters,
  EDS: {
    wireName: (letter) =>
      letter.endsWith(ofCluster) ? clusters.wireName(letter.slice(0, -1)) : endpoints.wireName(letter),
    letter: (wireName) => {
      const cluster = clusters.letter(wireName);
      return cluster === undefined ? endpoints.letter(wireName) : `${cluster}${ofCluster}`;
    },
    yaml: endpoints.yaml,
  },
  LDS: byPort(
    (port) => `0.0.0.0_${port}`,
    9001,
    (letter, version) => {
      const name = `tcp-${slug(letter)}`;
      const weights = `[${to("destination.test", version)}, ${to("elsewhere.test", "90")}]`;
      const route = `{hosts: ["*"], gateways: [${name}], tcp: [{match: [{port: ${9001 + index(letter)}}], route: ${weights}}]}`;
      return gateway(name, 9001 + index(letter), "TCP") + object("VirtualService", name, route);
    },
  ),
  RDS: byPort(
    (port) => `http.${port}`,
    8001,
    (letter, version) => {
      const name = `http-${slug(letter)}`;
      const http = `[{timeout: ${version}s, route: [{destination: {host: destination.test}}]}]`;
      const route = `{hosts: ["*"], gateways: [${name}], http: ${http}}`;
      return gateway(name, 8001 + index(letter), "HTTP") + object("VirtualService", name, route);
    },
  ),
};
