import { expect, test } from "vitest";
import { portProtocol } from "./port-protocol.ts";

const port = { name: "", protocol: "TCP", port: 8000, appProtocol: "" };

test.each([
  ["http", "HTTP"],
  ["HTTP-test", "HTTP"],
  ["http2-test", "HTTP2"],
  ["https", "HTTPS"],
  ["http_proxy-test", "HTTP_PROXY"],
  ["grpc-test", "GRPC"],
  ["grpc-web", "GRPC-Web"],
  ["grpc-web-test", "GRPC-Web"],
  ["tcp-test", "TCP"],
  ["tls", "TLS"],
  ["mongo-db", "Mongo"],
  ["redis", "Redis"],
  ["mysql", "MySQL"],
  ["udp-test", "UDP"],
  ["httptest", "UnsupportedProtocol"],
  ["httptest-http", "UnsupportedProtocol"],
  ["", "UnsupportedProtocol"],
])("a port called '%s' speaks %s", (name, protocol) => {
  expect(portProtocol({ ...port, name })).toBe(protocol);
});

test("a UDP port has the protocol UDP, whatever its name", () => {
  expect(portProtocol({ ...port, name: "http", protocol: "UDP" })).toBe("UDP");
});

test.each([25, 53, 3306, 27017])("port %d is server-first, so it is TCP unless the protocol is explicit", (number) => {
  expect(portProtocol({ ...port, port: number })).toBe("TCP");
  expect(portProtocol({ ...port, port: number, name: "http" })).toBe("HTTP");
});

test.each([
  ["kubernetes.io/h2c", "HTTP2"],
  ["kubernetes.io/ws", "HTTP"],
  ["kubernetes.io/wss", "HTTPS"],
  ["grpc", "GRPC"],
  ["example.com/custom", "UnsupportedProtocol"],
])("the application protocol %s wins over the name", (appProtocol, protocol) => {
  expect(portProtocol({ ...port, name: "tcp", appProtocol })).toBe(protocol);
});
