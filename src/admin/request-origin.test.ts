import { describe, expect, test } from "vitest";
import { isLocal, isLoopback, refusalOf } from "./request-origin.ts";

describe("a request to an admin page", () => {
  test.each([
    ["from a program", { host: "127.0.0.1:9876" }],
    ["by name", { host: "localhost:9876" }],
    ["over IPv6", { host: "[::1]:9876" }],
    ["of one of our own pages", { host: "localhost:9876", origin: "http://localhost:9876" }],
    ["typed into a browser", { host: "localhost:9876", "sec-fetch-site": "none" }],
    ["by a link", { host: "localhost:9876", "sec-fetch-site": "cross-site", "sec-fetch-dest": "document" }],
  ])("%s is answered", (_, headers) => {
    expect(refusalOf(headers, "loopback")).toBeUndefined();
  });

  test.each([
    ["of a site with DNS rebinding", { host: "evil.example:9876" }],
    ["of a site whose name looks local", { host: "localhost.evil.example" }],
    ["without a host", {}],
    ["of another site's script", { host: "localhost:9876", origin: "http://evil.example" }],
    ["of a page without an origin of its own", { host: "localhost:9876", origin: "null" }],
    ["of another port's page", { host: "localhost:9876", origin: "http://localhost:80" }],
    ["for an image", { host: "localhost:9876", "sec-fetch-site": "cross-site", "sec-fetch-dest": "image" }],
    ["for a frame", { host: "localhost:9876", "sec-fetch-site": "same-site", "sec-fetch-dest": "iframe" }],
  ])("%s is refused", (_, headers) => {
    expect(refusalOf(headers, "loopback")).toBeDefined();
  });

  test("may use any host name if the address is open to the network, but may not come from another site", () => {
    expect(refusalOf({ host: "galley.istio-system:15014" }, "network")).toBeUndefined();
    expect(refusalOf({ host: "galley:15014", origin: "http://evil.example" }, "network")).toBeDefined();
  });
});

test.each([
  ["127.0.0.1", true],
  ["127.9.9.9", true],
  ["::1", true],
  ["::ffff:127.0.0.1", true],
  ["::ffff:10.0.0.1", false],
  ["localhost", true],
  ["0.0.0.0", false],
  ["", false],
  ["::", false],
  ["10.0.0.1", false],
])("%j is a loopback address: %s", (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});

describe("a request made on this machine", () => {
  const loopback = { remoteAddress: "127.0.0.1", localAddress: "127.0.0.1" };
  const host = "localhost:8080";
  const local = (headers: object, ends: object = loopback) => isLocal({ headers, socket: ends } as never);

  test.each([
    ["by name", { host }, loopback],
    ["by address", { host: "127.0.0.1:8080" }, loopback],
    ["over IPv6", { host: "[::1]:8080" }, { remoteAddress: "::1", localAddress: "::1" }],
    ["to every interface", { host }, { remoteAddress: "::ffff:127.0.0.1", localAddress: "::ffff:127.0.0.1" }],
  ])("is recognized %s", (_, headers, ends) => {
    expect(local(headers, ends)).toBe(true);
  });

  test.each([
    ["another machine", { host }, { remoteAddress: "10.0.0.9", localAddress: "10.0.0.1" }],
    ["a sidecar that forwards requests", { host }, { remoteAddress: "127.0.0.6", localAddress: "10.0.0.1" }],
    ["a local proxy", { host, "x-forwarded-for": "10.0.0.9" }, loopback],
    ["a local proxy with x-real-ip", { host, "x-real-ip": "10.0.0.9" }, loopback],
    ["a local proxy with x-forwarded-host", { host, "x-forwarded-host": "evil.example" }, loopback],
    ["a local proxy with via", { host, via: "1.1 proxy" }, loopback],
    ["a local proxy with the standard header", { host, forwarded: "for=10.0.0.9" }, loopback],
    ["a page with DNS rebinding", { host: "evil.example" }, loopback],
    ["nobody, for nobody", {}, loopback],
    ["a connection that is gone", { host }, {}],
  ])("is not one from %s", (_, headers, ends) => {
    expect(local(headers, ends)).toBe(false);
  });
});
