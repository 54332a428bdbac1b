import type { Signer } from "../../../ca/signer.ts";
import type { SupervisedClock } from "../../../lib/supervisor.ts";
import type { Cancel } from "../../../lib/time/clock.ts";
import { certificatesIn } from "../../../transport/tls/key-pair.ts";
import { ReloadedFiles } from "../../../transport/tls/reloaded-files.ts";
import type { Options } from "../../options/options.ts";
import type { Component } from "../../process/lifecycle.ts";
import { watchedFiles } from "../../process/watched-files.ts";

export interface WebhookAuthoritiesOptions {
  readonly options: Pick<Options, "webhookCa" | "webhookCert">;
  /** Issues the certificate of the webhooks if there is no file. */
  readonly authority: Pick<Signer, "trusted" | "onChange"> | undefined;
  readonly clock: SupervisedClock;
  /** Gets the CA certificates that verify the webhooks, PEM: at the start, and after every change. */
  readonly use: (authorities: string) => void;
  /** A changed file is invalid. The last good certificates stay in use. */
  readonly onError: (error: unknown, file: string) => void;
}

/** Follows the CA certificates of the webhooks: those of a file, or the roots of our own authority. */
export function webhookAuthorities(given: WebhookAuthoritiesOptions): Pick<Component, "start" | "stop"> {
  const { options, authority, clock, use, onError } = given;
  const file = options.webhookCa ?? options.webhookCert;
  if (file === undefined && authority !== undefined) return rootsOf(authority, use);
  const path = file ?? "";
  return new ReloadedFiles({
    files: [path],
    ...watchedFiles(clock),
    use: ([pem = ""]) => use(bundleIn(pem, path)),
    onError: (error) => onError(error, path),
  });
}

function rootsOf(authority: Pick<Signer, "trusted" | "onChange">, use: (authorities: string) => void) {
  const tell = () => use(authority.trusted.map((pem) => `${pem.trim()}\n`).join(""));
  let cancel: Cancel | undefined;
  return {
    async start() {
      tell();
      cancel = authority.onChange(tell);
    },
    async stop() {
      cancel?.();
    },
  };
}

/** Returns only the certificates of a file. A private key in it must not become public. */
function bundleIn(pem: string, file: string): string {
  return certificatesIn(file, pem)
    .map((certificate) => `${certificate.toString().trim()}\n`)
    .join("");
}
