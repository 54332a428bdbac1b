/**
 * The first layer of our image: Node from npm, and of Debian the C library and the C++ library that Node needs, with
 * their licences and the records by which scanners find them. No shell, no package manager.
 */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { layerOf } from "../image/layer.ts";

export const imagePackages = "libc6 libgcc-s1 libstdc++6 base-files";

const nodeFolder = resolve(import.meta.dirname, `../../node_modules/node-linux-${process.arch}`);

/** The version of Node is that of the base: Debian's packages change within a release, for security fixes alone. */
export function nodeVersion(): string {
  const { version } = JSON.parse(readFileSync(join(nodeFolder, "package.json"), "utf8")) as {
    readonly version: string;
  };
  return `debian-node-${version}`;
}

/** The package of GCC that the libraries of these packages depend on. Its name has the version of GCC. */
export function gccBase(folder: string): string {
  const [library = ""] = globSync("libgcc-s1_*.deb", { cwd: folder });
  const depends = execFileSync("dpkg-deb", ["--field", join(folder, library), "Depends"], { encoding: "utf8" });
  return /gcc-\d+-base/u.exec(depends)?.[0] ?? "gcc-base";
}

/** Conversions between character sets and modules for auditing: half of the C library, and Node uses none. */
const unneeded = /\/(?:gconv|audit|libmemusage\.so|libpcprofile\.so)/u;

/** `folder` has the packages and, in `root`, their files. Leaves `image-base` there. */
export function makeImageBase(folder: string): void {
  const base = join(folder, "base");
  for (const path of ["proc", "sys", "dev", "tmp", "etc", "usr/bin", "usr/lib"])
    mkdirSync(join(base, path), { recursive: true });
  copyLibraries(join(folder, "root"), base);
  keepRecords(folder, base);
  writeFileSync(join(base, "etc/passwd"), "root:x:0:0::/:/nologin\nbinnacle:x:1000:1000::/:/nologin\n");
  writeFileSync(join(base, "etc/group"), "root:x:0:\nbinnacle:x:1000:\n");
  writeFileSync(join(base, "etc/nsswitch.conf"), "hosts: files dns\n");
  copyFileSync(join(nodeFolder, "bin/node"), join(base, "usr/bin/node"));
  chmodSync(join(base, "usr/bin/node"), 0o755);
  copyInto(join(nodeFolder, "LICENSE"), join(base, "usr/share/doc/node/copyright"));

  const target = join(folder, "image-base");
  mkdirSync(target);
  const { blob, diffId } = layerOf(base, 0);
  writeFileSync(join(target, "layer.tar.gz"), blob);
  writeFileSync(join(target, "diff-id"), `${diffId}\n`);
  for (const path of ["base", "root", ...globSync("*.deb", { cwd: folder })])
    rmSync(join(folder, path), { recursive: true });
}

/** Below `usr`, as Debian has it since version 12, wherever the package has them. */
function copyLibraries(root: string, base: string): void {
  for (const name of ["lib", "lib64"]) {
    for (const from of [join(root, name), join(root, "usr", name)].filter((path) => existsSync(path)))
      cpSync(from, join(base, "usr", name), {
        recursive: true,
        verbatimSymlinks: true,
        filter: (path) => !unneeded.test(path),
      });
    if (existsSync(join(base, "usr", name))) symlinkSync(`usr/${name}`, join(base, name));
  }
  rmSync(join(base, "usr/lib/lsb"), { recursive: true, force: true });
}

/** Licences, and what the package manager would know. */
function keepRecords(folder: string, base: string): void {
  for (const file of globSync("root/usr/share/doc/*/copyright", { cwd: folder }))
    copyInto(join(folder, file), join(base, file.replace(/^root\//u, "")));
  for (const file of globSync("*.deb", { cwd: folder })) {
    const record = join(base, "var/lib/dpkg/status.d", basename(file).replace(/_.*$/u, ""));
    mkdirSync(dirname(record), { recursive: true });
    writeFileSync(record, execFileSync("dpkg-deb", ["--field", join(folder, file)]));
  }
}

function copyInto(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}
