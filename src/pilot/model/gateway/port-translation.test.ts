import { expect, test } from "vitest";
import { pushOf } from "../../../testing/model/push.ts";
import { fakeEndpoint, fakeService } from "../../../testing/model/service.ts";
import type { Service } from "../service/service.ts";
import { portTranslationFor, portTranslationId } from "./port-translation.ts";

const router = { addresses: ["10.0.0.5"], namespace: "edge", labels: {} };

/** What the router makes of ports, if each service leads from each of its ports to the given one. */
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

test("a port of the router's own service is where that leads", () => {
  expect(translated([{ leadsTo: 8080 }])).toEqual([[80, 8080]]);
});

test("a port that leads to itself needs no translation", () => {
  expect(translated([{ leadsTo: 80 }])).toEqual([]);
});

test("of several services the first decides", () => {
  expect(translated([{ leadsTo: 9090 }, { leadsTo: 8080 }])).toEqual([[80, 8080]]);
});

test("services of other namespaces, and those that do not want it, do not count", () => {
  const labels = { "experimental.istio.io/disable-gateway-port-translation": "true" };
  expect(
    translated([
      { leadsTo: 8080, namespace: "shop" },
      { leadsTo: 8081, labels },
    ]),
  ).toEqual([]);
});

test("equal translations have equal ids", () => {
  const one = new Map([
    [80, 8080],
    [443, 8443],
  ]);
  const other = new Map([
    [443, 8443],
    [80, 8080],
  ]);
  expect(portTranslationId(one)).toBe(portTranslationId(other));
  expect(portTranslationId(one)).not.toBe(portTranslationId(new Map([[80, 8080]])));
});
