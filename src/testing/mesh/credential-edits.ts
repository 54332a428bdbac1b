import fc from "fast-check";
import { pairs, revocationList, rootCertificate } from "../config/fake-certificates.ts";
import type { WrittenObject } from "./written-objects.ts";

const { one, two } = pairs;
const contents = fc.constantFrom(
  { "tls.crt": one.certificate, "tls.key": one.key },
  { "tls.crt": two.certificate, "tls.key": two.key },
  { "tls.crt": one.certificate, "tls.key": one.key, "ca.crt": rootCertificate },
  { "ca.crt": rootCertificate },
  { "ca.crt": rootCertificate, "ca.crl": revocationList },
  { password: "none" },
  { ".dockerconfigjson": '{"auths":{"hub.example.com":{"auth":"dTox"}}}' },
  { ".dockerconfigjson": '{"auths":{"hub.example.com":{"auth":"dToy"}}}' },
);
const place = fc.record({
  namespace: fc.constantFrom("a", "a", "istio-system", "b"),
  name: fc.constantFrom("shop-cert", "shop-cert", "shop-cert-cacert"),
});

/** A Secret or a ConfigMap that Gateways and extensions may name, with certificates, with a login, or without. */
export const credentialObject: fc.Arbitrary<WrittenObject> = fc
  .record({ kind: fc.constantFrom("Secret", "Secret", "Secret", "ConfigMap"), metadata: place, content: contents })
  .map(({ kind, metadata, content }) => ({
    apiVersion: "v1",
    kind,
    metadata,
    ...(kind === "Secret" ? { stringData: content, type: typeOf(content) } : { data: content }),
  }));

function typeOf(content: object): string {
  return ".dockerconfigjson" in content ? "kubernetes.io/dockerconfigjson" : "Opaque";
}

/** The names that clients ask for. */
export const credentialNames: ReadonlySet<string> = new Set([
  "kubernetes://shop-cert",
  "kubernetes://shop-cert-cacert",
  "kubernetes://b/shop-cert",
  "kubernetes-gateway://a/shop-cert",
  "configmap://a/shop-cert",
]);

/** Settings of servers that use them. */
export const credentialTls = [
  { mode: "SIMPLE", credentialName: "shop-cert" },
  { mode: "MUTUAL", credentialName: "kubernetes-gateway://a/shop-cert" },
] as const;
