import { TestAuthority } from "../tls/certificates.ts";
import { TokenIssuer } from "../tls/token-issuer.ts";
import type { Identities } from "./shop-world.ts";

/** Plaintext xDS, and certificates in files. No certificate authority is asked. */
export async function identitiesInFiles(stack: AsyncDisposableStack): Promise<Identities> {
  const authority = stack.use(await TestAuthority.create());
  return {
    flags: [],
    agentOf: async (pod, control) => ({
      discoveryAddress: control.plaintextAddress,
      certificates: await authority.issue("shop", pod.name),
      proxyConfig: { controlPlaneAuthPolicy: "NONE" },
    }),
  };
}

/** The name of the control plane in its certificate. Pods find its address in their `/etc/hosts`. */
const controlPlaneHost = "istiod.istio-system.svc";

/** xDS over TLS, authenticated by tokens of service accounts. */
export async function identitiesByTokens(stack: AsyncDisposableStack): Promise<Identities> {
  const issuer = stack.use(await TokenIssuer.create());
  const authority = stack.use(await TestAuthority.create());
  const server = await authority.issueHost(controlPlaneHost);
  const files = ["--tls-cert", server.certificateChain, "--tls-key", server.privateKey];
  return {
    flags: ["--xds-tls", "0.0.0.0:15012", ...files, "--tls-ca", server.rootCertificates, ...issuer.flags],
    agentOf: async (pod, control) => {
      pod.files.write("etc/hosts", `127.0.0.1 localhost\n${control.address} ${controlPlaneHost}\n`);
      return {
        discoveryAddress: `${controlPlaneHost}:15012`,
        certificates: await authority.issue("shop", pod.name),
        token: await issuer.token({ namespace: "shop", account: pod.name }),
        env: { XDS_ROOT_CA: "/var/run/secrets/istio/root-cert.pem" },
        controlPlaneRoot: server.rootCertificates,
      };
    },
  };
}
