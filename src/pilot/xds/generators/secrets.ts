import { compareTexts } from "../../../lib/compare.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";
import type { NameSet } from "../../../xds/resources/name-set.ts";
import { type SecretClient, secretClientOf } from "../../model/credential/secret-client.ts";
import { objectsOf, parseSecretName } from "../../model/credential/secret-name.ts";
import { secretVerdict } from "../../model/credential/secret-verdict.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import type { PushContext } from "../../model/push-context.ts";
import type { Resource } from "../../model/resource.ts";
import { buildAuthorities, buildCertificate } from "../../networking/secret/build-secret.ts";
import { type Generated, type GeneratorRun, only, type PartFamily, type PartInputs } from "../generator.ts";

/**
 * Inputs that proxies share if they asked for the same secrets and may have them. Unlike in parts by name, the
 * names belong to the id. So a part contains no secret that one of its proxies may not have.
 */
interface SecretPart extends PartInputs {
  readonly client: SecretClient;
  /** Sorted. */
  readonly secrets: readonly string[];
}

/**
 * SDS: the certificates that Gateways, DestinationRules and Sidecars name. A name has no
 * resource if it does not exist or if the proxy may not have it. The server or cluster that needs it waits.
 */
export function secrets(writer: ProtoWriter): PartFamily<SecretPart> {
  function generate({ inputs: { client, secrets: names }, push }: GeneratorRun<SecretPart>): Generated {
    return { covers: "all", resources: names.flatMap((name) => secretOf(name, client, push) ?? []) };
  }

  function secretOf(name: string, client: SecretClient, push: PushContext): Resource | undefined {
    const verdict = secretVerdict(name, client, push);
    if (verdict.type !== "served") return undefined;
    const build = verdict.isPublic ? buildAuthorities : buildCertificate;
    return build(name, verdict.credential, writer);
  }

  return {
    name: "secrets",
    parts: partsOf,
    concerns: only("Secret", "ConfigMap"),
    dependencies({ secrets: names, client: { namespace } }) {
      const objects = new Set(names.flatMap((name) => objectsIn(name, namespace)));
      return (changed) => objects.has(changed);
    },
    generate,
  };
}

function partsOf(proxy: Proxy, push: PushContext, asked: NameSet | "all"): readonly SecretPart[] {
  // Secrets have no wildcard.
  if (asked === "all") return [];
  const names = [...asked].filter((name) => parseSecretName(name, proxy.namespace) !== undefined);
  if (names.length === 0) return [];
  const client = secretClientOf(proxy, push);
  const permitted = names.filter((name) => secretVerdict(name, client, push).type !== "refused");
  return permitted.length === 0 ? [] : [{ client, secrets: permitted.toSorted(compareTexts) }];
}

function objectsIn(resource: string, namespace: string) {
  const name = parseSecretName(resource, namespace);
  return name === undefined ? [] : objectsOf(name);
}
