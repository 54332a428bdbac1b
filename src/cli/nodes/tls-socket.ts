import { isIpAddress } from "../../config/grammar/address.ts";
import { MeshError } from "../../lib/errors.ts";
import type { TlsJson } from "./proxy-config.ts";

/** TLS settings of the connection to the control plane. */
export interface XdsTls {
  /** The CA certificates that verify the control plane. */
  readonly rootCertificates: string;
  /** The client certificate of the proxy; optional. */
  readonly client?: { readonly certificateChain: string; readonly privateKey: string };
}

const tlsContext = "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext";

/** Envoy reads these files only at its start. To rotate certificates at run time, use SDS. */
export function tlsSocket(host: string, { rootCertificates, client }: XdsTls) {
  const san_type = isIpAddress(host) ? "IP_ADDRESS" : "DNS";
  return {
    name: "envoy.transport_sockets.tls",
    typed_config: {
      "@type": `type.googleapis.com/${tlsContext}`,
      ...(san_type === "DNS" && { sni: host }),
      common_tls_context: {
        alpn_protocols: ["h2"],
        ...(client && {
          tls_certificates: [
            { certificate_chain: { filename: client.certificateChain }, private_key: { filename: client.privateKey } },
          ],
        }),
        validation_context: {
          trusted_ca: { filename: rootCertificates },
          match_typed_subject_alt_names: [{ san_type, matcher: { exact: host } }],
        },
      },
    },
  };
}

/** TLS to a collector, as DestinationRules describe it; undefined for plain text. Throws `bad-option`. */
export function tracerSocket(host: string, tls: TlsJson): object | undefined {
  const { mode = "DISABLE", caCertificates, clientCertificate, privateKey, subjectAltNames = [], sni = host } = tls;
  if (mode === "DISABLE") return undefined;
  if (mode !== "SIMPLE" && mode !== "MUTUAL")
    throw new MeshError("bad-option", `tlsSettings of the ProxyConfig: a bootstrap has no TLS mode ${mode}`);
  const names = subjectAltNames.map((exact) => ({ san_type: "DNS", matcher: { exact } }));
  return {
    name: "envoy.transport_sockets.tls",
    typed_config: {
      "@type": `type.googleapis.com/${tlsContext}`,
      sni,
      common_tls_context: {
        ...(clientCertificate !== undefined && {
          tls_certificates: [
            { certificate_chain: { filename: clientCertificate }, private_key: { filename: privateKey } },
          ],
        }),
        ...(caCertificates !== undefined && {
          validation_context: {
            trusted_ca: { filename: caCertificates },
            ...(tls.caCrl !== undefined && { crl: { filename: tls.caCrl } }),
            ...(names.length > 0 && { match_typed_subject_alt_names: names }),
          },
        }),
      },
    },
  };
}
