import { compareTexts } from "../../../../lib/compare.ts";
import type { RegistryInstance } from "../../registry/registry-service.ts";

/** Parameters by which providers describe themselves to a mesh, by the conventions of Aeraki. */
const namespaceParameter = "aeraki_meta_app_namespace";
const accountParameter = "aeraki_meta_app_service_account";
const localityParameter = "aeraki_meta_locality";
const versionParameter = "aeraki_meta_app_version";

export const aerakiParameters: readonly string[] = [
  namespaceParameter,
  accountParameter,
  localityParameter,
  versionParameter,
  "aeraki_meta_workload_selector",
];

interface Parametrized {
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * A service is in one namespace: the first by name among those of its providers. Providers with another namespace are
 * excluded.
 */
export function chooseNamespace<P extends Parametrized>(providers: readonly P[], usual: string) {
  const asked = (provider: P) => provider.parameters.get(namespaceParameter) || usual;
  const namespace = providers.map(asked).toSorted(compareTexts)[0] ?? usual;
  return { namespace, strangers: new Set(providers.filter((provider) => asked(provider) !== namespace)) };
}

/**
 * The instance with the account, locality and version from its parameters. A missing account is not guessed, because
 * proxies would accept no other identity.
 */
export function aerakiInstance(instance: RegistryInstance, parameters: Parametrized["parameters"]): RegistryInstance {
  const locality = parameters.get(localityParameter)?.replaceAll(/%2F/giu, "/");
  const version = parameters.get(versionParameter);
  const serviceAccount = parameters.get(accountParameter);
  return {
    ...instance,
    ...(serviceAccount === undefined ? {} : { serviceAccount }),
    ...(locality === undefined ? {} : { locality }),
    ...(version === undefined ? {} : { labels: { ...instance.labels, version } }),
  };
}
