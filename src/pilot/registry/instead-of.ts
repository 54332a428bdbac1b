import { create, type JsonValue } from "@bufbuild/protobuf";
import {
  AuthorizationPolicy_Action as Action,
  AuthorizationPolicySchema,
} from "#gen/istio/security/v1beta1/authorization_policy_pb.js";
import { type Config, type ConfigId, configId } from "../../config/config.ts";
import { contentVersion } from "../../config/content-version.ts";
import { apiVersionOf } from "../../config/kind.ts";
import { authorizationPolicy } from "../../config/kinds/authorization-policy.ts";
import { kindOf } from "../../config/kinds.ts";
import { substituteMark, substituteOf } from "../../config/parse/substitute.ts";
import { readableAttachment } from "../../config/rules/readable-attachment.ts";
import { specJson } from "../../config/spec-json.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import { guards } from "./guards.ts";

/** The objects in place of an object that proxies refuse. Undefined stands for no object. */
export interface Replacement {
  readonly type: "earlier version" | "nothing" | "denied";
  readonly objects: ReadonlyMap<ConfigId, Config | undefined>;
}

/**
 * The version that the proxies accepted before, else nothing. An object whose absence would admit more than it says is
 * replaced by a policy that denies everything for its workloads.
 */
export function insteadOf(id: ConfigId, refused: Config | undefined, accepted: Config | undefined): Replacement {
  if (accepted !== undefined) return { type: "earlier version", objects: new Map([[id, accepted]]) };
  const denial = refused === undefined ? undefined : denialFor(refused);
  if (denial === undefined) return { type: "nothing", objects: new Map([[id, undefined]]) };
  const denialId = configId(denial.kind, denial.namespace, denial.name);
  return {
    type: "denied",
    objects: new Map([
      [id, undefined],
      [denialId, denial],
    ]),
  };
}

function denialFor(config: Config): Config | undefined {
  const row = kindOf(config.apiVersion, config.kind);
  if (row === undefined) return undefined;
  const spec = specJson(config, row.schema);
  const { name, namespace, labels, createdAt, origin } = config;
  if (row.substitute !== undefined) {
    return substituteOf({ row, metadata: { name, namespace, labels, createdAt }, spec, origin });
  }
  return guards(config.kind, spec) ? denyAllOf(config, spec) : undefined;
}

function denyAllOf({ name, namespace, createdAt, origin }: Config, spec: JsonValue): Config {
  const message = create(AuthorizationPolicySchema, { ...attachmentOf(spec), action: Action.DENY, rules: [{}] });
  const content = {
    name: `quarantine.${name}`,
    namespace,
    labels: {},
    annotations: { [substituteMark]: "true" },
    createdAt,
    kind: authorizationPolicy.kind,
    apiVersion: apiVersionOf(authorizationPolicy),
    spec: message,
  };
  return { ...content, version: contentVersion(content, authorizationPolicy.schema), origin };
}

/** An EnvoyFilter has another field for the same labels. */
function attachmentOf(spec: JsonValue) {
  if (!isMapping(spec) || !isMapping(spec["workloadSelector"])) return readableAttachment(spec);
  return readableAttachment({ selector: { matchLabels: spec["workloadSelector"]["labels"] } });
}
