import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { type Telemetry as IstioTelemetry, TelemetrySchema } from "#gen/istio/telemetry/v1alpha1/telemetry_pb.js";
import type { Config } from "../../config/config.ts";
import type { Telemetry } from "../../pilot/model/policy/telemetry.ts";
import { telemetryOf } from "../../pilot/registry/policy/telemetry.ts";
import { configOf } from "../config/fake-config.ts";

/** A Telemetry of the model, from the `spec` that a user writes. */
export function fakeTelemetry(spec: JsonObject, changes: Partial<Config<IstioTelemetry>> = {}): Telemetry {
  return telemetryOf({ ...configOf("Telemetry", "a", {}, {}), ...changes, spec: fromJson(TelemetrySchema, spec) });
}
