import fc from "fast-check";
import { expect, test } from "vitest";
import { type ConfigId, configId } from "../../config/config.ts";
import { seed } from "../../testing/random/seed.ts";
import { isEndpointOnly, mergePushRequests, type PushRequest } from "./push-request.ts";

const anyId = fc
  .tuple(
    fc.constantFrom("Service", "Endpoints", "VirtualService"),
    fc.constantFrom("a", "b"),
    fc.constantFrom("x", "y"),
  )
  .map(([kind, namespace, name]) => configId(kind, namespace, name));
const anyRequest: fc.Arbitrary<PushRequest> = fc.record({
  changed: fc.array(anyId).map((ids) => new Set(ids)),
  forced: fc.boolean(),
  reasons: fc.array(fc.tuple(fc.constantFrom("service", "endpoint"), fc.nat(5))).map((pairs) => new Map(pairs)),
  startedAt: fc.nat(1000),
});

const request = (...changed: ConfigId[]): PushRequest => ({
  changed: new Set(changed),
  forced: false,
  reasons: new Map(),
  startedAt: 0,
});

test("merging is associative and loses no key, reason or force", () => {
  fc.assert(
    fc.property(anyRequest, anyRequest, anyRequest, (a, b, c) => {
      const left = mergePushRequests(mergePushRequests(a, b), c);
      expect(left).toEqual(mergePushRequests(a, mergePushRequests(b, c)));
      expect(left.changed).toEqual(a.changed.union(b.changed).union(c.changed));
    }),
    { seed },
  );
});

test("merged requests keep the oldest start time, in either order", () => {
  const [early, late] = [
    { ...request(), startedAt: 5 },
    { ...request(), startedAt: 9 },
  ];
  expect(mergePushRequests(early, late).startedAt).toBe(5);
  expect(mergePushRequests(late, early).startedAt).toBe(5);
});

test("merged requests add up their reasons, and are forced when one of them is", () => {
  const one = { ...request(), reasons: new Map([["service", 1]]) };
  const two = { ...request(), forced: true, reasons: new Map(Object.entries({ service: 2, endpoint: 1 })) };
  const merged = mergePushRequests(one, two);
  expect([...merged.reasons]).toEqual([
    ["service", 3],
    ["endpoint", 1],
  ]);
  expect([merged.forced, mergePushRequests(two, one).forced, mergePushRequests(one, one).forced]).toEqual([
    true,
    true,
    false,
  ]);
});

test("a request is endpoint-only when every key is of kind Endpoints and nothing is forced", () => {
  const endpoints = request(configId("Endpoints", "shop", "reviews"));
  expect(isEndpointOnly(endpoints)).toBe(true);
  expect(isEndpointOnly({ ...endpoints, forced: true })).toBe(false);
  expect(isEndpointOnly(mergePushRequests(endpoints, request(configId("Service", "shop", "reviews"))))).toBe(false);
  expect(isEndpointOnly(request())).toBe(false);
});
