import { readFile } from "node:fs/promises";
import type { SecureClientSessionOptions } from "node:http2";
import { EtcdClient } from "../../etcd/etcd-client.ts";
import { etcdLimits } from "../../etcd/etcd-limits.ts";
import type { EtcdCredentials } from "../../etcd/etcd-login.ts";
import type { EtcdMember } from "../../galley/source/etcd/etcd-member.ts";
import { RemoteMember } from "../../galley/source/etcd/remote-member.ts";
import { type Limits, limitsOf } from "../../lib/bounded/limit.ts";
import { connectGrpc } from "../../transport/client/grpc-connection.ts";
import { silentLogger } from "../log/silent-logger.ts";

/**
 * How to reach a cluster. Certificates are read for every connection and the password for every login, so renewed files
 * need no restart.
 */
export interface EtcdAccess {
  /** `HOST:PORT` of each member. */
  readonly hosts: readonly string[];
  readonly tls:
    | { readonly ca: string | undefined; readonly cert: string | undefined; readonly key: string | undefined }
    | undefined;
  readonly login: { readonly user: string; readonly passwordFile: string } | undefined;
}

/** A client of one member. It connects with the first call. */
export function openEtcd(
  access: EtcdAccess,
  host: string,
  others: Partial<Limits<typeof etcdLimits>> = {},
): EtcdClient {
  const { login } = access;
  const calls = { peerName: "etcd", ...limitsOf(etcdLimits, others) };
  return new EtcdClient({
    connect: async () => connectGrpc({ address: host, logger: silentLogger, calls, tls: await tlsOf(access) }),
    credentials: login && (() => credentialsOf(login)),
  });
}

/** The keys below a prefix on one member. `prefix` is without a slash at the end. */
export function openMember(
  access: EtcdAccess,
  host: string,
  prefix: string,
  others: Partial<Limits<typeof etcdLimits>> = {},
): EtcdMember {
  return new RemoteMember(openEtcd(access, host, others), prefix, limitsOf(etcdLimits, others));
}

/** Without authorities, those of Node apply. */
async function tlsOf({ tls }: EtcdAccess): Promise<SecureClientSessionOptions | undefined> {
  if (tls === undefined) return undefined;
  const [ca, cert, key] = await Promise.all([tls.ca, tls.cert, tls.key].map(contentOf));
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
}

async function credentialsOf({ user, passwordFile }: NonNullable<EtcdAccess["login"]>): Promise<EtcdCredentials> {
  return { user, password: (await readFile(passwordFile, "utf8")).trimEnd() };
}

function contentOf(file: string | undefined): Promise<Buffer | undefined> {
  return file === undefined ? Promise.resolve(undefined) : readFile(file);
}
