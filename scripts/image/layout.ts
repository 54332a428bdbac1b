import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { digestOf, type Layer } from "./layer.ts";

/** The settings of containers that are made from an image. */
export interface ImageConfig {
  readonly User: string;
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
  readonly Env: readonly string[];
  readonly ExposedPorts: Readonly<Record<string, object>>;
  readonly StopSignal: string;
  readonly Labels: Readonly<Record<string, string>>;
}

export interface Image {
  readonly layers: readonly Layer[];
  readonly config: ImageConfig;
  readonly architecture: string;
  /** The tag, such as `0.2.0`. */
  readonly tag: string;
  /** Time of creation, in seconds. */
  readonly epoch: number;
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

const types = {
  config: "application/vnd.oci.image.config.v1+json",
  index: "application/vnd.oci.image.index.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
  manifest: "application/vnd.oci.image.manifest.v1+json",
} as const;

/** Writes the image as an OCI image layout. Replaces the content of the folder. Returns the digest of the manifest. */
export function writeLayout(folder: string, { layers, config, architecture, tag, epoch }: Image): string {
  rmSync(folder, { recursive: true, force: true });
  const blobs = join(folder, "blobs/sha256");
  mkdirSync(blobs, { recursive: true });
  const put = (mediaType: string, content: Buffer): Descriptor => {
    const digest = digestOf(content);
    writeFileSync(join(blobs, digest.replace("sha256:", "")), content);
    return { mediaType, digest, size: content.length };
  };
  const putJson = (mediaType: string, content: object) => put(mediaType, Buffer.from(JSON.stringify(content)));

  const created = new Date(epoch * 1000).toISOString().replace(".000Z", "Z");
  const settings = putJson(types.config, {
    created,
    architecture,
    os: "linux",
    config,
    rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(() => ({ created, created_by: "npm run image" })),
  });
  const manifest = putJson(types.manifest, {
    schemaVersion: 2,
    mediaType: types.manifest,
    config: settings,
    layers: layers.map(({ blob }) => put(types.layer, blob)),
    annotations: config.Labels,
  });
  const platform = { architecture, os: "linux" };
  const named = { ...manifest, platform, annotations: { "org.opencontainers.image.ref.name": tag } };
  const index = { schemaVersion: 2, mediaType: types.index, manifests: [named] };
  writeFileSync(join(folder, "index.json"), JSON.stringify(index));
  writeFileSync(join(folder, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  return manifest.digest;
}
