import { shownConfigs } from "../../admin/galley/configz.ts";
import type { OfflineMesh } from "../../app/offline/read-mesh.ts";
import type { ConfigSummary } from "../objects/object-pages.ts";
import { fetchPage } from "../mesh/fetch-page.ts";
import type { ComparedThing } from "./difference.ts";

/** An object of `/debug/configz?content=true`. */
interface ShownConfig extends ConfigSummary {
  readonly labels: unknown;
  readonly annotations: unknown;
  readonly spec: unknown;
}

type ConfigPage = Readonly<Record<string, readonly ShownConfig[]>>;

/** The objects that a mesh in files has in use. */
export function objectsIn(mesh: OfflineMesh): readonly ComparedThing[] {
  // The same text as a server's, so that both sides have the same form.
  return comparedIn(JSON.parse(shownConfigs(mesh, { content: true }).body) as ConfigPage);
}

/** The objects that a server has in use. Throws `unavailable`. */
export async function objectsAt(server: string): Promise<readonly ComparedThing[]> {
  return comparedIn((await fetchPage(server, "/debug/configz?content=true")) as ConfigPage);
}

function comparedIn(page: ConfigPage): readonly ComparedThing[] {
  return Object.entries(page).flatMap(([collection, all]) =>
    all.map(({ kind, key, version, reference, labels, annotations, spec }) => ({
      id: `${collection} ${key}`,
      name: `${kind} ${key}`,
      reference,
      version,
      content: { metadata: { labels, annotations }, spec },
    })),
  );
}
