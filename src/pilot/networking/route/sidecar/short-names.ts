const clusterSuffix = ".svc.";

/** How the part of a hostname that a proxy shares with its own DNS domain can be left out. None if it shares nothing. */
export function shortNamesOf(hostname: string, dnsDomain: string): readonly string[] {
  const names = dnsDomain.includes(clusterSuffix)
    ? clusterNames(hostname, dnsDomain)
    : relativeNames(hostname.split("."), dnsDomain.split("."));
  // A shortened wildcard must not match everything.
  return names.filter((name) => name !== "" && name !== "*");
}

/** In Kubernetes' kind of domain, `namespace.svc.cluster.local`, only services of the same kind have short names. */
function clusterNames(hostname: string, dnsDomain: string): readonly string[] {
  const [ownNamespace = ""] = dnsDomain.split(clusterSuffix, 1);
  if (!hostname.endsWith(dnsDomain.slice(ownNamespace.length))) return [];
  const [qualified = ""] = hostname.split(clusterSuffix, 1);
  const dot = qualified.indexOf(".");
  if (dot === -1) return [];
  const others = [`${qualified}.svc`, qualified];
  return qualified.slice(dot + 1) === ownNamespace ? [qualified.slice(0, dot), ...others] : others;
}

/** `foo.local` and `bar.local` share `local`: the one calls the other `bar`. */
function relativeNames(hostname: readonly string[], domain: readonly string[]): readonly string[] {
  let shared = 0;
  while (shared < hostname.length && hostname.at(-1 - shared) === domain.at(-1 - shared)) shared += 1;
  if (shared === 0) return [];
  const unique = hostname.slice(0, -shared);
  const short = unique.join(".");
  return unique.length === 2 ? [short, `${short}.${hostname.at(-shared)}`] : [short];
}
