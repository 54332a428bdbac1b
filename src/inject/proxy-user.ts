import { isMapping } from "../lib/is-mapping.ts";
import { initContainer, proxyContainer, validationContainer } from "./names.ts";
import type { Overrides } from "./overrides.ts";
import type { Container, PodSpec } from "./pod.ts";

/**
 * Follows a user id that the user gives to the proxy. The redirection skips traffic of that user, and the check of a
 * CNI plugin runs as that user. With transparent proxying the proxy stays root.
 */
export function followProxyUser(spec: PodSpec, overrides: Overrides, isTransparent: boolean): PodSpec {
  const security = overrides.get(proxyContainer)?.["securityContext"];
  if (!isMapping(security)) return spec;
  const { runAsUser, runAsGroup } = security;
  const follow = (container: Container): Container => {
    if (container.name === proxyContainer && isTransparent && runAsUser !== undefined) {
      return withSecurity(container, { runAsUser: 0 });
    }
    if (container.name === validationContainer && !isTransparent) {
      const ids = { ...(runAsUser !== undefined && { runAsUser }), ...(runAsGroup !== undefined && { runAsGroup }) };
      return withUser(withSecurity(container, ids), runAsUser);
    }
    return container.name === initContainer ? withUser(container, runAsUser) : container;
  };
  const { initContainers } = spec;
  return {
    ...spec,
    containers: spec.containers.map(follow),
    ...(initContainers !== undefined && { initContainers: initContainers.map(follow) }),
  };
}

function withSecurity(container: Container, ids: object): Container {
  const { securityContext } = container;
  return { ...container, securityContext: { ...(isMapping(securityContext) ? securityContext : {}), ...ids } };
}

/** The traffic of root is always redirected, so root cannot be excluded. */
function withUser(container: Container, user: unknown): Container {
  const { args } = container;
  if (typeof user !== "number" || user === 0 || !Array.isArray(args)) return container;
  const at = args.indexOf("-u");
  return at < 0 ? container : { ...container, args: args.toSpliced(at + 1, 1, String(user)) };
}
