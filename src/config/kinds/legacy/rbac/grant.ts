import type { MessageInitShape } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import { ConditionSchema } from "#gen/istio/security/v1beta1/authorization_policy_pb.js";
import { type Finding, warning } from "../../../finding.ts";
import { condition } from "../../authorization-policy/rule.ts";

/** A condition of an AuthorizationPolicy. */
export type ConditionInit = MessageInitShape<typeof ConditionSchema> & { readonly key: string };

/** Says that a rule or a subject grants nothing, because an AuthorizationPolicy cannot express the field. */
export function grantsNothing(path: string, why: string): Finding {
  const message = `this grants nothing to anybody: ${why}`;
  return warning(path, { code: "grants-nothing", message, hint: "write an AuthorizationPolicy" });
}

/** The mistake in a condition of an AuthorizationPolicy, at the legacy field; undefined if there is none. */
export function refusals(init: ConditionInit, path: string): readonly Finding[] {
  const findings = condition(create(ConditionSchema, init), "");
  return findings.filter(({ severity }) => severity === "error").map(({ message }) => grantsNothing(path, message));
}
