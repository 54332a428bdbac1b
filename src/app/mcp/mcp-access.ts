import { errorFrom, MeshError } from "../../lib/errors.ts";
import { GrpcStatus, type GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Authenticate, Authentication, ClientCertificate } from "../../transport/credentials/authenticator.ts";
import { ReloadedFiles, type ReloadSettings } from "../../transport/tls/reloaded-files.ts";
import { type AccessList, admits, parseAccessList } from "./access-list.ts";

export interface McpAccessOptions {
  /** Without the file, every client with a certificate is admitted. */
  readonly file: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly openWatch: ReloadSettings["openWatch"];
}

/** Admits TLS clients with a trusted certificate that are, if there is an access list, on that list. */
export class McpAccess {
  readonly #files: ReloadedFiles | undefined;
  readonly #logger: Logger;
  readonly #streams = new Set<GrpcStream>();
  #list: AccessList = { mode: "deny", names: new Set() };

  constructor({ file, clock, logger, openWatch }: McpAccessOptions) {
    this.#logger = logger;
    if (file === undefined) return;
    this.#list = { mode: "allow", names: new Set() };
    this.#files = new ReloadedFiles({
      clock,
      openWatch,
      files: [file],
      use: ([text = ""]) => this.#use(parseAccessList(file, text)),
      onError: (error) => logger.error({ err: error, file }, "access list not replaced"),
    });
  }

  /** Rejects with `bad-option` if the list is unreadable, because admission would be undefined. */
  async start(): Promise<void> {
    await this.#files?.start().catch((cause: unknown) => {
      throw new MeshError("bad-option", errorFrom(cause).message, { cause });
    });
  }

  async stop(): Promise<void> {
    await this.#files?.stop();
  }

  readonly authenticate: Authenticate = ({ certificate }) => Promise.resolve(this.#judge(certificate));

  /** Checks this stream again when the list changes, until it is released. */
  watch(stream: GrpcStream): void {
    this.#streams.add(stream);
  }

  release(stream: GrpcStream): void {
    this.#streams.delete(stream);
  }

  #judge(certificate: ClientCertificate): Authentication {
    if (certificate.type === "none") return refused("the client presented no certificate");
    if (certificate.type === "invalid") return refused(certificate.reason);
    const identities = [...certificate.uris, ...(certificate.hosts ?? [])];
    return admits(this.#list, identities)
      ? { type: "identified", identities }
      : refused(`${identities.join(", ") || "a certificate without names"} is not allowed by the access list`);
  }

  #use(list: AccessList): void {
    this.#list = list;
    const outlawed = [...this.#streams].filter(({ peer }) => !admits(list, peer.identities ?? []));
    this.#logger.info({ mode: list.mode, names: list.names.size, ended: outlawed.length }, "access list read");
    for (const stream of outlawed)
      stream.end(GrpcStatus.UNAUTHENTICATED, "the access list no longer allows this client");
  }
}

function refused(reason: string): Authentication {
  return { type: "refused", reasons: [reason] };
}
