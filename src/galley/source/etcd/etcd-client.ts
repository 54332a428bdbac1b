import { readFile } from "node:fs/promises";
import { rootCertificates } from "node:tls";
import type { Etcd3, IOptions } from "etcd3";
import { etcdLimits } from "./etcd-limits.ts";

/** How to reach a cluster. Files are read for every connection, so renewed certificates need no restart. */
export interface EtcdAccess {
  /** `HOST:PORT` of each member. */
  readonly hosts: readonly string[];
  readonly tls:
    | { readonly ca: string | undefined; readonly cert: string | undefined; readonly key: string | undefined }
    | undefined;
  readonly login: { readonly user: string; readonly passwordFile: string } | undefined;
}

export interface EtcdCallLimits {
  readonly messageBytes: number;
  readonly callMs: number;
}

const usualLimits: EtcdCallLimits = { messageBytes: etcdLimits.messageBytes.most, callMs: etcdLimits.callMs.most };

/**
 * A client of one member. When a call fails, the caller decides whether and where to retry. The library's own retry
 * would repeat a transaction, which then meets its own effects.
 */
export async function openEtcd(
  access: EtcdAccess,
  host: string,
  { messageBytes, callMs }: EtcdCallLimits = usualLimits,
): Promise<Etcd3> {
  const [credentials, auth] = await Promise.all([credentialsOf(access), authOf(access)]);
  // Loading takes a quarter of a second. Only processes with an etcd should pay for it.
  const { Etcd3: Client } = await import("etcd3");
  return new Client({
    hosts: host,
    ...(credentials && { credentials }),
    ...(auth && { auth }),
    grpcOptions: {
      "grpc.max_receive_message_length": messageBytes,
      // An HTTP proxy for web pages does not lead to the store.
      "grpc.enable_http_proxy": 0,
      // A new client gets a new connection, because the old connection may be dead.
      "grpc.use_local_subchannel_pool": 1,
    },
    defaultCallOptions: ({ isStream }) => (isStream ? {} : { deadline: Date.now() + callMs }),
    faultHandling: { host: () => once, global: once },
  });
}

async function credentialsOf({ tls }: EtcdAccess): Promise<IOptions["credentials"]> {
  if (tls === undefined) return undefined;
  const [ca, cert, key] = await Promise.all([tls.ca, tls.cert, tls.key].map(contentOf));
  return {
    rootCertificate: ca ?? Buffer.from(rootCertificates.join("\n")),
    ...(key && { privateKey: key }),
    ...(cert && { certChain: cert }),
  };
}

async function authOf({ login }: EtcdAccess): Promise<IOptions["auth"]> {
  if (login === undefined) return undefined;
  return { username: login.user, password: (await readFile(login.passwordFile, "utf8")).trimEnd() };
}

function contentOf(file: string | undefined): Promise<Buffer | undefined> {
  return file === undefined ? Promise.resolve(undefined) : readFile(file);
}

type Policy = NonNullable<NonNullable<IOptions["faultHandling"]>["global"]>;

const nobody = () => ({ dispose: () => {} });

/** Tries once. */
const once: Policy = {
  // The library documents this field as needed by the compiler only.
  _altReturn: undefined as never,
  onSuccess: nobody,
  onFailure: nobody,
  execute: async (call) => await call({ signal: new AbortController().signal }),
};
