import type { ProxyConfig } from "../../../../src/explain/explain.ts";
import { startBinnacle } from "../binnacle/server.ts";
import { freePort } from "../free-port.ts";
import { configOf } from "../xds/held-config.ts";
import { gatewayNode, sidecarNode } from "./bootstrap.ts";
import { startEnvoy } from "./envoy.ts";
import { gatewayYaml, openShop } from "./shop.ts";

/** A host below `example.com` with HTTP routes of its own. */
export interface Site {
  readonly host: string;
  readonly http: readonly object[];
}

/** A proxy that leads to the sites: where to call it, and what it was sent. */
interface Way {
  readonly port: number;
  readonly config: ProxyConfig;
}

/** Sites in front of the shop, reached through a gateway and through a sidecar, both real Envoys. */
export interface Sites extends AsyncDisposable {
  readonly gateway: Way;
  readonly sidecar: Way;
  /** The names of the shop's workloads, by `address:port`. */
  readonly names: ReadonlyMap<string, string>;
  /** The pages of the server. */
  readonly httpPort: number;
  /** Gives sites other routes. The proxies learn of it soon. */
  readonly write: (sites: readonly Site[]) => void;
}

export async function openSites(sites: readonly Site[]): Promise<Sites> {
  const stack = new AsyncDisposableStack();
  try {
    const sidecarPort = await freePort();
    const shop = stack.use(await openShop(""));
    shop.mesh.write("gateway.yaml", gatewayYaml(shop.port, "*.example.com"));
    shop.mesh.write("services.yaml", JSON.stringify(servicesOf(sites, sidecarPort)));
    const write = (all: readonly Site[]) => shop.mesh.write("sites.yaml", sitesYaml(all));
    write(sites);
    const { xdsPort, httpPort } = stack.use(await startBinnacle({ dir: shop.mesh.path }));
    const gateway = stack.use(await startEnvoy({ xdsPort, mode: "sotw" }));
    const sidecar = stack.use(await startEnvoy({ xdsPort, mode: "delta", node: sidecarNode }));
    await Promise.all([gateway.settled(), sidecar.settled()]);
    return {
      gateway: { port: shop.port, config: await configOf(gatewayNode, xdsPort, [`http.${shop.port}.127.0.0.1`]) },
      sidecar: { port: sidecarPort, config: await configOf(sidecarNode, xdsPort, [String(sidecarPort)]) },
      names: new Map(Object.values(shop.workloads).map(({ name, port }) => [`127.0.0.1:${port}`, name])),
      httpPort,
      write,
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (thrown) {
    await stack.disposeAsync();
    throw thrown;
  }
}

/** Sidecars route by the ports of services, so for them the sites are services too. */
function servicesOf(sites: readonly Site[], port: number): object {
  return {
    apiVersion: "networking.istio.io/v1",
    kind: "ServiceEntry",
    metadata: { name: "sites", namespace: "shop" },
    spec: {
      hosts: sites.map(({ host }) => host),
      location: "MESH_INTERNAL",
      resolution: "STATIC",
      ports: [{ number: port, name: "http", protocol: "HTTP" }],
      endpoints: [{ address: "127.0.0.1", ports: { http: 1 } }],
    },
  };
}

/** The VirtualServices of sites. */
export function sitesYaml(sites: readonly Site[]): string {
  return sites.map((site) => JSON.stringify(virtualServiceOf(site))).join("\n---\n");
}

function virtualServiceOf({ host, http }: Site): object {
  return {
    apiVersion: "networking.istio.io/v1",
    kind: "VirtualService",
    metadata: { name: host, namespace: "shop" },
    spec: { hosts: [host], gateways: ["istio-system/public", "mesh"], http },
  };
}
