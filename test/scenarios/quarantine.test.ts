import { describe, expect, test } from "vitest";
import {
  type AuthorizationPolicy,
  AuthorizationPolicy_Action,
} from "#gen/istio/security/v1beta1/authorization_policy_pb.js";
import { type Config, configId } from "../../src/config/config.ts";
import { insteadOf } from "../../src/pilot/registry/instead-of.ts";
import { configsIn } from "../../src/testing/config/configs-in.ts";
import { EnvoyModel } from "../../src/testing/envoy/envoy-model.ts";
import { readEnvoyResource } from "../../src/testing/envoy/envoy-resources.ts";
import {
  contentOf,
  freshContent,
  gateway,
  object,
  PoisonedMesh,
  route,
  service,
  theGateway,
} from "./quarantine/poisoned-mesh.ts";

const base = [theGateway, service("backend")];
const routes = (count: number) => Array.from({ length: count }, (_, index) => route(index, "good"));

/** A Gateway whose listener is named after this address. */
function bound(address: string): string {
  const server = { port: { number: 81, name: "http", protocol: "HTTP" }, bind: address, hosts: ["*"] };
  return object("Gateway", "extra", { selector: { app: "gw" }, servers: [server] });
}

describe.each(["sotw", "delta"] as const)("an object that proxies refuse, %s", (mode) => {
  test("keeps its last accepted version, while others follow edits", async () => {
    const good = [...base, ...routes(20)];
    const setting = await PoisonedMesh.start(...good);
    const envoy = setting.connect(mode, gateway(0));
    await setting.settle();
    await setting.apply(route(7, "poison"));
    expect(setting.refused).toEqual(["VirtualService/shop/vs-7: earlier version"]);
    expect(contentOf(envoy)).toEqual(await freshContent(mode, gateway(0), good));
    await setting.apply(route(3, "newer"));
    expect(contentOf(envoy)).toEqual(await freshContent(mode, gateway(0), good.with(5, route(3, "newer"))));
    expect(setting.mesh.observer.failures).toEqual([]);
  });

  test("is found on a proxy that has stopped to ask for endpoints since the last refusal", async () => {
    const setting = await PoisonedMesh.start(...base, route(0, "good"), route(1, "poison"));
    setting.connect(mode, gateway(0));
    await setting.settle();
    // Without a cluster the proxy asks for no endpoints.
    setting.mesh.remove("ServiceEntry", "shop", "backend");
    await setting.settle();
    await setting.apply(route(1, "mended"));
    expect(setting.refused).toEqual([]);
    await setting.apply(route(0, "poison"));
    expect(setting.refused).toEqual(["VirtualService/shop/vs-0: earlier version"]);
  });

  test("keeps its last accepted version when the refused one renames a resource", async () => {
    const good = [...base, route(0, "good"), bound("10.0.0.5")];
    const setting = await PoisonedMesh.start(...good);
    const envoys = [setting.connect(mode, gateway(0)), setting.connect(mode, gateway(1))];
    await setting.settle();
    setting.spoil("10.0.0.6", envoys);
    // The new listener and the removal of the old one leave together.
    await setting.apply(bound("10.0.0.6"));
    expect(setting.refused).toEqual(["Gateway/shop/extra: earlier version"]);
    const expected = await freshContent(mode, gateway(0), good);
    for (const envoy of envoys) expect(contentOf(envoy)).toEqual(expected);
  });

  test("is left out for a fresh proxy, which gets all others within ⌈log2 n⌉ + 1 probes", async () => {
    const good = [...base, ...routes(100)];
    const setting = await PoisonedMesh.start(...good.with(50, route(48, "poison")));
    const envoy = setting.connect(mode, gateway(0));
    await setting.settle();
    expect(setting.refused).toEqual(["VirtualService/shop/vs-48: nothing"]);
    expect(contentOf(envoy)).toEqual(await freshContent(mode, gateway(0), good.toSpliced(50, 1)));
    expect(setting.mesh.observer.searches.map(({ probes }) => probes)).toHaveLength(1);
    expect(setting.mesh.observer.searches[0]?.probes).toBeLessThanOrEqual(8);
    const later = setting.connect(mode, gateway(1));
    await setting.settle();
    expect(contentOf(later)).toEqual(contentOf(envoy));
    expect(setting.mesh.observer.searches).toHaveLength(1);
  });

  test("is served again when it is mended, and refused again when it is spoilt again", async () => {
    const good = [...base, ...routes(5)];
    const setting = await PoisonedMesh.start(...good.with(3, route(1, "poison")));
    const [one, two] = [setting.connect(mode, gateway(0)), setting.connect(mode, gateway(1))];
    await setting.settle();
    await setting.apply(route(1, "mended"));
    expect(setting.refused).toEqual([]);
    const mended = await freshContent(mode, gateway(0), good.with(3, route(1, "mended")));
    for (const envoy of [one, two]) expect(contentOf(envoy)).toEqual(mended);
    await setting.apply(route(1, "poison again"));
    expect(setting.refused).toEqual(["VirtualService/shop/vs-1: earlier version"]);
    for (const envoy of [one, two]) expect(contentOf(envoy)).toEqual(mended);
  });

  test("is found together with two others on one proxy, and only for the class that refuses them", async () => {
    const good = [...base, ...routes(40)];
    const setting = await PoisonedMesh.start(...good);
    const refusing = setting.connect(mode, gateway(0));
    const other = new EnvoyModel(mode, readEnvoyResource, gateway(1, "1.31.0"));
    setting.add(other);
    await setting.settle();
    await setting.apply(route(3, "poison"), route(17, "poison"), route(39, "poison"), route(20, "newer"));
    expect(setting.refused.toSorted()).toEqual(
      [17, 39, 3].map((index) => `VirtualService/shop/vs-${index}: earlier version`),
    );
    const edited = good.with(22, route(20, "newer"));
    expect(contentOf(refusing)).toEqual(await freshContent(mode, gateway(0), edited));
    const all = edited.with(5, route(3, "poison")).with(19, route(17, "poison")).with(41, route(39, "poison"));
    expect(contentOf(other)).toEqual(await freshContent(mode, gateway(1, "1.31.0"), all, readEnvoyResource));
    expect(setting.mesh.observer.searches).toMatchObject([{ suspects: 4, offenders: 3 }]);
  });

  test("is not found on a proxy that rejects everything, and nothing is kept away from others", async () => {
    const setting = await PoisonedMesh.start(...base, ...routes(10));
    const [liar, honest] = [setting.connect(mode, gateway(0)), setting.connect(mode, gateway(1))];
    await setting.settle();
    liar.reject = () => true;
    await setting.apply(route(4, "newer"));
    expect(setting.refused).toEqual([]);
    const edited = [...base, ...routes(10)].with(6, route(4, "newer"));
    expect(contentOf(honest)).toEqual(await freshContent(mode, gateway(1), edited));
    expect(setting.mesh.observer.searches.every(({ inconclusive }) => inconclusive)).toBe(true);
  });
});

const selector = { matchLabels: { app: "gw" } };

function policy(kind: string, name: string, spec: object): Config {
  const metadata = { namespace: "shop", name };
  const text = JSON.stringify({ apiVersion: "security.istio.io/v1", kind, metadata, spec });
  const [config] = configsIn(text);
  if (config === undefined) throw new Error("no object");
  return config;
}

describe("in place of a refused object", () => {
  const id = configId("AuthorizationPolicy", "shop", "strict");
  const refused = policy("AuthorizationPolicy", "strict", { selector, action: "ALLOW", rules: [{}] });

  test("its accepted version stands", () => {
    const accepted = policy("AuthorizationPolicy", "strict", { selector, action: "DENY", rules: [{}] });
    expect(insteadOf(id, refused, accepted)).toEqual({ type: "earlier version", objects: new Map([[id, accepted]]) });
  });

  test("a policy without accepted version denies everything for its workloads", () => {
    const { type, objects } = insteadOf(id, refused, undefined);
    expect(type).toBe("denied");
    expect(objects.get(id)?.spec).toMatchObject({ action: AuthorizationPolicy_Action.DENY, rules: [{}], selector });
  });

  test.each([
    ["envoy.filters.http.rbac", "denied"],
    ["envoy.filters.http.local_ratelimit", "denied"],
    ["envoy.filters.http.lua", "nothing"],
  ])("an EnvoyFilter with %s leaves: %s", (name, expected) => {
    const patch = { operation: "INSERT_FIRST", value: { name } };
    const spec = { workloadSelector: { labels: { app: "gw" } }, configPatches: [{ applyTo: "HTTP_FILTER", patch }] };
    const [filter] = configsIn(
      JSON.stringify({
        apiVersion: "networking.istio.io/v1alpha3",
        kind: "EnvoyFilter",
        metadata: { namespace: "shop", name: "script" },
        spec,
      }),
    );
    const filterId = configId("EnvoyFilter", "shop", "script");
    const { type, objects } = insteadOf(filterId, filter, undefined);
    expect(type).toBe(expected);
    expect(objects.get(filterId)).toBeUndefined();
    const denial = objects.get(configId("AuthorizationPolicy", "shop", "quarantine.script"));
    const labels = denial === undefined ? [] : [(denial.spec as AuthorizationPolicy).selector?.matchLabels];
    expect(labels).toEqual(expected === "denied" ? [{ app: "gw" }] : []);
  });
});
