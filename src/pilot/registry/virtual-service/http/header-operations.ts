import type { Headers, Headers_HeaderOperations } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { compareTexts } from "../../../../lib/compare.ts";
import type { HeaderChanges, HeaderOperations } from "../../../model/traffic/virtual-service.ts";

export function headerOperationsOf(headers: Headers | undefined): HeaderOperations {
  return { request: changesOf(headers?.request), response: changesOf(headers?.response) };
}

function changesOf(operations: Headers_HeaderOperations | undefined): HeaderChanges {
  if (operations === undefined) return { set: [], add: [], remove: [] };
  return { set: sortedPairs(operations.set), add: sortedPairs(operations.add), remove: operations.remove };
}

function sortedPairs(values: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(values).toSorted(([a], [b]) => compareTexts(a, b));
}
