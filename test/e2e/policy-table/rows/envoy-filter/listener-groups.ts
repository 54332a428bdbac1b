import type { JsonObject } from "@bufbuild/protobuf";
import { type Group, group, type Place, row } from "../../row.ts";
import { byPatch, defaultRoute, direct, header, manager, patch, patches, types } from "./patches.ts";

const listenerTypes = "type.googleapis.com/envoy.extensions.filters.listener";
const inspector = "envoy.filters.listener.tls_inspector";
const tlsInspector = { name: inspector, typed_config: { "@type": `${listenerTypes}.tls_inspector.v3.TlsInspector` } };
const httpInspector = {
  name: "envoy.filters.listener.http_inspector",
  typed_config: { "@type": `${listenerTypes}.http_inspector.v3.HttpInspector` },
};

const web = { listener: { portNumber: 8080 } };
const connections = { listener: { portNumber: 9000 } };
const webInspector = { listener: { portNumber: 8080, listenerFilter: inspector } };
const tlsChains = { listener: { portNumber: 8080, filterChain: { transportProtocol: "tls" } } };

/** The network filter that answers every request with a status. */
function answering(status: number): JsonObject {
  const routes = [{ match: { prefix: "/" }, direct_response: { status } }];
  return {
    name: manager,
    typed_config: {
      "@type": `${types}.network.http_connection_manager.v3.HttpConnectionManager`,
      stat_prefix: "answering",
      route_config: { virtual_hosts: [{ name: "all", domains: ["*"], routes }] },
      http_filters: [
        { name: "envoy.filters.http.router", typed_config: { "@type": `${types}.http.router.v3.Router` } },
      ],
    },
  };
}

/** A chain for plaintext from one address, which answers every request with a status. */
function chainFrom(address: string, status: number): JsonObject {
  return {
    name: `from-${address}`,
    filter_chain_match: {
      destination_port: 8080,
      transport_protocol: "raw_buffer",
      source_prefix_ranges: [{ address_prefix: address, prefix_len: 32 }],
    },
    filters: [answering(status)],
  };
}

function addedListener({ address }: Place): JsonObject {
  return {
    name: `${address}_8081`,
    address: { socket_address: { address, port_value: 8081 } },
    traffic_direction: "INBOUND",
    filter_chains: [{ filters: [answering(202)] }],
  };
}

const special = "127.0.5.4";

/** Listeners, listener filters and filter chains: every operation. */
export const listenerGroups: readonly Group[] = [
  group("An added listener", (place) => patches(patch("LISTENER", "ADD", {}, addedListener(place))), [
    row("serves its port", { port: 8081 }, 202, byPatch(0)),
    row("leaves other ports", {}, 200),
  ]),
  group("A removed listener", patches(patch("LISTENER", "REMOVE", connections)), [
    row("accepts no connections", { protocol: "tcp" }, "closed", byPatch(0)),
    row("leaves other ports", {}, 200),
  ]),
  group("A merged listener", patches(patch("LISTENER", "MERGE", web, { filter_chains: [chainFrom(special, 202)] })), [
    row("has the chains of the patch", { from: special }, 202, byPatch(0)),
    row("keeps its own chains", {}, 200),
    row("keeps its own chains for mTLS", { as: "client/web" }, 200),
  ]),
  group("A removed listener filter", patches(patch("LISTENER_FILTER", "REMOVE", webInspector)), [
    row("recognises no TLS", { as: "client/web" }, "closed", byPatch(0)),
    row("leaves plaintext", {}, 200),
  ]),
  group("A replaced listener filter", patches(patch("LISTENER_FILTER", "REPLACE", webInspector, httpInspector)), [
    row("recognises no TLS", { as: "client/web" }, "closed", byPatch(0)),
    row("leaves plaintext", {}, 200),
  ]),
  ...(["ADD", "INSERT_FIRST", "INSERT_BEFORE", "INSERT_AFTER"] as const).map((operation) =>
    group(
      `A listener filter by ${operation}`,
      patches(
        patch("LISTENER_FILTER", "REPLACE", webInspector, httpInspector),
        patch(
          "LISTENER_FILTER",
          operation,
          { listener: { portNumber: 8080, ...(operation !== "ADD" && { listenerFilter: httpInspector.name }) } },
          tlsInspector,
        ),
      ),
      [row("recognises TLS", { as: "client/web" }, 200), row("leaves plaintext", {}, 200)],
    ),
  ),
  group(
    "A merged listener filter",
    patches(
      patch("LISTENER_FILTER", "MERGE", webInspector, {
        typed_config: { ...tlsInspector.typed_config, enable_ja3_fingerprinting: true },
      }),
      patch("HTTP_ROUTE", "MERGE", defaultRoute, header("x-fingerprint", "%TLS_JA3_FINGERPRINT%")),
    ),
    [row("has the settings of the patch", { as: "client/web" }, 200, byPatch(1), { answer: '"x-fingerprint":"' })],
  ),
  group("An added filter chain", patches(patch("FILTER_CHAIN", "ADD", web, chainFrom(special, 202))), [
    row("serves the connections that it matches", { from: special }, 202, byPatch(0)),
    row("leaves other connections", {}, 200),
  ]),
  group("A removed filter chain", patches(patch("FILTER_CHAIN", "REMOVE", tlsChains)), [
    row("accepts no connections", { as: "client/web" }, "closed", byPatch(0)),
    row("leaves other chains", {}, 200),
  ]),
  group(
    "A merged filter chain",
    patches(
      patch("FILTER_CHAIN", "MERGE", tlsChains, {
        filter_chain_match: { source_prefix_ranges: [{ address_prefix: special, prefix_len: 32 }] },
      }),
    ),
    [
      row("accepts the connections of the patch", { as: "client/web", from: special }, 200),
      row("accepts no other connections", { as: "client/web" }, "closed", byPatch(0)),
      row("leaves other chains", {}, 200),
    ],
  ),
  group(
    "A merged transport socket",
    patches(
      patch("FILTER_CHAIN", "MERGE", tlsChains, {
        transport_socket: {
          name: "envoy.transport_sockets.tls",
          typed_config: {
            "@type": "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext",
            require_client_certificate: false,
          },
        },
      }),
      patch("HTTP_ROUTE", "INSERT_FIRST", defaultRoute, direct("/first", 202)),
    ),
    [row("keeps what the patch does not set", { as: "client/web", path: "/first" }, 202, byPatch(1))],
  ),
];
