import { compareTexts } from "../../../../lib/compare.ts";
import type { RegistryInstance } from "../../registry/registry-service.ts";

/** What providers tell a mesh of themselves, by the conventions of Aeraki. */
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

/** A service is in one namespace, the first by name that its providers ask for; the others are strangers there. */
export function namespaceOf<P extends Parametrized>(providers: readonly P[], usual: string) {
  const asked = (provider: P) => provider.parameters.get(namespaceParameter) || usual;
  const namespace = providers.map(asked).toSorted(compareTexts)[0] ?? usual;
  return { namespace, strangers: new Set(providers.filter((provider) => asked(provider) !== namespace)) };
}

/**
 * The instance with what its parameters say of its account, its place and its version. An account that it does not name
 * is not guessed: proxies would take nobody else for it.
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
