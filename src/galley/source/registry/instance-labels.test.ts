import { expect, test } from "vitest";
import { labelsFrom, labelsWithoutPlace, localityFrom } from "./instance-labels.ts";

test("metadata that are invalid labels are dropped", () => {
  const metadata = {
    version: "v1",
    "example.com/team": "cart",
    "@class": "java.util.Map",
    "management.port": "8081",
    url: "http://cart/health",
    "a key": "x",
    long: "x".repeat(64),
  };
  expect(labelsFrom(metadata)).toEqual({ version: "v1", "example.com/team": "cart", "management.port": "8081" });
});

test.each([
  [{ "istio-locality": "eu/west/1" }, "eu/west/1"],
  [{ "istio-locality": "eu.west.1" }, "eu/west/1"],
  [{ "istio-locality": "eu", "topology.kubernetes.io/region": "us" }, "eu"],
  [{ "topology.kubernetes.io/region": "eu", "topology.kubernetes.io/zone": "west" }, "eu/west"],
  [{ "failure-domain.beta.kubernetes.io/region": "eu", "failure-domain.beta.kubernetes.io/zone": "w" }, "eu/w"],
  [{ "topology.kubernetes.io/region": "eu", "topology.istio.io/subzone": "rack" }, "eu"],
  [{ "topology.kubernetes.io/zone": "west" }, ""],
  [{}, ""],
])("of %o the locality is %j", (metadata, locality) => {
  expect(localityFrom(metadata)).toBe(locality);
});

test("labels that contain the locality are removed from the labels", () => {
  const labels = { version: "v1", "istio-locality": "eu", "topology.kubernetes.io/zone": "west" };
  expect(labelsWithoutPlace(labels)).toEqual({ version: "v1" });
});
