import { describe, expect, test } from "vitest";
import type { NackReport, ProxyStatus, TypeStatus } from "./fetch-status.ts";
import { proxiesNamed } from "./fetch-status.ts";
import { statusText } from "./status-text.ts";

function status(
  proxy: string,
  states: Readonly<Record<string, TypeStatus["state"]>>,
  cluster = "Kubernetes",
): ProxyStatus {
  const resources = Object.entries(states).map(([type, state]) => [`type.googleapis.com/${type}`, { type, state }]);
  return {
    cluster_id: cluster,
    namespace: "default",
    proxy,
    node: `sidecar~10.0.0.1~${proxy}~default.svc.cluster.local`,
    connection: `${proxy}-1`,
    istio_version: "",
    resources: Object.fromEntries(resources),
  };
}

const synced = { CDS: "SYNCED", LDS: "SYNCED", EDS: "SYNCED", RDS: "SYNCED" } as const;
const web = status("productpage-v1-5d4f8f7c9d-x7k2p.default", synced);
const gateway = status("gw-0.istio-system", { CDS: "SYNCED", LDS: "STALE", EDS: "SYNCED" });

describe("the status of proxies", () => {
  test("has a line per proxy and a column per type, in eighty columns", () => {
    const text = statusText({ proxies: [gateway, web], nacks: [], refusedPatches: [] }, "text");
    expect(text).toBe(
      [
        "NAME                                      CDS      LDS      EDS      RDS",
        "gw-0.istio-system                         SYNCED   STALE    SYNCED   IGNORED",
        "productpage-v1-5d4f8f7c9d-x7k2p.default   SYNCED   SYNCED   SYNCED   SYNCED",
      ].join("\n"),
    );
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test("has columns for clusters and versions if they differ, and for further types in use", () => {
    const other = { ...status("a.b", { ...synced, NDS: "NOT SENT" }, "west"), istio_version: "1.29.1" };
    expect(statusText({ proxies: [other, gateway], nacks: [], refusedPatches: [] }, "text").split("\n")[0]).toMatch(
      /^NAME +CLUSTER +CDS +LDS +EDS +RDS +NDS +VERSION$/,
    );
  });

  test("counts the objects that are kept away from each proxy, if there are any", () => {
    const kept = { ...gateway, quarantined: ["VirtualService/shop/a", "VirtualService/shop/b"] };
    const [head, ...rows] = statusText({ proxies: [kept, web], nacks: [], refusedPatches: [] }, "text").split("\n");
    expect(head).toMatch(/RDS +QUARANTINE$/u);
    expect(rows).toEqual([expect.stringMatching(/IGNORED +2 objects$/u), expect.stringMatching(/SYNCED$/u)]);
  });

  test("names each rejected resource with reason, object, place and proxies", () => {
    const nack: NackReport = {
      type: "RDS",
      message: "invalid repetition size: {2000}",
      resources: ["http.8080"],
      objects: [{ object: "VirtualService/shop/routes", reference: "mesh/routes.yaml:1" }],
      proxies: [gateway.node, web.node],
    };
    expect(statusText({ proxies: [gateway], nacks: [nack], refusedPatches: [] }, "text").split("\n\n")[1]).toBe(
      [
        "RDS http.8080: invalid repetition size: {2000}",
        "  VirtualService/shop/routes mesh/routes.yaml:1",
        `  rejected by 2 proxies: ${gateway.node}, ${web.node}`,
      ].join("\n"),
    );
    const quarantined = ["VirtualService/shop/routes"];
    expect(statusText({ proxies: [gateway], nacks: [{ ...nack, quarantined }], refusedPatches: [] }, "text")).toContain(
      "\n  in quarantine: VirtualService/shop/routes\n",
    );
    const several = { ...nack, resources: ["a", "b"], proxies: [web.node] };
    expect(statusText({ proxies: [gateway], nacks: [several], refusedPatches: [] }, "text")).toContain(
      "RDS one of 2 resources: invalid",
    );
    expect(statusText({ proxies: [gateway], nacks: [several], refusedPatches: [] }, "text")).toContain(
      "rejected by 1 proxy: ",
    );
  });

  test("names each refused patch after the rejections", () => {
    const refused =
      "EnvoyFilter/shop/x mesh/x.yaml:1: configPatches[0] (ADD of CLUSTER) is left out: name: is required";
    const text = statusText({ proxies: [gateway], nacks: [], refusedPatches: [refused] }, "text");
    expect(text.split("\n\n")[1]).toBe(refused);
  });

  test("without proxies says so", () => {
    expect(statusText({ proxies: [], nacks: [], refusedPatches: [] }, "text")).toBe("no proxy is connected");
  });
});

describe("a proxy is selected", () => {
  test.each([gateway.proxy, gateway.node, "gw-0"])("by %s", (wanted) => {
    expect(proxiesNamed(wanted, [gateway, web])).toEqual([gateway]);
  });

  test.each([
    ["gw-1.istio-system", [gateway, web], "gw-1.istio-system is not connected; did you mean gw-0.istio-system?"],
    ["gw-9", [gateway, web], "gw-9 is not connected; did you mean gw-0.istio-system?"],
    ["elsewhere", [gateway], "elsewhere is not connected; connected proxies: gw-0.istio-system"],
    ["x", [], "x is not connected; no proxy is connected"],
    ["-", [gateway, web], "- is ambiguous: gw-0.istio-system, productpage-v1-5d4f8f7c9d-x7k2p.default"],
  ])("not by %j", (wanted, proxies, sentence) => {
    expect(() => proxiesNamed(wanted, proxies)).toThrow(sentence);
  });
});
