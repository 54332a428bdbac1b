import type { OptionRows } from "./option.ts";
import { periodMs, singleText, texts } from "./option-values.ts";

/** Options for the certificate authority. */
export interface CaOptions {
  readonly ca: string | undefined;
  readonly caState: string | undefined;
  readonly caRoots: string | undefined;
  readonly caTtlMs: number;
  readonly caMaxTtlMs: number;
  readonly caRootTtlMs: number;
  readonly caTrustDomain: string | undefined;
  readonly caServerNames: readonly string[];
}

const hourMs = 3_600_000;

export const caOptions: OptionRows<CaOptions> = {
  ca: {
    name: "ca",
    env: ["BINNACLE_CA"],
    type: singleText("off|self-signed|DIR|secret:NAME|etcd|signer:NAME"),
    default: undefined,
    defaultText: "",
    doc: "Certificate authority that signs workload certificates on --xds-tls. The value self-signed creates a root and keeps it in --ca-state. DIR is an authority of yours, in Istio's cacerts layout: ca-cert.pem, ca-key.pem, cert-chain.pem and root-cert.pem. It is reloaded on change. The value secret:NAME is a Secret in the namespace of --lease-namespace, in the same layout. The name istio-ca-secret is the authority of an istiod, and cacerts is one of yours. A missing Secret is created, except cacerts. The value etcd shares a new root by the first etcd source. The value signer:NAME lets a signer of Kubernetes sign, with CertificateSigningRequests, and needs --ca-roots. Without this flag, --xds-tls without --tls-cert uses self-signed. Otherwise the authority is off.",
    example: "/etc/cacerts",
    of: "pilot",
  },
  caState: {
    name: "ca-state",
    env: ["BINNACLE_CA_STATE"],
    type: singleText("DIR"),
    default: undefined,
    defaultText: "",
    doc: "Directory in which --ca self-signed keeps its root and private key, readable only by its owner. All replicas on one machine may share it. Without this flag: binnacle in $XDG_STATE_HOME, or in ~/.local/state.",
    example: "/var/lib/binnacle",
    of: "pilot",
  },
  caRoots: {
    name: "ca-roots",
    env: ["BINNACLE_CA_ROOTS"],
    type: singleText("FILE"),
    default: undefined,
    defaultText: "",
    doc: "Root certificates of --ca signer:NAME, in PEM. Workloads trust them. Reloaded on change.",
    example: "/etc/mesh/root-cert.pem",
    of: "pilot",
  },
  caTtlMs: {
    name: "ca-ttl",
    env: ["BINNACLE_CA_TTL", "DEFAULT_WORKLOAD_CERT_TTL"],
    type: periodMs,
    default: 24 * hourMs,
    defaultText: "24h",
    doc: "Time to live of a certificate whose client asks for none.",
    example: "1h",
    of: "pilot",
  },
  caMaxTtlMs: {
    name: "ca-max-ttl",
    env: ["BINNACLE_CA_MAX_TTL", "MAX_WORKLOAD_CERT_TTL"],
    type: periodMs,
    default: 90 * 24 * hourMs,
    defaultText: "2160h",
    doc: "Longest time to live that a client may ask for. A request for more is refused.",
    example: "48h",
    of: "pilot",
  },
  caRootTtlMs: {
    name: "ca-root-ttl",
    env: ["BINNACLE_CA_ROOT_TTL", "CITADEL_SELF_SIGNED_CA_CERT_TTL"],
    type: periodMs,
    default: 87_600 * hourMs,
    defaultText: "87600h",
    doc: "Time to live of a root that the server creates. After 80 % of this time the server starts a root rotation by itself.",
    example: "8760h",
    of: "pilot",
  },
  caTrustDomain: {
    name: "ca-trust-domain",
    env: ["BINNACLE_CA_TRUST_DOMAIN"],
    type: singleText("NAME"),
    default: undefined,
    defaultText: "",
    doc: "Trust domain of the names in certificates for callers with a token. Without this flag: trustDomain of MeshConfig. Another value must be one of its trustDomainAliases: the mesh refuses certificates of all others, and the log has a warning.",
    example: "cluster.local",
    of: "pilot",
  },
  caServerNames: {
    name: "ca-server-name",
    env: ["BINNACLE_CA_SERVER_NAME", "ISTIOD_CUSTOM_HOST"],
    type: texts("NAME"),
    default: [],
    defaultText: "",
    doc: "DNS name or IP address in the certificate that the authority issues for this server. The certificate always has localhost and the names of istiod and binnacle in the root namespace. May be repeated.",
    example: "mesh.example.com",
    of: "pilot",
  },
};
