import { expect, test } from "vitest";
import { fakeEndpoint, fakeService } from "../../../testing/model/fake-service.ts";
import { pushOf } from "../../../testing/model/push.ts";
import type { Service } from "../service/service.ts";
import { portTranslationFor } from "./port-translation.ts";

const router = { addresses: ["10.0.0.5"], namespace: "edge", labels: {} };

/** The port translation of a router whose services map each of their ports to the given target port. */
function translated(
  services: readonly (Partial<Service> & { readonly leadsTo: number })[],
): readonly [number, number][] {
  const made = services.map(({ leadsTo, ...changes }, i) => ({
    leadsTo,
    service: fakeService({ namespace: "edge", hostname: `s${i}.edge`, ...changes }),
  }));
  const push = pushOf({
    services: made.map(({ service }) => service),
    endpoints: made.map(({ service: { hostname, namespace }, leadsTo }) => ({
      hostname,
      namespace,
      endpoints: [fakeEndpoint({ port: leadsTo })],
      owners: [],
    })),
  });
  return [...portTranslationFor(router, push)];
}

test("a port of the router's own service translates to its target port", () => {
  expect(translated([{ leadsTo: 8080 }])).toEqual([[80, 8080]]);
});

test("a port that equals its target port needs no translation", () => {
  expect(translated([{ leadsTo: 80 }])).toEqual([]);
});

test("the first of several services decides", () => {
  expect(translated([{ leadsTo: 9090 }, { leadsTo: 8080 }])).toEqual([[80, 8080]]);
});

test("a router ignores services of other namespaces and services without gateway port translation", () => {
  const labels = { "experimental.istio.io/disable-gateway-port-translation": "true" };
  expect(
    translated([
      { leadsTo: 8080, namespace: "shop" },
      { leadsTo: 8081, labels },
    ]),
  ).toEqual([]);
});
