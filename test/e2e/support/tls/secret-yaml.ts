import { readFileSync } from "node:fs";
import type { IssuedFiles } from "./certificates.ts";

/** A Kubernetes Secret or ConfigMap as a document. JSON is YAML as well. */
export function coreYaml(kind: "Secret" | "ConfigMap", name: string, body: object, namespace = "istio-system"): string {
  return `${JSON.stringify({ apiVersion: "v1", kind, metadata: { name, namespace }, ...body }, undefined, 2)}\n`;
}

/** A Secret of type `kubernetes.io/tls`. */
export function tlsSecret(name: string, files: IssuedFiles, namespace?: string): string {
  return coreYaml("Secret", name, { type: "kubernetes.io/tls", data: encoded(pairOf(files)) }, namespace);
}

/** A Secret with a certificate, its key, and the CA certificates for clients, by their older names. */
export function mutualSecret(name: string, files: IssuedFiles): string {
  const { "tls.crt": cert, "tls.key": key } = pairOf(files);
  return coreYaml("Secret", name, { stringData: { cert, key, cacert: read(files.rootCertificates) } });
}

/** A Secret of namespace `shop` with logins, `user:password`, for registries of images. */
export function pullSecret(name: string, logins: Readonly<Record<string, string>>, namespace = "shop"): string {
  const auths = Object.entries(logins).map(([host, login]) => [host, { auth: Buffer.from(login).toString("base64") }]);
  const stringData = { ".dockerconfigjson": JSON.stringify({ auths: Object.fromEntries(auths) }) };
  return coreYaml("Secret", name, { type: "kubernetes.io/dockerconfigjson", stringData }, namespace);
}

export function pairOf({ certificateChain, privateKey }: IssuedFiles) {
  return { "tls.crt": read(certificateChain), "tls.key": read(privateKey) };
}

/** Values of `data`. */
export function encoded(texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text).toString("base64")]));
}

function read(file: string): string {
  return readFileSync(file, "utf8");
}
