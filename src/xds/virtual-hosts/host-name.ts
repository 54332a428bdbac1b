/**
 * Names of virtual hosts as resources: `<route configuration>/<virtual host>`. Envoy finds the route configuration by
 * the text before the last slash, so a slash in the name of the host is escaped.
 */
export function hostResourceName(routes: string, host: string, occurrence = 1): string {
  const escaped = host.replaceAll("%", "%25").replaceAll("/", "%2F");
  // Two hosts of one name are legal in a route configuration, and two resources of one name are not.
  return `${routes}/${escaped}${occurrence === 1 ? "" : `%23${occurrence}`}`;
}

/** The name of the route configuration of such a resource. */
export function routesOfHost(resourceName: string): string {
  return resourceName.slice(0, resourceName.lastIndexOf("/"));
}

/** The name that the host has inside of a whole route configuration. */
export function plainHostName(resourceName: string): string {
  const escaped = resourceName.slice(resourceName.lastIndexOf("/") + 1).replace(/%23\d+$/u, "");
  return escaped.replaceAll("%2F", "/").replaceAll("%25", "%");
}

/**
 * No host has this name. Its removal tells Envoy that a route configuration has no virtual hosts: Envoy passes a
 * response on to the route configurations that it names, and holds a new listener back until its routes got one.
 */
export function noHostOf(routes: string): string {
  return `${routes}/`;
}

const shellPrefix = "shell:";

/** The version of a route configuration whose virtual hosts are resources. Any server can recognize it later. */
export function shellVersion(hash: string): string {
  return `${shellPrefix}${hash}`;
}

export function isShellVersion(version: string): boolean {
  return version.startsWith(shellPrefix);
}
