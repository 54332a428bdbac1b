import { type Area, group, type MeshObject, object, row } from "../row.ts";

function mtls(mode: string): MeshObject {
  return object("PeerAuthentication", "mtls", { mtls: { mode } });
}

const strict = "PeerAuthentication mtls";

/** mTLS of the mesh, at a sidecar and between two Envoys. */
export const tls: Area = {
  groups: [
    group(
      "Strict mTLS",
      [mtls("STRICT")],
      [
        row("rejects plaintext", {}, "closed", strict),
        row("rejects plaintext of TCP", { protocol: "tcp" }, "closed", strict),
        row("rejects TLS without a certificate", { tls: {} }, "closed", strict),
        row("accepts a caller of the mesh", { as: "client/web" }, 200),
        row("accepts a caller of the mesh over TCP", { as: "client/web", protocol: "tcp" }, "answered"),
        row("accepts another sidecar", { through: "client" }, 200),
      ],
    ),
    group(
      "Permissive mTLS",
      [mtls("PERMISSIVE")],
      [
        row("accepts plaintext", {}, 200),
        row("accepts plaintext of TCP", { protocol: "tcp" }, "answered"),
        row("accepts a caller of the mesh", { as: "client/web" }, 200),
        row("accepts another sidecar", { through: "client" }, 200),
      ],
    ),
    group(
      "Disabled mTLS",
      [mtls("DISABLE")],
      [row("accepts plaintext", {}, 200), row("rejects a caller with mTLS", { as: "client/web" }, "closed", strict)],
    ),
  ],
};
