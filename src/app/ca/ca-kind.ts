import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { MeshError } from "../../lib/errors.ts";
import type { Options } from "../options/options.ts";

/** The certificate authority that `--ca` names. */
export type CaKind =
  | { readonly type: "off" }
  /** The root is created, and kept in this directory. */
  | { readonly type: "self-signed"; readonly directory: string }
  /** An authority of the operator, in this directory. */
  | { readonly type: "plugged"; readonly directory: string }
  /** The root is created, and shared by replicas. */
  | { readonly type: "secret"; readonly name: string }
  | { readonly type: "etcd" }
  /** A signer of Kubernetes signs. Its roots are in this file. */
  | { readonly type: "signer"; readonly name: string; readonly roots: string };

type CaSettings = Pick<Options, "ca" | "caState" | "caRoots" | "xdsTls" | "tlsCert">;

/** Without `--ca`, a TLS port without a certificate gets one from a self-signed authority. Throws `bad-option`. */
export function caKindOf(options: CaSettings, env: NodeJS.ProcessEnv = process.env): CaKind {
  const { ca = defaultCa(options) } = options;
  if (ca === "off") return { type: "off" };
  if (options.xdsTls === "off") throw new MeshError("bad-option", "--ca needs --xds-tls: it serves no plaintext port");
  if (ca === "self-signed") return { type: "self-signed", directory: options.caState ?? defaultState(env) };
  if (ca === "etcd") return { type: "etcd" };
  if (ca.startsWith("secret:")) {
    const name = ca.slice("secret:".length);
    if (!/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/u.test(name)) {
      throw new MeshError("bad-option", `--ca: ${JSON.stringify(name)} is not the name of a Secret`);
    }
    return { type: "secret", name };
  }
  if (ca.startsWith("signer:")) return signerKind(ca.slice("signer:".length), options.caRoots);
  if (!ca.includes("/") && !ca.startsWith(".")) {
    const choices = "off, self-signed, secret:NAME, etcd, signer:NAME or a directory such as ./cacerts";
    throw new MeshError("bad-option", `--ca ${JSON.stringify(ca)}: expected ${choices}`);
  }
  return { type: "plugged", directory: ca };
}

function signerKind(name: string, roots: string | undefined): CaKind {
  if (!/^[a-z0-9][-.a-z0-9]*\.[-.a-z0-9]*[a-z0-9]\/[a-z0-9][-.a-z0-9]*$/u.test(name)) {
    throw new MeshError("bad-option", `--ca: ${JSON.stringify(name)} is not a signer's name, such as example.com/mesh`);
  }
  if (roots === undefined) throw new MeshError("bad-option", "--ca signer: needs --ca-roots: the roots of the signer");
  return { type: "signer", name, roots };
}

/** Istio's Secret for an authority of the operator. */
const operatorsSecret = "cacerts";

/** Whether the first root is created here, and rotations create others. Otherwise the operator provides them. */
export function createsRoots(kind: CaKind): boolean {
  return (
    kind.type !== "plugged" && kind.type !== "signer" && !(kind.type === "secret" && kind.name === operatorsSecret)
  );
}

function defaultCa({ xdsTls, tlsCert }: CaSettings): string {
  return xdsTls !== "off" && tlsCert === undefined ? "self-signed" : "off";
}

/** The directory for the state of programs in the XDG base directory specification. */
function defaultState({ XDG_STATE_HOME: home = "" }: NodeJS.ProcessEnv): string {
  return join(isAbsolute(home) ? home : join(homedir(), ".local/state"), "binnacle");
}
