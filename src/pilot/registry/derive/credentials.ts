import type { Collection } from "../../../collection/collection.ts";
import type { Graph } from "../../../collection/graph.ts";
import { type Config, configKey } from "../../../config/config.ts";
import type { Credential } from "../../model/credential/credential.ts";
import { credentialOf } from "../credential.ts";
import type { Inputs } from "../inputs.ts";

/** Secrets and ConfigMaps with certificates. */
export function deriveCredentials(graph: Graph, { secrets, configMaps }: Pick<Inputs, "secrets" | "configMaps">) {
  const derive = (name: string, from: Collection<Config>) =>
    graph.derive({
      name,
      from,
      key: (credential: Credential) => configKey(credential),
      to: (config) => [credentialOf(config)].filter((credential) => credential !== undefined),
    });
  return {
    secretCredentials: derive("credentials of secrets", secrets),
    configMapCredentials: derive("credentials of config maps", configMaps),
  };
}
