import { AnySchema } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { HttpProtocolOptionsSchema } from "#gen/envoy/extensions/upstreams/http/v3/http_protocol_options_pb.js";
import { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import { decodedMessage } from "../../../testing/envoy/decoded-resource.ts";
import { fakePool } from "../../../testing/model/fake-traffic-policy.ts";
import { defaultMeshSettings } from "../../model/mesh-settings.ts";
import type { Protocol } from "../../model/service/service.ts";
import type { ConnectionPool } from "../../model/traffic/destination-rule.ts";
import {
  httpProtocolOptionsOf,
  keepsHeaderCase,
  type NamesFromRequest,
  type UpstreamHttp,
  upgradesToHttp2,
  upstreamHttpOf,
} from "./http-protocol-options.ts";

test.each<[Protocol, UpstreamHttp, UpstreamHttp]>([
  ["HTTP", "http1", "http1"],
  ["TCP", "http1", "http1"],
  ["GRPC", "http2", "http2"],
  ["HTTP2", "http2", "http2"],
  ["auto", "as-client", "http1"],
])("%s becomes %s with protocol detection, else %s", (protocol, sniffing, other) => {
  const inputs = { protocol, pool: undefined, upgrades: false };
  expect(upstreamHttpOf({ ...inputs, sniffs: true })).toBe(sniffing);
  expect(upstreamHttpOf({ ...inputs, sniffs: false })).toBe(other);
});

test("a rule that follows the client protocol takes precedence over everything", () => {
  const pool = fakePool({ useClientProtocol: true });
  expect(upstreamHttpOf({ protocol: "GRPC", pool, sniffs: false, upgrades: true })).toBe("as-client");
});

test("sniffed protocols are not upgraded, declared HTTP is", () => {
  const inputs = { pool: undefined, sniffs: true, upgrades: true };
  expect(upstreamHttpOf({ ...inputs, protocol: "auto" })).toBe("as-client");
  expect(upstreamHttpOf({ ...inputs, protocol: "HTTP" })).toBe("http2");
});

test.each<[ConnectionPool["h2Upgrade"], Protocol, boolean, boolean]>([
  ["default", "HTTP", true, true],
  ["default", "HTTP", false, false],
  ["default", "TCP", true, false],
  ["always", "TCP", false, true],
  ["never", "HTTP", true, false],
])("setting %s for %s, with upgrades in the mesh %s, upgrades: %s", (h2Upgrade, protocol, mesh, upgrades) => {
  expect(upgradesToHttp2(protocol, fakePool({ h2Upgrade }), mesh)).toBe(upgrades);
});

function optionsOf(http: UpstreamHttp, said?: Partial<ConnectionPool>, names?: NamesFromRequest, keepsCase = false) {
  const pool = said === undefined ? undefined : fakePool(said);
  const all = httpProtocolOptionsOf({ http, pool, names, keepsCase }, new ProtoWriter());
  const any = all?.[HttpProtocolOptionsSchema.typeName];
  return any === undefined ? undefined : decodedMessage(AnySchema, any);
}

test("HTTP/1 without any settings needs no options", () => {
  expect(optionsOf("http1")).toBeUndefined();
  expect(optionsOf("http1", { maxConnections: 5 })).toBeUndefined();
});

test("connection settings require an HTTP version too", () => {
  expect(optionsOf("http1", { maxRequestsPerConnection: 7 })).toMatchObject({
    commonHttpProtocolOptions: { maxRequestsPerConnection: 7 },
    explicitHttpConfig: { httpProtocolOptions: {} },
  });
});

test("a stream limit applies to HTTP/2 only", () => {
  expect(optionsOf("http2", { maxConcurrentStreams: 7 })).toMatchObject({
    explicitHttpConfig: { http2ProtocolOptions: { maxConcurrentStreams: 7 } },
  });
  expect(JSON.stringify(optionsOf("as-client", { maxConcurrentStreams: 7 }))).not.toContain("maxConcurrentStreams");
});

test("SNI and SANs may follow from the request", () => {
  expect(optionsOf("http1", undefined, { autoSni: true, autoSanValidation: false })).toMatchObject({
    upstreamHttpProtocolOptions: { autoSni: true },
    explicitHttpConfig: {},
  });
});

test("keepalive pings apply to HTTP/2 only", () => {
  const http2Keepalive = { interval: { seconds: 5n, nanos: 0 }, timeout: undefined };
  expect(optionsOf("http2", { http2Keepalive })).toMatchObject({
    explicitHttpConfig: { http2ProtocolOptions: { connectionKeepalive: { interval: "5s" } } },
  });
  expect(JSON.stringify(optionsOf("http1", { http2Keepalive }))).not.toContain("Keepalive");
});

test("headers keep their case if HTTP/1 is possible", () => {
  const format = { statefulFormatter: { name: "preserve_case" } };
  expect(optionsOf("http1", undefined, undefined, true)).toMatchObject({
    explicitHttpConfig: { httpProtocolOptions: { headerKeyFormat: format } },
  });
  expect(optionsOf("as-client", undefined, undefined, true)).toMatchObject({
    useDownstreamProtocolConfig: { httpProtocolOptions: { headerKeyFormat: format } },
  });
  const mesh = { ...defaultMeshSettings, preserveHeaderCase: true };
  expect(keepsHeaderCase("HTTP", mesh)).toBe(true);
  expect(keepsHeaderCase("auto", mesh)).toBe(true);
  expect(keepsHeaderCase("GRPC", mesh)).toBe(false);
  expect(keepsHeaderCase("HTTP", defaultMeshSettings)).toBe(false);
});

test.each([
  [[503], { httpResponseHeadersMatch: { headers: [{ name: ":status", stringMatch: { exact: "503" } }] } }],
  [
    [429, 503],
    {
      orMatch: {
        rules: ["429", "503"].map((exact) => ({
          httpResponseHeadersMatch: { headers: [{ name: ":status", stringMatch: { exact } }] },
        })),
      },
    },
  ],
])("outlier detection counts the statuses %j as errors", (errorCodes, errorMatcher) => {
  const options = { http: "http1", pool: undefined, keepsCase: false, errorCodes } as const;
  const any = httpProtocolOptionsOf(options, new ProtoWriter())?.[HttpProtocolOptionsSchema.typeName];
  expect(any && decodedMessage(AnySchema, any)).toMatchObject({
    explicitHttpConfig: { httpProtocolOptions: {} },
    outlierDetection: { errorMatcher },
  });
});
