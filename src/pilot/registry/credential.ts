import { type Config, configId } from "../../config/config.ts";
import { credentialParts } from "../../config/credential/credential-parts.ts";
import { authoritiesIn, pairIn } from "../../config/credential/secret-parts.ts";
import { Sealed } from "../../lib/sealed.ts";
import type { Credential } from "../model/credential/credential.ts";

/** Undefined for objects without certificates: most ConfigMaps, and many Secrets. */
export function credentialOf(config: Config): Credential | undefined {
  const { kind, namespace, name, version } = config;
  const parts = credentialParts(config);
  const [pair, authorities] = [pairIn(parts), authoritiesIn(parts)];
  if (pair === undefined && authorities === undefined) return undefined;
  const certificate = pair && new Sealed(pair);
  return { namespace, name, owner: configId(kind, namespace, name), version, certificate, authorities };
}
