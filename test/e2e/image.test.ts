import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { buildImage } from "../../scripts/image/build-image.ts";
import type { ImageConfig } from "../../scripts/image/layout.ts";
import { digestOf, layerOf, unpackLayer } from "../../scripts/image/layer.ts";
import { whenReady } from "./support/binnacle/server.ts";
import { main, root } from "./support/checkout.ts";
import { Child } from "./support/child.ts";
import { get } from "./support/http.ts";
import { describeWithNetwork } from "./support/peers.ts";
import { shared } from "./support/shared.ts";

const describeWithBase = await describeWithNetwork("image-base");

interface Descriptor {
  readonly digest: string;
  readonly size: number;
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}

/** Reads an image as a container engine does: from the index to the manifest, the configuration and the layers. */
function readImage(layout: string) {
  const blobOf = ({ digest }: Descriptor) => join(layout, "blobs", digest.replace(":", "/"));
  const index = readJson(join(layout, "index.json")) as { readonly manifests: readonly [Descriptor] };
  const manifest = readJson(blobOf(index.manifests[0])) as {
    readonly config: Descriptor;
    readonly layers: Descriptor[];
  };
  const { config, rootfs } = readJson(blobOf(manifest.config)) as {
    readonly config: ImageConfig;
    readonly rootfs: { readonly diff_ids: readonly string[] };
  };
  const descriptors = [index.manifests[0], manifest.config, ...manifest.layers];
  return { blobOf, config, layers: manifest.layers, diffIds: rootfs.diff_ids, descriptors };
}

/** Becomes the command in the root of an image: read-only, as its user, with a mesh mounted. */
const enterRoot = `set -e
mount --bind "$1" "$1"
mount --bind "$2" "$1/mesh"
mount -t proc proc "$1/proc"
mount -o remount,ro,bind "$1"
root=$1 user=$3
shift 3
exec chroot --userspec="$user" "$root" "$@"`;

describeWithBase("the image", () => {
  const built = shared(async (resources) => {
    const folder = mkdtempSync(join(tmpdir(), "binnacle-image-test-"));
    resources.defer(() => rmSync(folder, { recursive: true, force: true }));
    const layout = join(folder, "layout");
    const packageFolder = dirname(main);
    const digest = await buildImage({ packageFolder, target: layout, epoch: 1_700_000_000 });
    return { folder, layout, packageFolder, digest, image: readImage(layout) };
  });

  test("has the digests and sizes that it names", () => {
    const { image } = built();
    for (const each of image.descriptors) {
      const content = readFileSync(image.blobOf(each));
      expect([digestOf(content), content.length]).toEqual([each.digest, each.size]);
    }
  });

  test("has the same digest when it is built again, and another one for another time", async () => {
    const { folder, packageFolder, digest } = built();
    const again = { packageFolder, target: join(folder, "again") };
    expect(await buildImage({ ...again, epoch: 1_700_000_000 })).toBe(digest);
    expect(await buildImage({ ...again, epoch: 1_700_000_001 })).not.toBe(digest);
  });

  test("serves on a read-only root as a user without rights, without a shell, and drains on SIGTERM", async () => {
    const { folder, image } = built();
    const rootfs = join(folder, "root");
    mkdirSync(rootfs);
    for (const layer of image.layers) unpackLayer(image.blobOf(layer), rootfs);
    expect(readdirSync(join(rootfs, "usr/bin"))).toEqual(["node"]);

    const any = "127.0.0.1:0";
    const ports = ["--xds", any, "--http", any, "--metrics", any, "--ctrlz", "off"];
    const { User, Entrypoint, Cmd, Env, StopSignal } = image.config;
    const command = [...Entrypoint, ...Cmd, ...ports];
    const inside = ["sh", "-c", enterRoot, "sh", rootfs, join(root, "examples/bookinfo"), User, ...command];
    const env = Object.fromEntries(Env.map((each) => each.split("=", 2)));
    const path = { PATH: `${env["PATH"] ?? ""}:${process.env["PATH"] ?? ""}` };
    await using child = new Child("unshare", ["--mount", ...inside], { env: { ...env, ...path } });
    const server = await whenReady(child);
    expect((await get(server.httpPort, "/ready")).status).toBe(200);
    const status = readFileSync(`/proc/${server.pid}/status`, "utf8");
    expect(/^Uid:\s+(?<uid>\d+)/mu.exec(status)?.groups?.["uid"]).toBe("1000");
    expect(/^CapEff:\s+(?<set>[0-9a-f]+)/mu.exec(status)?.groups?.["set"]).toMatch(/^0+$/u);
    child.kill(StopSignal as NodeJS.Signals);
    expect(await child.exited).toBe(0);
  });
});

test("a layer has the same bytes for the same content, whoever wrote the files and when", () => {
  const folder = mkdtempSync(join(tmpdir(), "binnacle-layer-"));
  try {
    const write = (name: string, names: readonly string[]) => {
      mkdirSync(join(folder, name, "inner"), { recursive: true });
      for (const each of names) writeFileSync(join(folder, name, "inner", each), each);
      return layerOf(join(folder, name), 5);
    };
    const [first, second] = [write("first", ["a", "b"]), write("second", ["b", "a"])];
    expect(second.blob.equals(first.blob)).toBe(true);
    expect(write("third", ["a", "c"]).diffId).not.toBe(first.diffId);
    const unpacked = join(folder, "unpacked");
    mkdirSync(unpacked);
    writeFileSync(join(folder, "blob"), first.blob);
    unpackLayer(join(folder, "blob"), unpacked);
    expect(statSync(join(unpacked, "inner/a")).mtimeMs).toBe(5_000);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
