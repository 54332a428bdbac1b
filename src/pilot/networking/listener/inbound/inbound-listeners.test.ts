import { describe, expect, test } from "vitest";
import { configId } from "../../../../config/config.ts";
import { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { decodedResource } from "../../../../testing/envoy/decoded-resource.ts";
import { fileCertificates } from "../../../../testing/model/fake-cluster-client.ts";
import { fakeServerTls } from "../../../../testing/model/fake-gateway.ts";
import { stockListenerClient } from "../../../../testing/model/fake-listener-client.ts";
import { fakeService } from "../../../../testing/model/fake-service.ts";
import { noPolicies } from "../../../../testing/model/no-policies.ts";
import { defaultMeshSettings } from "../../../model/mesh-settings.ts";
import type { MtlsPolicy } from "../../../model/mtls/mtls-policy.ts";
import { defaultListenerSettings, type ListenerSettings } from "../listener-settings.ts";
import type { InboundClient } from "./inbound-client.ts";
import { buildInbound } from "./inbound-listeners.ts";
import type { InboundPort } from "./inbound-ports.ts";

const writer = new ProtoWriter();
const mesh = defaultMeshSettings;

const client: InboundClient = {
  ...stockListenerClient,
  certificates: { type: "agent" },
  ownAddress: "10.0.0.5",
};

const port: InboundPort = {
  number: 8080,
  protocol: "HTTP",
  bind: "0.0.0.0",
  bound: false,
  hostname: "cart.shop",
  servicePort: 80,
  config: undefined,
  services: [],
  source: fakeService(),
  owner: configId("ServiceEntry", "shop", "cart"),
};

const everybody: MtlsPolicy = { mode: "permissive", ports: new Map(), owners: [] };

function build(ports: readonly InboundPort[], changes: Partial<InboundClient> = {}, policy = everybody) {
  return buildInbound({ ports, policy }, { client: { ...client, ...changes }, mesh, policies: noPolicies }, writer);
}

function listeners(ports: readonly InboundPort[], changes: Partial<InboundClient> = {}, policy = everybody) {
  return new Map(build(ports, changes, policy).map((resource) => [resource.name, decodedResource(resource)]));
}

/** How many chains try again what the workload has not seen. */
function retriesIn(ports: readonly InboundPort[]): number {
  return JSON.stringify(listeners(ports).get("virtualInbound")).split("reset-before-request").length - 1;
}

describe("the virtual inbound listener", () => {
  test("has a chain against loops, then chains for unknown ports, then chains of its ports", () => {
    expect(listeners([port]).get("virtualInbound")).toMatchObject({
      filterChains: [
        { name: "virtualInbound-blackhole", filterChainMatch: { destinationPort: 15_006 } },
        { name: "virtualInbound-catchall-http", filterChainMatch: { transportProtocol: "tls" } },
        { name: "virtualInbound-catchall-http", filterChainMatch: { transportProtocol: "raw_buffer" } },
        { name: "virtualInbound", filterChainMatch: { transportProtocol: "tls" } },
        { name: "virtualInbound", filterChainMatch: { transportProtocol: "raw_buffer" } },
        { name: "virtualInbound", filterChainMatch: { transportProtocol: "tls" } },
        { name: "0.0.0.0_8080", filterChainMatch: { destinationPort: 8080, transportProtocol: "tls" } },
        { name: "0.0.0.0_8080", filterChainMatch: { destinationPort: 8080, transportProtocol: "raw_buffer" } },
      ],
      listenerFilters: [{ name: "envoy.filters.listener.original_dst" }, {}, {}],
    });
  });

  test("accepts only plain text if the proxy has no certificates", () => {
    const json = JSON.stringify(listeners([port], { certificates: { type: "none" } }).get("virtualInbound"));
    expect(json).not.toContain("transportSocket");
    expect(json).not.toContain("tls");
  });

  test("terminates TLS with certificates in files without SDS", () => {
    const json = JSON.stringify(listeners([port], { certificates: fileCertificates }).get("virtualInbound"));
    expect(json).toContain("/certs/chain.pem");
    expect(json).not.toContain("sds");
  });

  test("is transparent if redirection keeps source addresses", () => {
    expect(listeners([], { interception: "tproxy" }).get("virtualInbound")).toMatchObject({
      transparent: true,
      listenerFilters: [
        { name: "envoy.filters.listener.original_dst" },
        { name: "envoy.filters.listener.original_src", typedConfig: { mark: 1337 } },
        {},
        {},
      ],
    });
  });

  test("does not retry gRPC calls, because their clients do", () => {
    // In both catch-alls, and in both chains of the port.
    expect(retriesIn([{ ...port, protocol: "HTTP2" }])).toBe(4);
    expect(retriesIn([{ ...port, protocol: "GRPC" }])).toBe(2);
  });

  test("has the services of its ports as owners", () => {
    expect(build([port]).map(({ owners }) => owners)).toEqual([[port.owner]]);
  });
});

function asking(changes: Partial<ListenerSettings>) {
  return { settings: { ...defaultListenerSettings, ...changes } };
}

describe("proxy settings", () => {
  test("balance connections exactly, and bind both families", () => {
    const balances = { inbound: true, outbound: false };
    expect(listeners([port], asking({ balances, dualStack: true })).get("virtualInbound")).toMatchObject({
      connectionBalanceConfig: { exactBalance: {} },
      additionalAddresses: [{ address: { socketAddress: { address: "::", portValue: 15_006 } } }],
    });
  });

  test("enable HTTP/1.0, also with protocol detection", () => {
    const json = JSON.stringify(listeners([port], asking({ http10: true })).get("virtualInbound"));
    expect(json).toContain('["http/1.0","http/1.1","h2c"]');
    expect(json.split('"acceptHttp10":true').length - 1).toBe(4);
  });

  test("close idle connections", () => {
    const tcp = { ...port, protocol: "TCP" } as const;
    const json = JSON.stringify(listeners([tcp], asking({ idleTimeoutMs: 1000 })).get("virtualInbound"));
    expect(json.split('"idleTimeout":"1s"').length - 1).toBe(8);
  });
});

describe("the mTLS policy of a workload", () => {
  const strict: MtlsPolicy = {
    mode: "strict",
    ports: new Map([
      [8080, "permissive"],
      [9999, "disable"],
    ]),
    owners: [configId("PeerAuthentication", "shop", "default")],
  };

  test("applies to each of its ports, to listed ports without a service, and to all others", () => {
    expect(listeners([port, { ...port, number: 8081 }], {}, strict).get("virtualInbound")).toMatchObject({
      filterChains: [
        { name: "virtualInbound-blackhole" },
        { name: "virtualInbound-catchall-http", filterChainMatch: { transportProtocol: "tls" } },
        { name: "virtualInbound", filterChainMatch: { transportProtocol: "tls" } },
        {
          name: "virtualInbound-catchall-http",
          filterChainMatch: { destinationPort: 9999, transportProtocol: "raw_buffer" },
        },
        { name: "virtualInbound", filterChainMatch: { destinationPort: 9999, transportProtocol: "raw_buffer" } },
        { name: "0.0.0.0_8080", filterChainMatch: { destinationPort: 8080, transportProtocol: "tls" } },
        { name: "0.0.0.0_8080", filterChainMatch: { destinationPort: 8080, transportProtocol: "raw_buffer" } },
        { name: "0.0.0.0_8081", filterChainMatch: { destinationPort: 8081, transportProtocol: "tls" } },
      ],
    });
  });

  test("refuses all connections where it requires mTLS and the proxy has no certificates", () => {
    const none = { certificates: { type: "none" } } as const;
    const bound = { ...port, number: 8081, bind: "127.0.1.5", bound: true };
    const all = listeners([{ ...port, number: 8082 }, bound], none, { ...strict, ports: new Map() });
    expect([...all.keys()]).toEqual(["virtualInbound"]);
    expect(all.get("virtualInbound")).toMatchObject({ filterChains: [{ name: "virtualInbound-blackhole" }] });
  });

  test("makes the policies owners of the listeners", () => {
    const owners = build([port], {}, strict).map((resource) => resource.owners);
    expect(owners).toEqual([[...strict.owners, port.owner]]);
  });
});

describe("a port that the proxy binds itself", () => {
  const bound = { ...port, bind: "127.0.1.5", bound: true };

  test("has its own listener, and no chain in the other", () => {
    const all = listeners([bound]);
    expect([...all.keys()]).toEqual(["virtualInbound", "127.0.1.5_8080"]);
    expect(JSON.stringify(all.get("virtualInbound"))).not.toContain("127.0.1.5");
  });

  test("is the only listener without redirection", () => {
    const all = listeners([bound], { interception: "none", certificates: { type: "none" } });
    expect([...all.keys()]).toEqual(["127.0.1.5_8080"]);
    const listener = all.get("127.0.1.5_8080");
    expect(listener).toMatchObject({
      filterChains: [{ name: "127.0.1.5_8080", filterChainMatch: { destinationPort: 8080 } }],
      trafficDirection: "INBOUND",
    });
    expect(listener).not.toHaveProperty("listenerFilters");
  });
});

describe("a port that a Sidecar has its proxy serve with TLS", () => {
  const served = { ...port, protocol: "HTTPS", bound: true, bind: "127.0.1.5", tls: fakeServerTls() } as const;
  const disabled: MtlsPolicy = { ...everybody, mode: "disable" };

  test("accepts only that TLS, and reads the requests inside", () => {
    const listener = listeners([served], {}, disabled).get("127.0.1.5_8080");
    expect(listener).toMatchObject({
      listenerFilters: [{ name: "envoy.filters.listener.tls_inspector" }],
      filterChains: [
        {
          filterChainMatch: { destinationPort: 8080, transportProtocol: "tls" },
          filters: [{ name: "envoy.filters.network.http_connection_manager" }],
          transportSocket: { typedConfig: { requireClientCertificate: false } },
        },
      ],
    });
    expect(JSON.stringify(listener)).toContain("file-cert:/certs/server.crt~/certs/server.key");
  });

  test("uses mesh mTLS instead, where this is not disabled", () => {
    const listener = JSON.stringify(listeners([served]).get("127.0.1.5_8080"));
    expect(listener).not.toContain("file-cert:");
    expect(listener).toContain("ROOTCA");
  });

  test("is not served where the proxy lacks its certificates", () => {
    const mutual = { ...served, tls: fakeServerTls({ mode: "mutual", caCertificates: "" }) };
    expect([...listeners([mutual], { certificates: { type: "none" } }, disabled).keys()]).toEqual(["virtualInbound"]);
  });
});

test("replicas of a workload share their listener", () => {
  const [one] = build([port]);
  const [other] = build([{ ...port }], { ownAddress: "10.0.0.6" });
  expect(other).toBe(one);
});

test("metadata exchange is the first filter, for proxies that support it", () => {
  const { capabilities: stock } = stockListenerClient;
  const capabilities = { ...stock, alpn: true, httpPeerMetadata: true, tcpMetadataExchange: true };
  const listener = listeners([port], { capabilities }).get("virtualInbound");
  const filters = [{ name: "istio.metadata_exchange" }, {}];
  expect(listener).toMatchObject({ filterChains: Array.from({ length: 8 }, () => ({ filters })) });
});
