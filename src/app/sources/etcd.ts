import { createEtcdSource } from "../../galley/source/etcd/etcd-source.ts";
import { MeshError } from "../../lib/errors.ts";
import { type EtcdAccess, openMember } from "../etcd/open-etcd.ts";
import type { Options } from "../options/options.ts";
import { periodMs, singleText } from "../options/option-values.ts";
import type { MakeSource } from "./make-source.ts";
import { badSource, parseSourceUrl, readQuery, requireTogether, type SourceUrl } from "./source-url.ts";

/** An etcd and the prefix of its objects. */
export interface EtcdPlace extends EtcdAccess {
  /** Prefix of all keys. It begins with a slash and ends without one. */
  readonly prefix: string;
  readonly heartbeatMs: number;
}

const defaultHeartbeatMs = 5_000;
const defaultPort = 2379;

const settings = {
  ca: singleText("FILE"),
  cert: singleText("FILE"),
  key: singleText("FILE"),
  user: singleText("NAME"),
  "password-file": singleText("FILE"),
  heartbeat: periodMs,
};

/** `etcd://HOST:PORT[,HOST:PORT]/PREFIX`; with TLS, `etcds:`. */
export const etcdSource: MakeSource = (url, { kinds, clock }) => {
  const { prefix, heartbeatMs, ...access } = etcdPlace(url);
  const members = access.hosts.map((host) => async () => openMember(access, host, prefix));
  return createEtcdSource({ name: url.name, prefix, heartbeatMs, kinds, clock, members });
};

/** The first of these sources that is an etcd. Throws `bad-option`. */
export function firstEtcd({ sources }: Pick<Options, "sources">): EtcdPlace | undefined {
  const url = sources.map(parseSourceUrl).find(({ scheme }) => scheme === "etcd" || scheme === "etcds");
  return url && etcdPlace(url);
}

/** The same for a setting that needs an etcd. Throws `bad-option` with the name of the setting. */
export function requireEtcd(options: Pick<Options, "sources">, setting: string): EtcdPlace {
  const place = firstEtcd(options);
  if (place === undefined) throw new MeshError("bad-option", `${setting} needs a --source etcd: or etcds:`);
  return place;
}

/** Throws `bad-option`. */
export function etcdPlace(url: SourceUrl): EtcdPlace {
  // Logs and pages show the names of sources.
  if (url.rest.includes("@"))
    throw new MeshError(
      "bad-option",
      `${url.scheme}: the URL must not contain a password; use ?user=NAME&password-file=FILE`,
    );
  const { hosts = "", prefix = "" } = /^\/\/(?<hosts>[^/]+)(?<prefix>\/.*?)\/*$/u.exec(url.rest)?.groups ?? {};
  const addresses = hosts.split(",").map(addressOf);
  if (prefix === "" || addresses.includes(undefined))
    throw badSource(url.name, `expected ${url.scheme}://HOST:PORT[,HOST:PORT]/PREFIX`);
  const { ca, cert, key, user, "password-file": passwordFile, heartbeat } = readQuery(url, settings);
  requireTogether(url, ["cert", "key"]);
  requireTogether(url, ["user", "password-file"]);
  const secure = url.scheme === "etcds";
  if (!secure && (ca ?? cert) !== undefined) throw badSource(url.name, "ca=, cert= and key= need etcds:");
  return {
    hosts: addresses.filter((address) => address !== undefined),
    prefix,
    tls: secure ? { ca, cert, key } : undefined,
    login: user === undefined || passwordFile === undefined ? undefined : { user, passwordFile },
    heartbeatMs: heartbeat ?? defaultHeartbeatMs,
  };
}

function addressOf(host: string): string | undefined {
  const { name, port = defaultPort } = /^(?<name>\[[^\]]+\]|[^:[\]]+)(?::(?<port>\d+))?$/u.exec(host)?.groups ?? {};
  return name === undefined ? undefined : `${name}:${port}`;
}
