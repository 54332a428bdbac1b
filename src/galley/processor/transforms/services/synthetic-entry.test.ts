import { describe, expect, test } from "vitest";
import {
  ServiceEntry_Location as Location,
  ServiceEntry_Resolution as Resolution,
} from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import {
  conversionOf,
  endpoints,
  entryIn,
  pod,
  podNamed,
  service,
  serviceWith,
} from "../../../../testing/galley/reviews-service.ts";

describe("the synthetic ServiceEntry", () => {
  test("has the service's name, labels and annotations, and the versions of its inputs", () => {
    const entry = entryIn(conversionOf(service, endpoints));
    expect(entry).toMatchObject({
      namespace: "shop",
      name: "reviews",
      labels: { app: "reviews" },
      kind: "ServiceEntry",
    });
    expect(entry.annotations).toEqual({
      "networking.alpha.istio.io/serviceVersion": expect.stringMatching(/^[0-9a-f]{16}$/u) as string,
      "networking.alpha.istio.io/endpointsVersion": expect.stringMatching(/^[0-9a-f]{16}$/u) as string,
    });
  });

  test("distinguishes a service without an endpoint list from a service with an empty list", () => {
    const annotation = "networking.alpha.istio.io/endpointsVersion";
    expect(entryIn(conversionOf(service)).annotations).not.toHaveProperty(annotation);
    const none = endpoints.replace(/subsets: .*/u, "subsets: []");
    expect(entryIn(conversionOf(service, none)).annotations).toHaveProperty([annotation]);
  });

  test("changes only the versions of changed parts", () => {
    const conversion = conversionOf(service, endpoints);
    const before = entryIn(conversion);
    conversion.apply(endpoints.replace("10.0.0.1", "10.0.0.2"));
    const after = entryIn(conversion);
    const [serviceVersion, endpointsVersion] = ["serviceVersion", "endpointsVersion"].map(
      (name) => `networking.alpha.istio.io/${name}`,
    );
    expect(after.annotations[serviceVersion ?? ""]).toBe(before.annotations[serviceVersion ?? ""]);
    expect(after.annotations[endpointsVersion ?? ""]).not.toBe(before.annotations[endpointsVersion ?? ""]);
    expect(after.version).not.toBe(before.version);
  });

  test("lists the accounts of ready endpoints in the mesh's trust domain, and follows its changes", () => {
    const conversion = conversionOf(service, endpoints, pod);
    expect(entryIn(conversion).spec.subjectAltNames).toEqual(["spiffe://cluster.local/ns/shop/sa/reviews-0-account"]);
    conversion.setMesh("trustDomain: example.org");
    expect(entryIn(conversion).spec.subjectAltNames).toEqual(["spiffe://example.org/ns/shop/sa/reviews-0-account"]);
  });

  test("omits the account of an endpoint that is not ready", () => {
    const two = endpoints.replace(
      /subsets: .*/u,
      "subsets: [{addresses: [{ip: 10.0.0.1}], notReadyAddresses: [{ip: 10.0.0.2}], ports: [{name: http, port: 8080}]}]",
    );
    const entry = entryIn(conversionOf(service, two, pod, podNamed("reviews-1", "10.0.0.2")));
    expect(entry.annotations["networking.alpha.istio.io/notReadyEndpoints"]).toBe("10.0.0.2:8080");
    expect(entry.spec.subjectAltNames).toEqual(["spiffe://cluster.local/ns/shop/sa/reviews-0-account"]);
  });

  test("keeps the form of an empty account name", () => {
    const nameless = pod.replace("reviews-0-account", "''");
    expect(entryIn(conversionOf(service, endpoints, nameless)).spec.subjectAltNames).toEqual([
      "spiffe://cluster.local/ns/shop/sa/",
    ]);
  });

  test("lists a shared account once, and not-ready endpoints as an annotation, port by port", () => {
    const two = endpoints.replace(
      /subsets: .*/u,
      "subsets: [{addresses: [{ip: 10.0.0.1}, {ip: 10.0.0.2}], notReadyAddresses: [{ip: 10.0.0.3}, {ip: 10.0.0.4}], ports: [{name: http, port: 8080}, {name: admin, port: 9090}]}]",
    );
    const second = podNamed("reviews-0", "10.0.0.2").replace("name: reviews-0,", "name: reviews-1,");
    const entry = entryIn(conversionOf(service, two, pod, second));
    expect(entry.spec.endpoints.map(({ address }) => address)).toEqual(["10.0.0.1", "10.0.0.2"]);
    expect(entry.spec.subjectAltNames).toEqual(["spiffe://cluster.local/ns/shop/sa/reviews-0-account"]);
    expect(entry.annotations["networking.alpha.istio.io/notReadyEndpoints"]).toBe(
      "10.0.0.3:8080,10.0.0.4:8080,10.0.0.3:9090,10.0.0.4:9090",
    );
  });

  test.each([
    ["a service with an address and endpoints", service, endpoints, Resolution.STATIC],
    ["a service with an address and no endpoints (D-27)", service, "", Resolution.STATIC],
    ["a headless service with endpoints", serviceWith("{clusterIP: None}"), endpoints, Resolution.STATIC],
    ["a headless service without", serviceWith("{clusterIP: None}"), "", Resolution.NONE],
    ["a service that has no address yet", serviceWith("{}"), "", Resolution.NONE],
    ["a name outside", serviceWith("{type: ExternalName, externalName: a.example}"), "", Resolution.DNS],
  ])("of %s resolves accordingly", (_what, of, listed, resolution) => {
    expect(entryIn(conversionOf(of, listed)).spec.resolution).toBe(resolution);
  });

  test("of an external name has that name as its only endpoint, and is outside the mesh", () => {
    const { spec } = entryIn(
      conversionOf(
        serviceWith(
          "{type: ExternalName, externalName: a.example, ports: [{name: http, port: 80}]}",
          ", labels: {a: b}",
        ),
      ),
    );
    expect(spec).toMatchObject({ location: Location.MESH_EXTERNAL, addresses: ["0.0.0.0"] });
    expect(spec.endpoints).toMatchObject([{ address: "a.example", ports: { http: 80 }, labels: { a: "b" } }]);
  });
});
