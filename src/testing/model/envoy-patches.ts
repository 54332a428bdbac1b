import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { EnvoyFilterSchema } from "#gen/istio/networking/v1alpha3/envoy_filter_pb.js";
import type { EnvoyFilter } from "../../pilot/model/policy/envoy-filter.ts";
import type { EnvoyPatch } from "../../pilot/model/policy/envoy-patch.ts";
import { envoyFilterOf } from "../../pilot/registry/policy/envoy-filter.ts";
import { configOf } from "../config/fake-config.ts";

interface Metadata {
  readonly name?: string;
  readonly namespace?: string;
  readonly createdAt?: number;
}

/** An EnvoyFilter with this spec, as its user writes it. */
function envoyFilterWith(spec: JsonValue, { name = "subject", ...changes }: Metadata = {}): EnvoyFilter {
  return envoyFilterOf(configOf("EnvoyFilter", name, fromJson(EnvoyFilterSchema, spec), changes));
}

/** The patches of an EnvoyFilter with these `configPatches`. */
export function patchesWith(...configPatches: readonly JsonValue[]): readonly EnvoyPatch[] {
  return envoyFilterWith({ configPatches: [...configPatches] }).patches;
}
