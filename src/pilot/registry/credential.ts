import { type Config, configId } from "../../config/config.ts";
import { credentialParts } from "../../config/credential/credential-parts.ts";
import { authoritiesIn, pairIn, pullConfigIn } from "../../config/credential/secret-parts.ts";
import { Sealed } from "../../lib/sealed.ts";
import type { Credential } from "../model/credential/credential.ts";

/** Undefined for objects without certificates and credentials: most ConfigMaps, and many Secrets. */
export function credentialOf(config: Config): Credential | undefined {
  const { kind, namespace, name, version } = config;
  const parts = credentialParts(config);
  const [pair, authorities, pull] = [pairIn(parts), authoritiesIn(parts), pullConfigIn(parts)];
  if (pair === undefined && authorities === undefined && pull === undefined) return undefined;
  const [certificate, pullConfig] = [pair && new Sealed(pair), pull && new Sealed(pull)];
  return { namespace, name, owner: configId(kind, namespace, name), version, certificate, pullConfig, authorities };
}
