import { chownSync, lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { peerPath } from "../../../../scripts/peer.ts";

/** The folders of this machine that every pod sees. */
const shared = ["bin", "dev", "lib", "lib32", "lib64", "proc", "sbin", "usr"];

/** Mounts come first, in the namespace of `ip netns exec`, and end with it. */
const enter = `set -e
root=$1; user=$2; bin=$3; writable=$4; shift 4
for folder in ${shared.join(" ")}; do
  if [ -d "$root/$folder" ] && [ ! -L "$root/$folder" ]; then mount --rbind "/$folder" "$root/$folder"; fi
done
mount --bind "$bin" "$root/usr/local/bin"
mount --bind "$ENVOY" "$root/usr/local/bin/envoy"
mount --bind "$AGENT/pilot-agent" "$root/usr/local/bin/pilot-agent"
mount --rbind "$IPTABLES" "$root/opt/iptables"
mount --bind "$AGENT/envoy_bootstrap.json" "$root/var/lib/istio/envoy/envoy_bootstrap_tmpl.json"
unset ENVOY AGENT IPTABLES
if [ "$writable" != all ]; then
  for folder in $writable; do mount --bind "$root$folder" "$root$folder"; done
  mount --rbind "$root" "$root"
  mount -o remount,bind,ro "$root"
fi
exec chroot --userspec="$user" --groups= "$root" "$@"
`;

/** The group of Istio's proxies. Their files belong to it. */
const proxyUser = 1337;

/** A root directory as in the image of Istio's proxy: its binaries at their places, and the files that a test writes. */
export class PodFiles implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "binnacle-pod-"));
  readonly root = join(this.#folder, "root");
  readonly #bin = join(this.#folder, "bin");

  constructor() {
    for (const folder of shared) this.#mirror(folder);
    for (const folder of ["etc/istio/proxy", "var/lib/istio/data", "var/run/secrets", "tmp"]) this.makeFolder(folder);
    for (const folder of ["opt/iptables", "var/lib/istio/envoy"])
      mkdirSync(join(this.root, folder), { recursive: true });
    mkdirSync(this.#bin);
    for (const file of ["envoy", "pilot-agent"]) writeFileSync(join(this.#bin, file), "");
    this.write("var/lib/istio/envoy/envoy_bootstrap_tmpl.json", "");
    this.write("etc/hosts", "127.0.0.1 localhost\n");
    this.write("etc/resolv.conf", "nameserver 10.79.0.1\nsearch shop.svc.cluster.local svc.cluster.local\n");
    this.write("etc/passwd", `root:x:0:0::/:/bin/sh\nistio-proxy:x:${proxyUser}:${proxyUser}::/:/bin/sh\n`);
  }

  /** Creates or replaces a file in one step. */
  write(path: string, content: string | Buffer): void {
    const target = join(this.root, path);
    this.makeFolder(dirname(path));
    writeFileSync(`${target}.new`, content);
    chownSync(`${target}.new`, proxyUser, proxyUser);
    renameSync(`${target}.new`, target);
  }

  /**
   * A command line that enters the root directory, and then runs the command as `USER:GROUP`. With `writable`, all other
   * folders are read-only.
   */
  async contained(
    command: readonly string[],
    { user, writable }: { readonly user: string; readonly writable?: readonly string[] | undefined },
  ): Promise<readonly [string, ...string[]]> {
    const [envoy, agent, iptables] = await Promise.all([
      peerPath("envoy"),
      peerPath("pilot-agent"),
      peerPath("iptables"),
    ]);
    const peers = [`ENVOY=${envoy}`, `AGENT=${agent}`, `IPTABLES=${dirname(iptables)}`];
    const places = [this.root, user, this.#bin, writable?.join(" ") ?? "all"];
    return ["env", ...peers, "/bin/sh", "-c", enter, "sh", ...places, ...command];
  }

  /** A folder of the machine, or the link that stands for it. */
  #mirror(name: string): void {
    const found = lstatSync(`/${name}`, { throwIfNoEntry: false });
    if (found === undefined) return;
    const target = join(this.root, name);
    mkdirSync(this.root, { recursive: true });
    if (found.isSymbolicLink()) symlinkSync(join("usr", name), target);
    else mkdirSync(target);
  }

  /** Creates a folder that the proxy may write to. */
  makeFolder(path: string): void {
    let folder = this.root;
    for (const part of path.split("/")) {
      folder = join(folder, part);
      mkdirSync(folder, { recursive: true });
      chownSync(folder, proxyUser, proxyUser);
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
