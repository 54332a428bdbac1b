import { TestAuthority } from "../support/tls/certificates.ts";
import { tlsSecret } from "../support/tls/secret-yaml.ts";
import type { MakeRow } from "./row.ts";
import { documents, gatewayObject, slots } from "./tenant-mesh.ts";

const serverName = "tenant.example.com";

/** The key of another certificate. The accepted pair stays, for connected and for fresh gateways. */
export const secret: MakeRow = async ({ otherPorts }) => {
  using authority = await TestAuthority.create();
  const [accepted, mended] = [await authority.issueHost("accepted"), await authority.issueHost("mended")];
  const secured = slots.map((slot) => {
    const port = { number: otherPorts[slot], name: "https", protocol: "HTTPS" };
    const tls = { mode: "SIMPLE", credentialName: "tenant" };
    const servers = [{ port, bind: "127.0.0.1", hosts: [serverName], tls }];
    return gatewayObject("Gateway", `${slot}-secured`, { selector: { app: "gw", slot }, servers });
  });
  return {
    validation: "unvalidated",
    refusing: "current",
    begins: "good",
    refused: ["Secret/istio-system/tenant: earlier version"],
    files: {
      good: { "secured.yaml": documents(secured), "victim.yaml": tlsSecret("tenant", accepted) },
      poisoned: { "victim.yaml": tlsSecret("tenant", { ...accepted, privateKey: mended.privateKey }) },
      mended: { "victim.yaml": tlsSecret("tenant", mended) },
    },
    victims: [],
    effect: (edge) => edge.certificateAt(otherPorts[edge.slot], serverName),
    effects: { good: "accepted", poisoned: "accepted", mended: "mended" },
  };
};
