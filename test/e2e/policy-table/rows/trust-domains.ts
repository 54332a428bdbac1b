import type { JsonObject } from "@bufbuild/protobuf";
import {
  type Area,
  type Group,
  group,
  type MeshObject,
  object,
  policy,
  type Row,
  row,
  type TableMesh,
} from "../row.ts";

/** A mesh that was renamed. The client's sidecar has a certificate of the old trust domain. */
const renamed: TableMesh = {
  name: "renamed",
  config: { trustDomain: "new.example", trustDomainAliases: ["old.example"] },
  clientTrustDomain: "old.example",
};

const strict = object("PeerAuthentication", "mtls", { mtls: { mode: "STRICT" } });
const web = (domain: string) => `spiffe://${domain}/ns/client/sa/web`;

function inMesh(about: string, objects: readonly MeshObject[], rows: readonly Row[], trustDomain: string): Group {
  return group(about, [strict, ...objects], rows, { mesh: renamed, trustDomain });
}

function allow(source: JsonObject): readonly MeshObject[] {
  return [policy("allow", { rules: [{ from: [{ source }] }] })];
}

/** Callers of the new, the old and the default trust domain are the same for a policy. */
function byPrincipal(about: string, domain: string): Group {
  return inMesh(
    about,
    allow({ principals: [`${domain}/ns/client/sa/web`, `${domain}/ns/client/sa/client`] }),
    [
      row("accepts the new one", { as: web("new.example") }, 200, "AuthorizationPolicy allow rule 0"),
      row("accepts the old one", { as: web("old.example") }, 200, "AuthorizationPolicy allow rule 0"),
      row("accepts another sidecar with the old one", { through: "client" }, 200, "AuthorizationPolicy allow rule 0"),
      row(
        "rejects another account of the new one",
        { as: "spiffe://new.example/ns/client/sa/x" },
        403,
        "AuthorizationPolicy allow",
      ),
      row("closes connections of a foreign one", { as: web("foreign.example") }, "closed", "PeerAuthentication mtls"),
    ],
    "new.example",
  );
}

/** Trust domains and their aliases. */
export const trustDomains: Area = {
  groups: [
    byPrincipal("ALLOW of a principal of the new trust domain", "new.example"),
    byPrincipal("ALLOW of a principal of the old trust domain", "old.example"),
    byPrincipal("ALLOW of a principal of the default trust domain", "cluster.local"),
    inMesh(
      "ALLOW of a principal of a foreign trust domain",
      allow({ principals: ["foreign.example/ns/client/sa/client"] }),
      [
        row("rejects the mesh's own", { as: web("new.example") }, 403, "AuthorizationPolicy allow"),
        row("rejects another sidecar", { through: "client" }, 403, "AuthorizationPolicy allow"),
      ],
      "new.example",
    ),
    inMesh(
      "DENY of all but a principal",
      [
        policy("deny", {
          action: "DENY",
          rules: [{ from: [{ source: { notPrincipals: ["new.example/ns/client/sa/web"] } }] }],
        }),
      ],
      [
        row("accepts the new trust domain", { as: web("new.example") }, 200),
        row("accepts the old trust domain", { as: web("old.example") }, 200),
        row("rejects another principal", { through: "client" }, 403, "AuthorizationPolicy deny rule 0"),
      ],
      "new.example",
    ),
    inMesh(
      "A workload with the old trust domain",
      [],
      [row("is accepted by another sidecar", { through: "client" }, 200)],
      "old.example",
    ),
    inMesh(
      "A workload with a foreign trust domain",
      [],
      [row("is rejected by another sidecar", { through: "client" }, 503)],
      "foreign.example",
    ),
  ],
};
