import { expect, test } from "vitest";
import type { InboundDestination } from "./build-inbound-cluster.ts";
import { ingressDestination } from "./ingress-destination.ts";

const v4 = { workload: { addresses: ["10.0.0.1"] }, families: "v4" } as const;
const v6 = { workload: { addresses: ["fd00::1"] }, families: "v6" } as const;
const dual = { workload: { addresses: ["fd00::1", "10.0.0.1"] }, families: "dual" } as const;

function to(address: string): InboundDestination {
  return { type: "address", address, port: 8080 };
}

test.each([
  ["127.0.0.1:8080", "127.0.0.1", "::1", "127.0.0.1"],
  ["[::1]:8080", "127.0.0.1", "::1", "::1"],
  ["0.0.0.0:8080", "10.0.0.1", "127.0.0.1", "10.0.0.1"],
  ["[::]:8080", "::1", "fd00::1", "fd00::1"],
])("%s is %s with IPv4, %s with IPv6 and %s with both", (endpoint, withV4, withV6, withBoth) => {
  expect(ingressDestination(endpoint, v4)).toEqual(to(withV4));
  expect(ingressDestination(endpoint, v6)).toEqual(to(withV6));
  expect(ingressDestination(endpoint, dual)).toEqual(to(withBoth));
});

test("a Unix socket is a path", () => {
  expect(ingressDestination("unix:///run/app", v4)).toEqual({ type: "pipe", path: "/run/app" });
});

test.each(["", "10.9.9.9:8080", "nonsense", "127.0.0.1"])("%j means the original destination", (endpoint) => {
  expect(ingressDestination(endpoint, v4)).toEqual({ type: "original" });
});
