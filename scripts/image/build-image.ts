/**
 * The image of Binnacle: a layer with Node and the C library of Debian, which the peer `image-base` makes once, and a
 * layer with our package. It has no shell and no package manager. It runs as user 1000, on a read-only root.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { peerPath } from "../peer.ts";
import { type ImageConfig, writeLayout } from "./layout.ts";
import { layerOf, readLayer } from "./layer.ts";

export interface ImageOptions {
  /** The built npm package. */
  readonly packageFolder: string;
  /** The folder of the OCI layout. */
  readonly target: string;
  /** Time of all files, in seconds (`SOURCE_DATE_EPOCH`). */
  readonly epoch: number;
}

const home = "usr/lib/binnacle";

/** Returns the digest of the image. The same package, base and time give the same digest. */
export async function buildImage({ packageFolder, target, epoch }: ImageOptions): Promise<string> {
  const manifest = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as Manifest;
  const commit = readFileSync(join(packageFolder, "commit"), "utf8").trim();
  const base = await peerPath("image-base");
  const root = mkdtempSync(join(tmpdir(), "binnacle-image-"));
  try {
    cpSync(packageFolder, join(root, home), { recursive: true });
    // Where a mesh is mounted, for `serve` without a folder; and the files of the TLS flags.
    for (const folder of ["mesh", "etc/binnacle"]) mkdirSync(join(root, folder), { recursive: true });
    const layers = [readLayer(join(base, "layer.tar.gz"), join(base, "diff-id")), layerOf(root, epoch)];
    const architecture = process.arch === "arm64" ? "arm64" : "amd64";
    return writeLayout(target, {
      layers,
      config: configOf(manifest, commit),
      architecture,
      tag: manifest.version,
      epoch,
    });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly license: string;
}

function configOf({ version, description, license }: Manifest, commit: string): ImageConfig {
  const ports = [8080, 9443, 15010, 15012, 15014];
  const label = "org.opencontainers.image";
  return {
    User: "1000:1000",
    Entrypoint: ["/usr/bin/node", `/${home}/binnacle.js`],
    Cmd: ["serve"],
    WorkingDir: "/",
    Env: ["PATH=/usr/bin"],
    ExposedPorts: Object.fromEntries(ports.map((port) => [`${port}/tcp`, {}])),
    StopSignal: "SIGTERM",
    Labels: {
      [`${label}.title`]: "binnacle",
      [`${label}.description`]: description,
      [`${label}.version`]: version,
      [`${label}.revision`]: commit,
      [`${label}.licenses`]: license,
    },
  };
}
