import type { ConfigMap } from "#gen/k8s/core/v1/data_pb.js";
import type { Config } from "../config.ts";
import { configMap, partsOfConfigMap } from "../kinds/secret.ts";
import type { SecretParts } from "./secret-parts.ts";

/** The parts of a Secret or a ConfigMap that belong to certificates. */
export function credentialParts(config: Config): SecretParts {
  // The kind table guarantees this cast: a config has the spec of its kind.
  return config.kind === configMap.kind ? partsOfConfigMap(config.spec as ConfigMap) : (config.sealed?.reveal() ?? {});
}
