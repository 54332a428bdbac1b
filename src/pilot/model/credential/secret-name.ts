import { type ConfigId, configId } from "../../../config/config.ts";

/** The object that an SDS name of the control plane stands for. */
export interface SecretName {
  readonly scheme: "kubernetes" | "kubernetes-gateway" | "configmap";
  readonly namespace: string;
  /** Of the object, without the suffix for CA certificates. */
  readonly name: string;
  /** Only CA certificates, which are public. Otherwise a certificate with its private key. */
  readonly isPublic: boolean;
}

const syntax = /^(?<scheme>kubernetes|kubernetes-gateway|configmap):\/\/(?:(?<namespace>[^/]+)\/)?(?<name>[^/]+)$/u;
const authoritiesSuffix = "-cacert";

/**
 * Reads the name of an SDS resource. Without a namespace the object is in that of the proxy, if the scheme allows this.
 * Undefined for names that somebody else serves, or nobody: `default`, `invalid://`.
 */
export function parseSecretName(resource: string, proxyNamespace: string): SecretName | undefined {
  const { scheme, namespace, name = "" } = syntax.exec(resource)?.groups ?? {};
  if (scheme !== "kubernetes" && scheme !== "kubernetes-gateway" && scheme !== "configmap") return undefined;
  if (namespace === undefined && scheme !== "kubernetes") return undefined;
  const hasSuffix = name.endsWith(authoritiesSuffix) && name.length > authoritiesSuffix.length;
  return {
    scheme,
    namespace: namespace ?? proxyNamespace,
    name: hasSuffix ? name.slice(0, -authoritiesSuffix.length) : name,
    isPublic: hasSuffix || scheme === "configmap",
  };
}

/** The SDS name of a credential name: a bare name is that of a Secret in the proxy's namespace. */
export function secretResourceName(credentialName: string): string {
  return credentialName.includes("://") ? credentialName : `kubernetes://${credentialName}`;
}

/** The same for the CA certificates of that credential. */
export function authoritiesResourceName(credentialName: string): string {
  return `${secretResourceName(credentialName)}${authoritiesSuffix}`;
}

/**
 * The Secret that an `imagePullSecret` names. As in istiod it is always in the namespace of the extension, and may be
 * written like a credential name. Undefined for a name that can be no Secret: then modules are fetched without credentials.
 */
export function namedPullSecret(written: string, namespace: string): ConfigId | undefined {
  const name = syntax.exec(secretResourceName(written))?.groups?.["name"];
  return name === undefined ? undefined : configId("Secret", namespace, name);
}

/**
 * The objects that may hold the content, in order of precedence. CA certificates are in an object of their own, with the
 * suffix, or beside the certificate.
 */
export function objectsOf({ scheme, namespace, name, isPublic }: SecretName): readonly ConfigId[] {
  const kind = scheme === "configmap" ? "ConfigMap" : "Secret";
  const beside = configId(kind, namespace, name);
  return isPublic ? [configId(kind, namespace, `${name}${authoritiesSuffix}`), beside] : [beside];
}
