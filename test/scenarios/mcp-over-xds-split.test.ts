import { expect, test } from "vitest";
import { wire } from "../../src/app/wire.ts";
import { configKey } from "../../src/config/config.ts";
import { Fleet } from "../../src/fleet/fleet.ts";
import { assert } from "../../src/lib/assert.ts";
import { mcpCollections } from "../../src/mcp/collections.ts";
import { YamlSource } from "../../src/testing/galley/yaml-source.ts";
import { until } from "../../src/testing/until.ts";
import { parseAddress } from "../../src/transport/listen-address.ts";
import { holdingOf } from "../e2e/support/xds/holdings.ts";
import { settled } from "./split/settled.ts";

type Process = ReturnType<typeof wire>;

const objects = `
apiVersion: v1
kind: Service
metadata: {name: reviews, namespace: shop}
spec: {clusterIP: 10.0.0.1, selector: {app: reviews}, ports: [{name: http, port: 80, targetPort: 9080}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: reviews-1, namespace: shop, labels: {kubernetes.io/service-name: reviews}}
addressType: IPv4
ports: [{name: http, port: 9080}]
endpoints: [{addresses: [10.1.0.1], conditions: {ready: true}}]
---
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: pay, namespace: shop, labels: {team: money}}
spec: {hosts: [pay.io], ports: [{number: 443, name: tls, protocol: TLS}], resolution: DNS}
---
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: reviews, namespace: shop}
spec: {hosts: [reviews], http: [{timeout: 3s, route: [{destination: {host: reviews, subset: v1}}]}]}
---
apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: reviews, namespace: shop}
spec: {host: reviews, subsets: [{name: v1, labels: {}}]}
---
apiVersion: security.istio.io/v1
kind: PeerAuthentication
metadata: {name: strict, namespace: shop}
spec: {mtls: {mode: STRICT}}
---
apiVersion: mesh.istio.io/v1alpha1
kind: MeshConfig
metadata: {name: mesh}
spec: {connectTimeout: 4s}
`;

const edits = [
  objects,
  objects.replace("timeout: 3s", "timeout: 5s"),
  objects.replace("10.1.0.1", "10.1.0.2").replace("pay.io", "cash.io"),
];

/** The delivered objects that travel over xDS. Kubernetes' own objects stay where they are. */
function told({ processor }: Process): readonly string[] {
  const travelling = mcpCollections.filter(({ name, kind }) => name.startsWith("binnacle/") || kind.builtIn !== true);
  return travelling
    .filter(({ name }) => !name.includes("/synthetic/"))
    .flatMap(({ name }) =>
      Array.from(
        processor.outputs.get(name)?.values() ?? [],
        (config) => `${name} ${configKey(config)} ${config.version}`,
      ),
    )
    .toSorted();
}

const steady = { rejects: false, bytesPerSecond: undefined, reconnectEveryMs: undefined, targets: undefined };
const members = (["delta", "sotw"] as const).map((mode) => ({
  ...steady,
  mode,
  node: {
    id: `sidecar~10.0.0.1~x-${mode}.shop~shop.svc.cluster.local`,
    cluster: "test",
    metadata: { NAMESPACE: "shop" },
  },
}));

/** The resources of new proxies, each with a hash of its bytes. */
async function served({ listeners }: Process) {
  const address = parseAddress(listeners.addresses.xds);
  assert(address?.type === "tcp", "an address");
  const fleet = new Fleet({ address, members, perSecond: undefined });
  fleet.start();
  try {
    await until(() => fleet.report.inSync === members.length);
    return fleet.proxies.map(holdingOf);
  } finally {
    fleet.stop();
  }
}

test.each(["delta=on", "delta=off"])(
  "a mesh that was read over xDS with %s serves the same bytes as its origin",
  async (query) => {
    const source = new YamlSource("memory:mesh");
    source.apply(objects);
    const origin = wire(...settled({}, source));
    await origin.lifecycle.start();
    const mirror = wire(...settled({ sources: [`xds://${origin.listeners.addresses.xds}?${query}`] }));
    await mirror.lifecycle.start();
    try {
      for (const yaml of edits) {
        source.apply(yaml);
        await until(() => told(mirror).join() === told(origin).join());
        await Promise.all([origin.discovery.idle(), mirror.discovery.idle()]);
        expect(await served(mirror)).toEqual(await served(origin));
      }
      expect(told(origin).filter((line) => line.startsWith("binnacle/services"))).toHaveLength(1);
    } finally {
      await mirror.lifecycle.stop();
      await origin.lifecycle.stop();
    }
  },
);
