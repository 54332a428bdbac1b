import type { RootStore } from "../../ca/root-store.ts";
import type { Authority } from "../../ca/roots.ts";
import { rotationTimes } from "../../ca/rotation.ts";
import { FileWatch } from "../../galley/source/file/file-watch.ts";
import type { ProcessContext } from "../parts/process-part.ts";
import { watchedFiles } from "../process/watched-files.ts";
import { type CaKind, createsRoots } from "./ca-kind.ts";
import { CertificateAuthority, type CertificateAuthorityOptions } from "./certificate-authority.ts";
import { fileRootStore } from "./file-root-store.ts";
import { pluggedRootStore } from "./plugged-root-store.ts";
import { sharedRootStore } from "./shared-root-store.ts";

/** A kind of authority whose key this process has. */
export type OwnCaKind = Exclude<CaKind, { readonly type: "off" | "signer" }>;

/** Throws `bad-option` and `source-unavailable`. */
export function ownAuthority(
  context: ProcessContext,
  kind: OwnCaKind,
  given: Pick<CertificateAuthorityOptions, "organization" | "onRotation">,
): CertificateAuthority {
  const { options, supervisor, logs } = context;
  const authority: CertificateAuthority = new CertificateAuthority({
    ...given,
    store: storeOf(context, kind, (each) => authority.code.openAuthority(each)),
    createsRoots: createsRoots(kind),
    times: rotationTimes(options.caMaxTtlMs, options.caTtlMs),
    rootTtlMs: options.caRootTtlMs,
    clock: supervisor.clockFor("certificate authority"),
    timeOfDay: Date.now,
    logger: logs.logger("ca"),
  });
  return authority;
}

function storeOf(context: ProcessContext, kind: OwnCaKind, check: (authority: Authority) => unknown): RootStore {
  const clock = context.supervisor.clockFor("certificate authority");
  if (kind.type === "etcd" || kind.type === "secret") return sharedRootStore(context, kind, clock);
  if (kind.type === "self-signed") {
    const { directory } = kind;
    return fileRootStore({
      directory,
      openWatch: (onChange) => new FileWatch({ clock, onChange }),
      timeOfDay: Date.now,
    });
  }
  const logger = context.logs.logger("ca");
  const onRefused = (error: unknown) => logger.error({ err: error }, "certificate authority not replaced");
  return pluggedRootStore({ directory: kind.directory, ...watchedFiles(clock), check, onRefused });
}
