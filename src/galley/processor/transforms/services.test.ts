import { describe, expect, test } from "vitest";
import { meshServices } from "../../../config/mesh/mesh-service.ts";
import {
  conversionOf,
  endpoints,
  endpointsIn,
  entryIn,
  meshServiceIn,
  node,
  pod,
  podNamed,
  service,
  serviceWith,
  slice,
  sliceNamed,
} from "../../../testing/galley/reviews-service.ts";

describe("a service", () => {
  test("has its full name, its address and its ports", () => {
    expect(meshServiceIn(conversionOf(service))).toMatchObject({
      hostname: "reviews.shop.svc.cluster.local",
      access: { type: "virtual", addresses: ["10.9.0.1"] },
      ports: [{ name: "http", number: 80, protocol: "HTTP", targetPort: 8080 }],
      selector: { app: "reviews" },
      endpoints: undefined,
    });
  });

  test.each([
    ["{clusterIP: None}", { type: "headless" }],
    ["{}", { type: "virtual", addresses: [] }],
    [
      "{clusterIP: 10.9.0.1, clusterIPs: [10.9.0.1, 'fd00::1']}",
      { type: "virtual", addresses: ["10.9.0.1", "fd00::1"] },
    ],
    ["{type: ExternalName, externalName: example.com}", { type: "alias", externalName: "example.com" }],
    ["{type: ExternalName}", { type: "virtual", addresses: [] }],
  ])("with the spec %s is reached accordingly", (spec, access) => {
    expect(meshServiceIn(conversionOf(serviceWith(spec))).access).toEqual(access);
  });

  test("with an unnamed port gets a port name, and its endpoints use it (D-26)", () => {
    const conversion = conversionOf(
      serviceWith("{clusterIP: 10.9.0.1, ports: [{port: 8080}]}"),
      endpoints.replace("name: http, port: 8080", "port: 8080"),
    );
    expect(meshServiceIn(conversion).ports).toMatchObject([
      { name: "tcp-8080", number: 8080, protocol: "UnsupportedProtocol" },
    ]);
    expect(endpointsIn(conversion)).toMatchObject([{ ports: { "tcp-8080": 8080 } }]);
    expect(entryIn(conversion).spec.endpoints).toMatchObject([{ ports: { "tcp-8080": 8080 } }]);
  });

  test("skips ports with an invalid number, and duplicate port names", () => {
    const ports = "[{name: a, port: 1111111}, {name: http, port: 80}, {name: http, port: 81}]";
    expect(meshServiceIn(conversionOf(serviceWith(`{ports: ${ports}}`))).ports.map((port) => port.number)).toEqual([
      80,
    ]);
  });

  test("is exported to the namespaces that its annotation lists, sorted and each once", () => {
    const metadata = `, annotations: {networking.istio.io/exportTo: "c, a,b ,a"}`;
    const conversion = conversionOf(serviceWith("{}", metadata));
    expect(meshServiceIn(conversion).exportTo).toEqual(["a", "b", "c"]);
    expect(entryIn(conversion).spec.exportTo).toEqual(["a", "b", "c"]);
    expect(meshServiceIn(conversionOf(service)).exportTo).toEqual([]);
  });
});

describe("endpoints", () => {
  test("take labels, locality, account and workload from the pod at their address", () => {
    expect(endpointsIn(conversionOf(node, pod, service, endpoints))).toMatchObject([
      {
        address: "10.0.0.1",
        ports: { http: 8080 },
        health: "healthy",
        labels: { pod: "reviews-0" },
        locality: { region: "eu", zone: "a", subzone: "" },
        serviceAccount: "reviews-0-account",
        workloadName: "reviews-0",
        workloadKind: "Pod",
        namespace: "shop",
      },
    ]);
  });

  test("of an unknown pod are listed without labels and locality", () => {
    expect(endpointsIn(conversionOf(service, endpoints))).toMatchObject([
      { address: "10.0.0.1", labels: {}, locality: { region: "" }, serviceAccount: undefined },
    ]);
  });

  test.each([
    ["a slice", slice],
    [
      "an Endpoints object",
      endpoints.replace("{ip: 10.0.0.1}", "{ip: 10.0.0.1, targetRef: {kind: Pod, name: reviews-0}}"),
    ],
  ])("that %s assigns to an unknown pod wait for that pod", (_what, listing) => {
    const conversion = conversionOf(service, podNamed("other", "10.0.0.1"), listing);
    expect(endpointsIn(conversion)).toEqual([]);
    conversion.apply(pod);
    expect(endpointsIn(conversion)).toMatchObject([{ address: "10.0.0.1", serviceAccount: "reviews-0-account" }]);
    conversion.remove(pod);
    expect(endpointsIn(conversion)).toEqual([]);
  });

  test("come from EndpointSlices if there are any, else from the Endpoints object", () => {
    const conversion = conversionOf(service, pod, endpoints.replace("10.0.0.1", "10.0.0.9"));
    expect(endpointsIn(conversion).map(({ address }) => address)).toEqual(["10.0.0.9"]);
    conversion.apply(slice);
    expect(endpointsIn(conversion).map(({ address }) => address)).toEqual(["10.0.0.1"]);
    conversion.remove(slice);
    expect(endpointsIn(conversion).map(({ address }) => address)).toEqual(["10.0.0.9"]);
  });

  test("in two slices while they move count once, and are ready if one slice says so", () => {
    const gone = sliceNamed("reviews-0", "[{addresses: [10.0.0.1], conditions: {ready: false, terminating: false}}]");
    const conversion = conversionOf(service, pod, slice, gone);
    expect(endpointsIn(conversion)).toMatchObject([{ address: "10.0.0.1", health: "healthy" }]);
  });

  test("of a slice with FQDN addresses, or of no service, are skipped", () => {
    const names = slice.replace("IPv4", "FQDN").replace("10.0.0.1", "example.com");
    const nobodys = slice.replace("kubernetes.io/service-name", "other").replace("reviews-1", "reviews-2");
    expect(meshServiceIn(conversionOf(service, names, nobodys)).endpoints).toBeUndefined();
  });

  test("disappear with their Endpoints object or their service, and the service stays without them", () => {
    const conversion = conversionOf(node, pod, service, endpoints);
    conversion.remove(endpoints);
    expect(meshServiceIn(conversion).endpoints).toBeUndefined();
    conversion.apply(endpoints);
    conversion.remove(service);
    expect(conversion.output(meshServices).size).toBe(0);
    expect(conversion.output("istio/networking/v1alpha3/synthetic/serviceentries").size).toBe(0);
  });

  test.each([
    ["{}", "healthy"],
    ["{ready: true}", "healthy"],
    ["{ready: true, terminating: true}", "healthy"],
    ["{ready: false, serving: false, terminating: false}", "unhealthy"],
    ["{ready: false, serving: true, terminating: true}", "terminating"],
    ["{ready: false}", "terminating"],
  ])("with the conditions %s are %s", (conditions, health) => {
    const listed = sliceNamed("reviews-1", `[{addresses: [10.0.0.1], conditions: ${conditions}}]`);
    expect(endpointsIn(conversionOf(service, listed))).toMatchObject([{ health }]);
  });

  test("that terminate but still serve are draining if the service has session affinity", () => {
    const listed = sliceNamed("reviews-1", "[{addresses: [10.0.0.1], conditions: {ready: false, terminating: true}}]");
    const bound = service.replace("{app: reviews}}", "{istio.io/persistent-session: cookie}}");
    expect(endpointsIn(conversionOf(bound, listed))).toMatchObject([{ health: "draining" }]);
  });
});

describe("pods", () => {
  test("that share an address are distinguished by the endpoint's target (D-25)", () => {
    const listed = sliceNamed(
      "reviews-1",
      "[{addresses: [10.0.0.1], targetRef: {kind: Pod, name: reviews-1, namespace: shop}}]",
    );
    const conversion = conversionOf(service, pod, podNamed("reviews-1", "10.0.0.1"), listed);
    expect(endpointsIn(conversion)).toMatchObject([{ labels: { pod: "reviews-1" } }]);
    conversion.remove(podNamed("reviews-1", "10.0.0.1"));
    expect(endpointsIn(conversion)).toEqual([]);
  });

  test("that share an address without a target: one of the endpoint's namespace, else the first by name", () => {
    const elsewhere = podNamed("a", "10.0.0.1").replace("namespace: shop", "namespace: another");
    const conversion = conversionOf(service, endpoints, elsewhere);
    expect(endpointsIn(conversion)).toMatchObject([{ labels: { pod: "a" } }]);
    conversion.apply(podNamed("z", "10.0.0.1"));
    conversion.apply(podNamed("y", "10.0.0.1"));
    expect(endpointsIn(conversion)).toMatchObject([{ labels: { pod: "y" } }]);
  });

  test("that change their address release the old one (D-24)", () => {
    const conversion = conversionOf(service, endpoints, pod);
    conversion.apply(podNamed("reviews-0", "10.0.0.2"));
    expect(endpointsIn(conversion)).toMatchObject([{ address: "10.0.0.1", labels: {} }]);
    conversion.apply(endpoints.replace("10.0.0.1", "10.0.0.2"));
    expect(endpointsIn(conversion)).toMatchObject([{ address: "10.0.0.2", labels: { pod: "reviews-0" } }]);
  });

  test.each([
    ["Pending", true],
    ["Running", true],
    ["Succeeded", false],
    ["Failed", false],
    ["Unknown", false],
  ])("in phase %s count: %s", (phase, counts) => {
    const conversion = conversionOf(service, endpoints, pod);
    conversion.apply(pod.replace("Running", phase));
    expect(endpointsIn(conversion)[0]?.serviceAccount !== undefined).toBe(counts);
  });

  test("without an address have no endpoint", () => {
    expect(endpointsIn(conversionOf(service, endpoints, pod.replace(", podIP: 10.0.0.1", "")))).toMatchObject([
      { serviceAccount: undefined },
    ]);
  });

  test("with only a status change cause no output change", () => {
    const conversion = conversionOf(node, service, endpoints, pod);
    const before = conversion.output(meshServices).get("shop/reviews");
    conversion.apply(pod.replace("{phase: Running,", "{phase: Running, conditions: [{type: Ready, status: 'True'}],"));
    expect(conversion.output(meshServices).get("shop/reviews")).toBe(before);
  });
});

describe("nodes", () => {
  test("that arrive late give their pods a locality, and remove it when they are deleted", () => {
    const conversion = conversionOf(pod, service, endpoints);
    conversion.apply(node);
    expect(entryIn(conversion).spec.endpoints[0]?.locality).toBe("eu/a");
    conversion.remove(node);
    expect(entryIn(conversion).spec.endpoints[0]?.locality).toBe("");
  });

  test.each([
    ["{topology.kubernetes.io/region: eu}", "eu/"],
    ["{failure-domain.beta.kubernetes.io/region: eu, failure-domain.beta.kubernetes.io/zone: b}", "eu/b"],
    ["{failure-domain.beta.kubernetes.io/region: old, topology.kubernetes.io/region: eu}", "eu/"],
    ["{topology.kubernetes.io/region: eu, topology.kubernetes.io/zone: b, topology.istio.io/subzone: r}", "eu/b/r"],
    ["{other: label}", ""],
  ])("with the labels %s have the locality '%s'", (labels, locality) => {
    const placed = `{apiVersion: v1, kind: Node, metadata: {name: node-1, labels: ${labels}}}`;
    expect(entryIn(conversionOf(pod, service, endpoints, placed)).spec.endpoints[0]?.locality).toBe(locality);
  });

  test("are overridden by a pod's own locality label", () => {
    const placed = pod.replace("{pod: reviews-0}", "{istio-locality: us.west.rack}");
    expect(endpointsIn(conversionOf(node, placed, service, endpoints))).toMatchObject([
      { locality: { region: "us", zone: "west", subzone: "rack" } },
    ]);
  });
});

describe("invalid input for proxies", () => {
  test("is skipped: invalid addresses and invalid ports", () => {
    const conversion = conversionOf(
      serviceWith("{clusterIP: nonsense, ports: [{name: http, port: 80}]}"),
      sliceNamed("reviews-1", "[{addresses: [nonsense, 10.0.0.1]}]").replace(
        "[{name: http, port: 8080}]",
        "[{name: http, port: 8080}, {name: all}, {name: high, port: 70000}]",
      ),
    );
    expect(meshServiceIn(conversion).access).toEqual({ type: "virtual", addresses: [] });
    expect(endpointsIn(conversion)).toMatchObject([{ address: "10.0.0.1", ports: { http: 8080 } }]);
    expect(Object.keys(endpointsIn(conversion)[0]?.ports ?? {})).toEqual(["http"]);
  });
});
