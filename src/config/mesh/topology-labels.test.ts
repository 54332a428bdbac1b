import { expect, test } from "vitest";
import { localityFromOneLabel, localityFromLabels } from "./topology-labels.ts";

test("today's labels win over those before Kubernetes 1.17", () => {
  const old = { "failure-domain.beta.kubernetes.io/region": "us", "failure-domain.beta.kubernetes.io/zone": "old" };
  expect(localityFromLabels(old)).toEqual({ region: "us", zone: "old", subzone: "" });
  const both = { ...old, "topology.kubernetes.io/region": "eu", "topology.istio.io/subzone": "rack" };
  expect(localityFromLabels(both)).toEqual({ region: "eu", zone: "old", subzone: "rack" });
});

test.each([
  [{ "istio-locality": "eu/west/1" }, "eu/west/1"],
  [{ "istio-locality": "eu.west.1" }, "eu/west/1"],
  [{ "topology.istio.io/locality": "us", "istio-locality": "eu" }, "us"],
  [{}, ""],
])("%o has the combined locality %j", (labels, locality) => {
  expect(localityFromOneLabel(labels)).toBe(locality);
});
