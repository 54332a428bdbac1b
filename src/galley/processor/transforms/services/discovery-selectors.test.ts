import { expect, test } from "vitest";
import { configKey } from "../../../../config/config.ts";
import { meshServices } from "../../../../config/mesh/mesh-service.ts";
import { conversionOf, service } from "../../../../testing/galley/reviews-service.ts";

const other = service.replace("namespace: shop", "namespace: other");
const namespace = (name: string, labels: string) => `
apiVersion: v1
kind: Namespace
metadata: {name: ${name}, labels: {${labels}}}
`;
const selecting = (selectors: string) => `
apiVersion: mesh.istio.io/v1alpha1
kind: MeshConfig
metadata: {name: mesh}
spec: {discoverySelectors: ${selectors}}
`;
const meshOnly = selecting("[{matchLabels: {mesh: 'on'}}]");

const discoveredIn = (conversion: ReturnType<typeof conversionOf>) =>
  Array.from(conversion.output(meshServices).values(), configKey).toSorted();

test.each([
  ["[]", ["other/reviews", "shop/reviews"]],
  ["[{}]", ["other/reviews", "shop/reviews"]],
  ["[{matchLabels: {mesh: 'on'}}]", ["shop/reviews"]],
  [
    "[{matchLabels: {mesh: 'on'}}, {matchLabels: {kubernetes.io/metadata.name: other}}]",
    ["other/reviews", "shop/reviews"],
  ],
  ["[{matchExpressions: [{key: mesh, operator: NotIn, values: ['on']}]}]", ["other/reviews"]],
])("discoverySelectors %s select these services", (selectors, expected) => {
  const conversion = conversionOf(service, other, namespace("shop", "mesh: 'on'"), selecting(selectors));
  expect(discoveredIn(conversion)).toEqual(expected);
});

test("a changed label of a namespace adds and removes its services", () => {
  const conversion = conversionOf(service, other, namespace("shop", "mesh: 'on'"), meshOnly);
  conversion.apply(namespace("shop", "mesh: 'off'"));
  expect(discoveredIn(conversion)).toEqual([]);
  conversion.apply(namespace("other", "mesh: 'on'"));
  expect(discoveredIn(conversion)).toEqual(["other/reviews"]);
});
