import type { Kind } from "../../../config/kind.ts";
import type { KubeClient } from "../../../kube/kube-client.ts";
import { KubeError } from "../../../kube/kube-error.ts";
import { MeshError } from "../../../lib/errors.ts";
import { isMapping } from "../../../lib/is-mapping.ts";
import { scalarText } from "../../../lib/scalar-text.ts";
import type { Clock } from "../../../lib/time/clock.ts";

/** How long an answer may be shared by equal requests. */
const freshMs = 1000;

/**
 * The kinds of an API server, and their versions, from its discovery documents. Everyone may read these documents. They
 * show kinds that we may not list.
 */
export class ServedKinds {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #kinds: readonly Kind[];
  readonly #answers = new Map<string, Promise<ReadonlySet<string>>>();

  constructor(client: KubeClient, clock: Clock, kinds: readonly Kind[]) {
    this.#client = client;
    this.#clock = clock;
    this.#kinds = kinds;
  }

  /** The root of its first available version, as `/apis/networking.istio.io/v1`. Undefined for none. */
  async find(kind: Kind): Promise<string | undefined> {
    // A starting server does not serve all its kinds yet.
    await this.#once("/readyz", () => this.#ready());
    for (const successor of this.#successorsOf(kind)) {
      // The same objects are served in both versions.
      if ((await this.#rootOf(successor)) !== undefined) return undefined;
    }
    return this.#rootOf(kind);
  }

  /** Kinds of the same name earlier in the table, such as today's Ingress for the old one. */
  #successorsOf({ kind, plural, collection }: Kind): readonly Kind[] {
    const same = this.#kinds.filter((row) => row.kind === kind && row.plural === plural);
    return same.slice(
      0,
      same.findIndex((row) => row.collection === collection),
    );
  }

  async #rootOf({ group, versions, aliases = [], plural }: Kind): Promise<string | undefined> {
    const own = versions.map((version) => (group === "" ? `/api/${version}` : `/apis/${group}/${version}`));
    for (const root of [...own, ...aliases.map((alias) => `/apis/${alias}`)]) {
      const resources = await this.#once(root, () => this.#resources(root));
      if (resources.has(plural)) return root;
    }
    return undefined;
  }

  async #ready(): Promise<ReadonlySet<string>> {
    try {
      await this.#client.agrees({ path: "/readyz", accept: "*/*" });
    } catch (thrown) {
      if (!(thrown instanceof KubeError)) throw thrown;
      if (thrown.code >= 500) throw new MeshError("unavailable", "the API server is not ready yet", { cause: thrown });
      // Without permission for `/readyz`, the server counts as ready.
    }
    return new Set();
  }

  async #resources(root: string): Promise<ReadonlySet<string>> {
    try {
      return pluralsIn(await this.#client.json({ path: root }));
    } catch (thrown) {
      if (thrown instanceof KubeError && thrown.code === 404) return new Set();
      throw thrown;
    }
  }

  /** Many kinds are looked up at once in few documents. */
  #once(path: string, ask: () => Promise<ReadonlySet<string>>): Promise<ReadonlySet<string>> {
    const known = this.#answers.get(path);
    if (known !== undefined) return known;
    const answer = ask().finally(() => this.#clock.after(freshMs, () => this.#answers.delete(path)));
    this.#answers.set(path, answer);
    return answer;
  }
}

function pluralsIn(document: unknown): ReadonlySet<string> {
  const resources = isMapping(document) && Array.isArray(document["resources"]) ? document["resources"] : [];
  return new Set(resources.filter(isMapping).map(({ name }) => scalarText(name)));
}
