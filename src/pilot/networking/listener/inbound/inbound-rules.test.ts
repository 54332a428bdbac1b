import { expect, test } from "vitest";
import type { MtlsMode } from "../../../model/mtls/peer-authentication.ts";
import type { Protocol } from "../../../model/service/service.ts";
import { plainHttp } from "../chain-match.ts";
import type { InboundRule } from "./inbound-rules.ts";
import { inboundRules } from "./inbound-rules.ts";

const alpns = new Map([
  ["http/1.1,h2c", "plain HTTP"],
  ["istio-http/1.0,istio-http/1.1,istio-h2", "HTTP of the mesh"],
  ["istio-peer-exchange,istio", "bytes of the mesh"],
  ["istio,istio-peer-exchange,istio-http/1.0,istio-http/1.1,istio-h2", "all of the mesh"],
  ["", "anything"],
]);

function describeRule({ carries, transportProtocol, terminates, applicationProtocols }: InboundRule): string {
  const inside = alpns.get(applicationProtocols.join()) ?? applicationProtocols.join();
  return `${carries} ${transportProtocol}${terminates ? "+T" : ""}: ${inside}`;
}

test.each<[Protocol, MtlsMode, readonly string[]]>([
  ["HTTP", "disable", ["http raw_buffer: anything"]],
  ["HTTP", "permissive", ["http tls+T: all of the mesh", "http raw_buffer: anything"]],
  ["HTTP", "strict", ["http tls+T: anything"]],
  ["GRPC", "strict", ["http tls+T: anything"]],
  ["TCP", "disable", ["tcp raw_buffer: anything"]],
  ["TCP", "permissive", ["tcp tls+T: all of the mesh", "tcp tls: anything", "tcp raw_buffer: anything"]],
  ["TCP", "strict", ["tcp tls+T: anything"]],
  ["HTTPS", "permissive", ["tcp tls+T: all of the mesh", "tcp tls: anything", "tcp raw_buffer: anything"]],
  ["Mongo", "strict", ["tcp tls+T: anything"]],
  ["auto", "disable", ["http raw_buffer: plain HTTP", "tcp raw_buffer: anything"]],
  [
    "auto",
    "permissive",
    [
      "http tls+T: HTTP of the mesh",
      "http raw_buffer: plain HTTP",
      "tcp tls+T: bytes of the mesh",
      "tcp raw_buffer: anything",
      "tcp tls: anything",
    ],
  ],
  ["auto", "strict", ["http tls+T: HTTP of the mesh", "tcp tls+T: anything"]],
])("a port of %s with mTLS %s", (protocol, mode, expected) => {
  expect(inboundRules(protocol, mode, plainHttp).map(describeRule)).toEqual(expected);
});
