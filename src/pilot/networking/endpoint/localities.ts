import { compareTexts } from "../../../lib/compare.ts";
import type { ProtoWriter } from "../../../lib/proto-writer.ts";
import type { Endpoint } from "../../model/service.ts";
import { lbEndpointOf, weightOf } from "./lb-endpoint.ts";

const maxWeight = 0xff_ff_ff_ff;

/** Endpoints grouped by locality, sorted by its name. A locality weighs as much as its endpoints together. */
export function localitiesOf(endpoints: readonly Endpoint[], writer: ProtoWriter) {
  const groups = Map.groupBy(endpoints, ({ locality }) => locality);
  return [...groups]
    .toSorted(([a], [b]) => compareTexts(a, b))
    .map(([locality, members]) => ({
      // Present also when unknown: gRPC clients insist on it.
      locality: localityOf(locality),
      lbEndpoints: members.map((endpoint) => lbEndpointOf(endpoint, writer)),
      loadBalancingWeight: Math.min(
        maxWeight,
        members.reduce((sum, endpoint) => sum + weightOf(endpoint), 0),
      ),
    }));
}

function localityOf(text: string) {
  const [region = "", zone = "", subZone = ""] = text.split("/");
  return { region, zone, subZone };
}
