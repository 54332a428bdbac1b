import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { HTTPRouteSchema } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { mirrorsAmong } from "./mirrors.ts";
import { writtenRouteOf } from "./written-route.ts";

const shadow = { host: "shadow", subset: "v2", port: { number: 81 } };

/** The mirrors of a route, with their fractions. */
function mirrors(init: MessageInitShape<typeof HTTPRouteSchema>): readonly string[] {
  const written = writtenRouteOf(create(HTTPRouteSchema, init), {
    namespace: "shop",
    domain: "cluster.local",
    prefixes: "texts",
  });
  return mirrorsAmong(written).map(
    ({ hostname, subset, port, fraction: { numerator, denominator } }) =>
      `${hostname} ${subset} ${port} ${numerator}/${denominator}`,
  );
}

const shadowed = "shadow.shop.svc.cluster.local v2 81";

test.each<[string, MessageInitShape<typeof HTTPRouteSchema>, readonly string[]]>([
  ["nobody", {}, []],
  ["everything", { mirror: shadow }, [`${shadowed} 100/100`]],
  ["a share", { mirror: shadow, mirrorPercentage: { value: 0.5 } }, [`${shadowed} 5000/1000000`]],
  ["a share as it was written once", { mirror: shadow, mirrorPercent: 30 }, [`${shadowed} 30/100`]],
  ["nothing when it is said", { mirror: shadow, mirrorPercentage: { value: 0 } }, []],
  ["nothing as it was said once", { mirror: shadow, mirrorPercent: 0 }, []],
  [
    "several, each its share",
    {
      mirrors: [
        { destination: shadow },
        { destination: { host: "a.example.com" }, percentage: { value: 25 } },
        { destination: shadow, percentage: { value: 0 } },
        {},
      ],
    },
    [`${shadowed} 100/100`, "a.example.com  undefined 250000/1000000"],
  ],
])("mirrors get %s", (_, init, expected) => {
  expect(mirrors(init)).toEqual(expected);
});
