import { resolve } from "node:path";
import { expect, test } from "vitest";
import { startBinnacle } from "./support/binnacle/server.ts";
import { startEnvoy } from "./support/envoy/envoy.ts";
import { freePort } from "./support/free-port.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { TestAuthority } from "./support/tls/certificates.ts";

const describeWithEnvoy = await describeWith("envoy");
const bookinfo = resolve(import.meta.dirname, "../../examples/bookinfo");

/** Which certificates the sidecar has, as node metadata. */
async function certificates(mode: "none" | "files", authority: TestAuthority) {
  if (mode === "none") return { SDS_MODE: mode };
  const files = await authority.issue("bookinfo", "reviews");
  return {
    SDS_MODE: mode,
    TLS_CERT_CHAIN: files.certificateChain,
    TLS_KEY: files.privateKey,
    TLS_ROOT_CERT: files.rootCertificates,
  };
}

/** Without the kernel's rules nothing arrives: what can be seen is that Envoy takes all of it. */
describeWithEnvoy("a real Envoy as a sidecar with redirected traffic", () => {
  test.each(["none", "files"] as const)("accepts both sides of it, with certificates: %s", async (mode) => {
    using authority = await TestAuthority.create();
    const [outbound, inbound] = [await freePort(), await freePort()];
    using settings = new MeshDir({ "mesh.yaml": `proxyListenPort: ${outbound}\nproxyInboundListenPort: ${inbound}\n` });
    await using binnacle = await startBinnacle({ dir: bookinfo, args: ["--mesh", `${settings.path}/mesh.yaml`] });
    const node = {
      id: "sidecar~127.0.0.1~reviews-0.bookinfo~bookinfo.svc.cluster.local",
      metadata: { NAMESPACE: "bookinfo", INTERCEPTION_MODE: "REDIRECT", ...(await certificates(mode, authority)) },
    };
    await using envoy = await startEnvoy({ xdsPort: binnacle.xdsPort, mode: "delta", node });
    await envoy.settled();
    // 0.0.0.0_9080, virtualOutbound, virtualInbound
    expect(await envoy.stat("listener_manager.total_listeners_active")).toBe(3);
  });
});
