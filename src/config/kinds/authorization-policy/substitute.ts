import { create } from "@bufbuild/protobuf";
import {
  AuthorizationPolicy_Action as Action,
  type AuthorizationPolicy,
  AuthorizationPolicySchema,
} from "#gen/istio/security/v1beta1/authorization_policy_pb.js";
import { isMapping } from "../../../lib/is-mapping.ts";
import { readableAttachment } from "../../rules/readable-attachment.ts";

/**
 * Denies all requests to the workloads of an unusable policy, because the policy may deny any of them. An AUDIT policy
 * denies none.
 */
export function denyAll(spec: unknown): AuthorizationPolicy | undefined {
  if (isMapping(spec) && spec["action"] === "AUDIT") return undefined;
  return create(AuthorizationPolicySchema, { ...readableAttachment(spec), action: Action.DENY, rules: [{}] });
}
