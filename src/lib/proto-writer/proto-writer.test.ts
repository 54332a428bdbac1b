import { create, type DescMessage, toBinary } from "@bufbuild/protobuf";
import { AnySchema, anyPack, DurationSchema, ValueSchema } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ClusterSchema } from "#gen/envoy/config/cluster/v3/cluster_pb.js";
import { ClusterLoadAssignmentSchema } from "#gen/envoy/config/endpoint/v3/endpoint_pb.js";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { RouteConfigurationSchema } from "#gen/envoy/config/route/v3/route_pb.js";
import { CorsSchema } from "#gen/envoy/extensions/filters/http/cors/v3/cors_pb.js";
import { HTTPFaultSchema } from "#gen/envoy/extensions/filters/http/fault/v3/fault_pb.js";
import { FilterConfigSchema } from "#gen/envoy/extensions/filters/http/grpc_stats/v3/config_pb.js";
import { RouterSchema } from "#gen/envoy/extensions/filters/http/router/v3/router_pb.js";
import { HttpConnectionManagerSchema } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { TcpProxySchema } from "#gen/envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy_pb.js";
import { UuidRequestIdConfigSchema } from "#gen/envoy/extensions/request_id/uuid/v3/uuid_pb.js";
import { PreviousHostsPredicateSchema } from "#gen/envoy/extensions/retry/host/previous_hosts/v3/previous_hosts_pb.js";
import { SecretSchema } from "#gen/envoy/extensions/transport_sockets/tls/v3/secret_pb.js";
import {
  DownstreamTlsContextSchema,
  UpstreamTlsContextSchema,
} from "#gen/envoy/extensions/transport_sockets/tls/v3/tls_pb.js";
import { HttpProtocolOptionsSchema } from "#gen/envoy/extensions/upstreams/http/v3/http_protocol_options_pb.js";
import { DeltaDiscoveryResponseSchema, DiscoveryResponseSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { ResourcesSchema } from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import { ResourceSchema } from "#gen/istio/mcp/v1alpha1/resource_pb.js";
import { MeshConfigSchema } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import { DestinationRuleSchema } from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import { GatewaySchema } from "#gen/istio/networking/v1alpha3/gateway_pb.js";
import { ServiceEntrySchema } from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import { SidecarSchema } from "#gen/istio/networking/v1alpha3/sidecar_pb.js";
import { VirtualServiceSchema } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { WorkloadEntrySchema } from "#gen/istio/networking/v1alpha3/workload_entry_pb.js";
import { everyScalarSchema } from "../../testing/random/every-scalar.ts";
import { type AnyLiteral, messageArbitrary } from "../../testing/random/message-arbitrary.ts";
import { runs, seed } from "../../testing/random/seed.ts";
import { ProtoWriter } from "./proto-writer.ts";

/** The messages that we send over xDS and MCP, JSON as a message (Struct has two forms), and every kind of field. */
const emitted: readonly DescMessage[] = [
  ClusterSchema,
  ClusterLoadAssignmentSchema,
  ListenerSchema,
  RouteConfigurationSchema,
  SecretSchema,
  DiscoveryResponseSchema,
  DeltaDiscoveryResponseSchema,

  HttpConnectionManagerSchema,
  TcpProxySchema,
  RouterSchema,
  HTTPFaultSchema,
  CorsSchema,
  FilterConfigSchema,
  UuidRequestIdConfigSchema,
  PreviousHostsPredicateSchema,
  HttpProtocolOptionsSchema,
  DownstreamTlsContextSchema,
  UpstreamTlsContextSchema,

  ServiceEntrySchema,
  WorkloadEntrySchema,
  VirtualServiceSchema,
  DestinationRuleSchema,
  GatewaySchema,
  SidecarSchema,
  MeshConfigSchema,
  ResourceSchema,
  ResourcesSchema,

  ValueSchema,
  everyScalarSchema,
];

const writer = new ProtoWriter();

function expected(schema: DescMessage, literal: AnyLiteral): Buffer {
  return Buffer.from(toBinary(schema, create(schema, literal)));
}

/** The same content with the keys of every object, map and JSON value in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}

describe.each(emitted.map((schema) => ({ type: schema.typeName, schema })))("$type", ({ schema }) => {
  test("is encoded to the bytes of protobuf-es, whatever the order of keys", () => {
    fc.assert(
      fc.property(messageArbitrary(schema), (literal) => {
        const bytes = expected(schema, literal);
        expect(bytes.equals(writer.encode(schema, literal))).toBe(true);
        expect(bytes.equals(writer.encode(schema, reversed(literal) as AnyLiteral))).toBe(true);
        expect(bytes.equals(writer.encode(schema, create(schema, literal)))).toBe(true);
      }),
      { seed, numRuns: runs(100) },
    );
  });
});

describe("an Any", () => {
  test("is encoded in one go with the message it holds", () => {
    const literal = { suppressEnvoyHeaders: true };
    const packed = anyPack(RouterSchema, create(RouterSchema, literal));
    expect(Buffer.from(writer.any(RouterSchema, literal))).toEqual(Buffer.from(toBinary(AnySchema, packed)));
  });

  test("of an empty message has a type and no value", () => {
    const packed = anyPack(RouterSchema, create(RouterSchema));
    expect(Buffer.from(writer.any(RouterSchema, {}))).toEqual(Buffer.from(toBinary(AnySchema, packed)));
  });
});

test("encoded bytes may replace a message: alone, in a list, in a map and in a oneof", () => {
  const options = { upstreamHttpProtocolOptions: { autoSni: true } };
  const key = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";
  const whole = writer.encode(ClusterSchema, {
    connectTimeout: { seconds: 10n },
    typedExtensionProtocolOptions: {
      [key]: anyPack(HttpProtocolOptionsSchema, create(HttpProtocolOptionsSchema, options)),
    },
    transportSocketMatches: [
      {
        name: "tls",
        transportSocket: {
          name: "tls",
          configType: { case: "typedConfig", value: anyPack(RouterSchema, create(RouterSchema)) },
        },
      },
    ],
  });
  const socket = { name: "tls", configType: { case: "typedConfig", value: writer.any(RouterSchema, {}) } } as const;
  const parts = writer.encode(ClusterSchema, {
    connectTimeout: writer.encode(DurationSchema, { seconds: 10n }),
    typedExtensionProtocolOptions: { [key]: writer.any(HttpProtocolOptionsSchema, options) },
    transportSocketMatches: [{ name: "tls", transportSocket: socket }],
  });
  expect(Buffer.from(parts)).toEqual(Buffer.from(whole));
});

test("messages larger than the buffer are encoded whole", () => {
  const literal = { name: "a".repeat(100_000), altStatName: "b", filters: [{ name: "ü".repeat(50_000) }] };
  expect(expected(ClusterSchema, literal).equals(writer.encode(ClusterSchema, literal))).toBe(true);
});

test("earlier results keep their bytes when the next message is encoded", () => {
  const first = writer.encode(ClusterSchema, { name: "first" });
  writer.encode(ClusterSchema, { name: "other" });
  expect(Buffer.from(first)).toEqual(expected(ClusterSchema, { name: "first" }));
});

test("a number that does not fit is refused with the name of its field, and the next message is not affected", () => {
  const tooLarge = { http2MaxRequests: 2 ** 31 };
  expect(() => writer.encode(DestinationRuleSchema, { trafficPolicy: { connectionPool: { http: tooLarge } } })).toThrow(
    "http2_max_requests",
  );
  expect(() => writer.encode(ClusterSchema, { perConnectionBufferLimitBytes: -1 })).toThrow("value");
  expect(() => writer.encode(DurationSchema, { seconds: 2n ** 63n })).toThrow("seconds");
  expect(Buffer.from(writer.encode(ClusterSchema, { name: "x" }))).toEqual(expected(ClusterSchema, { name: "x" }));
});

test("every encoding is counted", () => {
  const counting = new ProtoWriter();
  counting.encode(DiscoveryResponseSchema, {
    resources: [counting.any(ClusterSchema, {}), counting.any(ClusterSchema, {})],
  });
  expect(counting.encodings).toBe(3);
});
