import { setImmediate } from "node:timers/promises";
import v8 from "node:v8";
import { describe, expect, test } from "vitest";
import type { View } from "../../collection/collection.ts";
import { proxyWithName } from "../../testing/model/proxy-with-name.ts";
import type { PushContext } from "../model/push-context.ts";
import type { PartFamily, PartInputs } from "./generator.ts";
import { TypeInputs } from "./part-inputs.ts";

const proxies = ["10.0.0.1", "10.0.0.2"].map((address) => proxyWithName(`sidecar~${address}~a.shop~shop.svc.local`));
const [first, second] = proxies as [(typeof proxies)[number], (typeof proxies)[number]];

function view(entries: Readonly<Record<string, unknown>>): View<unknown> {
  const map = new Map(Object.entries(entries));
  return { name: "view", size: map.size, get: (key) => map.get(key), entries: () => map, values: () => map.values() };
}

function contextOf(fields: Readonly<Record<string, unknown>>): PushContext {
  return fields as unknown as PushContext;
}

/** A family whose inputs are read by this function, and the proxies for which it ran. */
function rig(read: (push: PushContext, proxy: typeof first) => unknown) {
  const made: string[] = [];
  const family: PartFamily = {
    name: "toy",
    parts(proxy, push) {
      made.push(proxy.ipAddresses[0] ?? "");
      return [{ read: read(push, proxy) } as PartInputs];
    },
    concerns: () => true,
    dependencies: () => () => true,
    generate: () => ({ covers: "all", resources: [] }),
  };
  return { inputs: new TypeInputs([family]), made };
}

describe("the inputs of a proxy's parts", () => {
  const services = view({});
  const routes = view({});

  test("are kept while the fields that they are made from stay the same", () => {
    const { inputs, made } = rig((push) => push.services.size);
    const before = inputs.of(first, contextOf({ services, routes, sequence: 1 }), "all");
    expect(inputs.of(first, contextOf({ services, routes: view({}), sequence: 2 }), "all")).toBe(before);
    expect(made).toEqual(["10.0.0.1"]);
  });

  test("are made again after another field, and are the same object if they are equal", () => {
    const { inputs, made } = rig((push) => push.services.size);
    const before = inputs.of(first, contextOf({ services }), "all");
    expect(inputs.of(first, contextOf({ services: view({}) }), "all")).toBe(before);
    const after = inputs.of(first, contextOf({ services: view({ a: 1 }) }), "all");
    expect(after.map((part) => part.inputs)).toEqual([{ read: 1 }]);
    expect(made).toHaveLength(3);
  });

  test("are made again after a field that only the inputs of another proxy were read from", () => {
    const { inputs, made } = rig((push, proxy) => (proxy === second ? push.services.size : 0));
    const [before, after] = [contextOf({ services }), contextOf({ services: view({}) })];
    for (const push of [before, after]) for (const proxy of proxies) inputs.of(proxy, push, "all");
    expect(made).toEqual(["10.0.0.1", "10.0.0.2", "10.0.0.1", "10.0.0.2"]);
  });

  test("are made again for other names", () => {
    const { inputs, made } = rig(() => 0);
    const push = contextOf({});
    inputs.of(first, push, "all");
    inputs.of(first, push, new Set(["a"]));
    expect(made).toHaveLength(2);
  });

  test("depend on the instances at the proxy's own addresses alone", () => {
    const { inputs, made } = rig((push, proxy) => push.instances.get(proxy.ipAddresses[0] ?? ""));
    const own = [{}];
    const before = contextOf({ instances: view({ "10.0.0.1": own, "10.0.0.2": [] }) });
    const after = contextOf({ instances: view({ "10.0.0.1": own, "10.0.0.2": [{}] }) });
    for (const push of [before, after]) for (const proxy of proxies) inputs.of(proxy, push, "all");
    expect(made).toEqual(["10.0.0.1", "10.0.0.2", "10.0.0.2"]);
  });

  test.each<[string, (push: PushContext) => unknown]>([
    ["at another address", (push) => push.instances.get("10.0.0.9")],
    ["all together", (push) => push.instances.size],
    ["one after the other", (push) => [...push.instances.values()].length],
  ])("depend on every instance if one reads them %s", (_, read) => {
    const { inputs, made } = rig(read);
    for (const count of [1, 2]) inputs.of(first, contextOf({ instances: view({ [`10.0.0.${count}`]: [] }) }), "all");
    expect(made).toHaveLength(2);
  });

  test("do not keep the contexts of proxies that are gone", async () => {
    class OldContext {
      readonly services = services;
    }
    const { inputs } = rig((push) => push.services.size);
    (function serveProxyThatLeaves() {
      const proxy = proxyWithName("sidecar~10.0.0.3~c.shop~shop.svc.local");
      for (const push of [new OldContext(), new OldContext()]) inputs.of(proxy, push as unknown as PushContext, "all");
    })();
    await setImmediate();
    expect(v8.queryObjects(OldContext, { format: "count" })).toBe(0);
    expect(inputs.of(first, contextOf({ services }), "all")).toHaveLength(1);
  });
});
