import { describe, expect, test } from "vitest";
import { type Config, type ConfigId, configId } from "../../../config/config.ts";
import { rolloutAnnotations } from "../../../config/rollout/rollout-plan.ts";
import { configIn } from "../../../testing/config/configs-in.ts";
import { type ArrivedChange, Staging } from "./staging.ts";

const versions = new Map([
  ["networking", "networking.istio.io/v1"],
  ["alpha", "networking.istio.io/v1alpha3"],
  ["security", "security.istio.io/v1"],
  ["extensions", "extensions.istio.io/v1alpha1"],
  ["telemetry", "telemetry.istio.io/v1"],
  ["core", "v1"],
]);

function object(group: string, kind: string, body: object, { name = "a", rollout = "change" } = {}): Config {
  const annotations = rollout === "" ? {} : { [rolloutAnnotations.name]: rollout };
  const metadata = { name, namespace: "shop", annotations };
  return configIn(JSON.stringify({ apiVersion: versions.get(group), kind, metadata, ...body }));
}

function route(host: string, subset: string, about = {}): Config {
  const http = [{ route: [{ destination: { host, ...(subset !== "" && { subset }) } }] }];
  return object("networking", "VirtualService", { spec: { hosts: ["web.shop"], http } }, about);
}

function rule(host: string, subsets: readonly string[], about = {}): Config {
  const named = subsets.map((name) => ({ name, labels: { version: name } }));
  return object("networking", "DestinationRule", { spec: { host, subsets: named } }, about);
}

/** A user's act on one object: makes it, edits it, or deletes it. */
function edit(before: Config | undefined, after: Config | undefined): ArrivedChange {
  return { before, after };
}

function opened() {
  const inputs = new Map<ConfigId, Config>();
  const set = (id: ConfigId, config: Config | undefined) => {
    if (config === undefined) inputs.delete(id);
    else inputs.set(id, config);
  };
  const staging = new Staging({
    domain: "cluster.local",
    currentOf: (id) => inputs.get(id),
    write: (objects) => objects.forEach((config, id) => set(id, config)),
  });
  staging.open();
  const arrive = (...changes: readonly ArrivedChange[]) => {
    const admitted = staging.admit(changes);
    for (const { before, after } of admitted) set(idOf(after ?? before), after);
    return admitted.map(({ before, after }) => idOf(after ?? before));
  };
  const held = () =>
    [...staging.changes.values()].map(({ id, objects }) => [
      id,
      ...Array.from(objects.values(), (each) => `${each.id}${each.joined ? " joined" : ""}`),
    ]);
  return { staging, inputs, arrive, held };
}

function idOf(config: Config | undefined): ConfigId {
  return configId(config?.kind ?? "", config?.namespace ?? "", config?.name ?? "");
}

const filter = (name: string, typeName: string) => ({
  spec: {
    configPatches: [
      {
        applyTo: "HTTP_FILTER",
        match: { context: "SIDECAR_INBOUND" },
        patch: { operation: "INSERT_BEFORE", value: { name, typed_config: { "@type": typeName } } },
      },
    ],
  },
});
const lua = filter("lua", "type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua");
const rbac = filter("authorization", "type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC");

describe("objects with the annotation of a rollout", () => {
  test.each([
    ["a VirtualService", route("reviews", ""), true],
    ["a DestinationRule", rule("reviews", []), true],
    ["an EnvoyFilter", object("alpha", "EnvoyFilter", lua), true],
    ["a WasmPlugin that fails open", object("extensions", "WasmPlugin", wasm("FAIL_OPEN")), true],
    ["a Telemetry", object("telemetry", "Telemetry", { spec: { tracing: [{ randomSamplingPercentage: 1 }] } }), true],
    ["an EnvoyFilter that guards requests", object("alpha", "EnvoyFilter", rbac), false],
    ["a WasmPlugin that fails closed", object("extensions", "WasmPlugin", wasm("FAIL_CLOSE")), false],
    [
      "a policy that denies",
      object("security", "AuthorizationPolicy", { spec: { action: "DENY", rules: [{}] } }),
      false,
    ],
    ["the first policy that allows", object("security", "AuthorizationPolicy", { spec: { rules: [{}] } }), false],
    ["stricter mTLS", object("security", "PeerAuthentication", { spec: { mtls: { mode: "STRICT" } } }), false],
    ["a check of tokens", object("security", "RequestAuthentication", { spec: {} }), false],
    ["a ServiceEntry", object("networking", "ServiceEntry", serviceEntry), false],
    ["a WorkloadEntry", object("networking", "WorkloadEntry", { spec: { address: "10.0.0.1" } }), false],
    ["a Gateway", object("networking", "Gateway", gateway), false],
    ["a Sidecar", object("networking", "Sidecar", { spec: { egress: [{ hosts: ["./*"] }] } }), false],
    ["a Secret", object("core", "Secret", { data: {} }), false],
  ])("%s", (_, config, isStaged) => {
    const { arrive, inputs, held } = opened();
    expect(arrive(edit(undefined, config))).toEqual(isStaged ? [] : [idOf(config)]);
    expect(inputs.has(idOf(config))).toBe(!isStaged);
    expect(held()).toHaveLength(isStaged ? 1 : 0);
  });

  test("do not wait if they guarded requests before", () => {
    const [guard, plain] = [object("alpha", "EnvoyFilter", rbac), object("alpha", "EnvoyFilter", lua)];
    const { arrive, held } = opened();
    arrive(edit(undefined, guard));
    expect(arrive(edit(guard, plain))).toEqual([idOf(plain)]);
    expect(held()).toEqual([]);
  });

  test("wait for the end of the rollout, and are then written together", () => {
    const { arrive, inputs, staging } = opened();
    const [old, next] = [route("reviews", ""), route("ratings", "")];
    inputs.set(idOf(old), old);
    arrive(edit(old, next), edit(undefined, rule("ratings", [])));
    expect([...inputs.values()]).toEqual([old]);
    staging.finish("shop/change");
    expect([...inputs.keys()]).toEqual(["VirtualService/shop/a", "DestinationRule/shop/a"]);
    expect(inputs.get(idOf(next))).toBe(next);
    expect(staging.changes.size).toBe(0);
  });

  test("are served at once while the server does not serve yet", () => {
    const staging = new Staging({ domain: "", currentOf: () => undefined, write: () => undefined });
    const changes = [edit(undefined, route("reviews", ""))];
    expect(staging.admit(changes)).toBe(changes);
  });

  test("are served at once if the newest version has no annotation, or only its settings changed", () => {
    const { arrive, inputs, held } = opened();
    const [plain, annotated] = [route("reviews", "", { rollout: "" }), route("reviews", "")];
    inputs.set(idOf(plain), plain);
    expect(arrive(edit(plain, annotated))).toHaveLength(1);
    const other = route("ratings", "");
    arrive(edit(annotated, other));
    expect(held()).toHaveLength(1);
    expect(arrive(edit(other, route("ratings", "", { rollout: "" })))).toHaveLength(1);
    expect(held()).toEqual([]);
  });

  test("keep the version that all proxies had, however often they change, and are no change any more with that version", () => {
    const { arrive, inputs, staging, held } = opened();
    const [old, second, third] = [route("one", ""), route("two", ""), route("three", "")];
    inputs.set(idOf(old), old);
    arrive(edit(old, second));
    arrive(edit(second, third));
    const [object0] = staging.changes.get("shop/change")?.objects.values() ?? [];
    expect([object0?.stable, object0?.next]).toEqual([old, third]);
    arrive(edit(third, undefined));
    expect(staging.changes.get("shop/change")?.objects.get(idOf(old))?.next).toBeUndefined();
    arrive(edit(undefined, old));
    expect(held()).toEqual([]);
  });
});

describe("objects without the annotation join a rollout", () => {
  const plain = { rollout: "" };

  test.each([
    ["a rule defines subsets that a staged route uses", rule("reviews", ["v2"], plain), route("reviews", "v2")],
    ["a rule for a wildcard does", rule("*.example.com", ["v2"], plain), route("a.example.com", "v2")],
    ["a route uses subsets that a staged rule defines", route("reviews", "v2", plain), rule("reviews", ["v2"])],
    ["two rules define the subsets of one host", rule("reviews", ["v2"], { ...plain, name: "b" }), rule("reviews", [])],
  ])("if %s", (_, joining, stagedObject) => {
    const { arrive, held } = opened();
    expect(arrive(edit(undefined, joining), edit(undefined, stagedObject))).toEqual([]);
    expect(held()).toEqual([["shop/change", idOf(stagedObject), `${idOf(joining)} joined`]]);
  });

  test("if they delegate, or are delegates", () => {
    const { arrive, held } = opened();
    const delegate = object(
      "networking",
      "VirtualService",
      { spec: { http: [{ route: [{ destination: { host: "reviews" } }] }] } },
      { name: "part" },
    );
    const root = object(
      "networking",
      "VirtualService",
      { spec: { hosts: ["web"], gateways: ["gw"], http: [{ delegate: { name: "part" } }] } },
      { name: "root", rollout: "" },
    );
    expect(arrive(edit(undefined, root), edit(undefined, delegate))).toEqual([]);
    expect(held()).toEqual([["shop/change", "VirtualService/shop/part", "VirtualService/shop/root joined"]]);
  });

  test("not if only the host is the same", () => {
    const { arrive } = opened();
    expect(arrive(edit(undefined, rule("reviews", [], plain)), edit(undefined, route("reviews", "")))).toHaveLength(1);
  });

  test("also if the change comes later, or if the older version is the one that is connected", () => {
    const { arrive, inputs, held } = opened();
    const [oldRoute, oldRule] = [route("reviews", "v1"), rule("reviews", ["v1"], plain)];
    inputs.set(idOf(oldRoute), oldRoute);
    inputs.set(idOf(oldRule), oldRule);
    arrive(edit(oldRoute, route("ratings", "")));
    expect(arrive(edit(oldRule, undefined))).toEqual([]);
    expect(held()).toEqual([["shop/change", idOf(oldRoute), `${idOf(oldRule)} joined`]]);
    expect(inputs.get(idOf(oldRule))).toBe(oldRule);
  });

  test("and two rollouts become one if an object of one refers to an object of the other", () => {
    const { arrive, held, staging } = opened();
    arrive(edit(undefined, route("reviews", "v2", { rollout: "first" })));
    arrive(edit(undefined, route("details", "", { rollout: "third", name: "c" })));
    expect(held()).toHaveLength(2);
    arrive(edit(undefined, rule("reviews", ["v2"], { rollout: "second" })));
    expect(held()).toEqual([
      ["shop/first", "VirtualService/shop/a", "DestinationRule/shop/a"],
      ["shop/third", "VirtualService/shop/c"],
    ]);
    expect(staging.changes.get("shop/first")?.merged).toEqual(["shop/second"]);
  });
});

function wasm(failStrategy: string) {
  return { spec: { url: "oci://registry.example.com/plugin:1", failStrategy } };
}

const serviceEntry = {
  spec: { hosts: ["a.example.com"], ports: [{ number: 80, name: "http", protocol: "HTTP" }], resolution: "DNS" },
};

const gateway = {
  spec: { servers: [{ port: { number: 80, name: "http", protocol: "HTTP" }, hosts: ["*"] }] },
};
