import { describe, expect, test } from "vitest";
import type { ListenerFilterChainMatchPredicateSchema } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import { HttpInspectorSchema } from "#gen/envoy/extensions/filters/listener/http_inspector/v3/http_inspector_pb.js";
import { TlsInspectorSchema } from "#gen/envoy/extensions/filters/listener/tls_inspector/v3/tls_inspector_pb.js";
import { type Literal, listenerOn, typed } from "../../testing/envoy/toy-envoy-config.ts";
import type { SimulatedRequest } from "../simulated-request.ts";
import { inspectConnection } from "./inspect-connection.ts";

const tls = typed(TlsInspectorSchema);
const http = typed(HttpInspectorSchema);

function seenBy(listenerFilters: readonly object[], changes: Partial<SimulatedRequest>) {
  const listener = listenerOn("0.0.0.0", 80, { listenerFilters: [...listenerFilters] });
  const request = { host: "shop.example.com:80", port: 80, path: "/", method: "GET", headers: {}, ...changes };
  const arrival = { listener, address: undefined, intercepted: false };
  const { transportProtocol, serverName, applicationProtocols } = inspectConnection(arrival, request);
  return [transportProtocol, serverName, ...applicationProtocols];
}

describe("the connection facts of a listener", () => {
  test.each<[string, readonly object[], Partial<SimulatedRequest>, readonly string[]]>([
    ["nothing without inspectors", [], { protocol: "tls", alpn: ["h2"] }, ["raw_buffer", ""]],
    ["TLS, name and protocols", [tls], { protocol: "tls", alpn: ["h2"] }, ["tls", "shop.example.com", "h2"]],
    ["a given name", [tls], { protocol: "tls", sni: "WWW.x.com" }, ["tls", "www.x.com"]],
    ["no name where the host is an address", [tls], { protocol: "tls", host: "10.0.0.1:80" }, ["tls", ""]],
    ["HTTP/1 in plaintext", [tls, http], {}, ["raw_buffer", "", "http/1.1"]],
    ["HTTP/2 in plaintext", [http], { protocol: "http2" }, ["raw_buffer", "", "h2c"]],
    ["no protocol in other plaintext", [http], { protocol: "tcp" }, ["raw_buffer", ""]],
    ["nothing of TLS for the HTTP inspector alone", [http], { protocol: "tls" }, ["raw_buffer", ""]],
  ])("%s", (_, filters, changes, expected) => {
    expect(seenBy(filters, changes)).toEqual(expected);
  });

  type Predicate = Literal<typeof ListenerFilterChainMatchPredicateSchema>;
  const at80: Predicate = { rule: { case: "destinationPortRange", value: { start: 80, end: 81 } } };
  const at79: Predicate = { rule: { case: "destinationPortRange", value: { start: 79, end: 80 } } };
  test.each<[string, Predicate, boolean]>([
    ["on its port", at80, true],
    ["on another port", at79, false],
    ["on any of some ports", { rule: { case: "orMatch", value: { rules: [at79, at80] } } }, true],
    ["on all of some ports", { rule: { case: "andMatch", value: { rules: [at79, at80] } } }, false],
    ["on all ports but one", { rule: { case: "notMatch", value: at79 } }, true],
    ["everywhere", { rule: { case: "anyMatch", value: true } }, true],
    ["nowhere", {}, false],
  ])("a disabled inspector %s", (_, filterDisabled, disabled) => {
    expect(seenBy([{ ...http, filterDisabled }], {})).toEqual(["raw_buffer", "", ...(disabled ? [] : ["http/1.1"])]);
  });
});
