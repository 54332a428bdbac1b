/**
 * The ways in which a client may write a service's hostname: in full, with a final dot, and as short as Kubernetes'
 * DNS would let it, seen from its own domain `namespace.svc.cluster.local`.
 */
export function spellingsOf(hostname: string, dnsDomain: string): readonly string[] {
  const { namespace, clusterDomain } = partsOf(dnsDomain);
  const end = `.svc.${clusterDomain}`;
  if (clusterDomain === "" || !hostname.endsWith(end)) return [hostname, `${hostname}.`];
  const short = hostname.slice(0, -end.length);
  const [name, itsNamespace, ...rest] = short.split(".");
  if (name === undefined || itsNamespace === undefined || rest.length > 0) return [hostname, `${hostname}.`];
  const spellings = [hostname, `${hostname}.`, `${short}.svc`, short];
  return itsNamespace === namespace ? [...spellings, name] : spellings;
}

/** The other way round: the hostnames that a client in this domain may mean, as written first. */
export function hostnamesMeant(written: string, dnsDomain: string): readonly string[] {
  const hostname = written.endsWith(".") ? written.slice(0, -1) : written;
  const { namespace, clusterDomain } = partsOf(dnsDomain);
  const labels = hostname.split(".");
  if (clusterDomain === "" || written !== hostname) return [hostname];
  if (labels.length === 1) return [hostname, `${hostname}.${namespace}.svc.${clusterDomain}`];
  if (labels.length === 2) return [hostname, `${hostname}.svc.${clusterDomain}`];
  if (labels.length === 3 && labels[2] === "svc") return [hostname, `${hostname}.${clusterDomain}`];
  return [hostname];
}

/** Empty for a client that does not live in Kubernetes' kind of domain. */
function partsOf(dnsDomain: string): { readonly namespace: string; readonly clusterDomain: string } {
  const [namespace = "", clusterDomain = ""] = dnsDomain.split(".svc.", 2);
  return { namespace, clusterDomain };
}
